// lapl.Simulation: a run that steps inside the Python process (docs/python.md). The model, the
// backend and its steps are those of `lapl run`, so the bits are the same.
#include <fmt/format.h>
#include <hdf5.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "app/commands/run_backend.hpp"
#include "app/commands/run_needs.hpp"
#include "app/commands/step_notes.hpp"
#include "io/config/config.hpp"
#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/start_hdf5.hpp"
#include "io/readers/initial_source.hpp"
#include "io/run/run_writer.hpp"
#include "kernels/error.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation_digest.hpp"
#include "solver/initial_field.hpp"
#include "solver/precision.hpp"
#include "solver/refused_state.hpp"
#include "solver/times.hpp"

namespace py = pybind11;

namespace lapl {
namespace {

// A simulation in any precision.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual void advance(std::int64_t steps) = 0;
  virtual void write(std::size_t field, const py::array& values) = 0;
  virtual py::array view(std::size_t field, const py::capsule& owner) = 0;
  virtual std::uint64_t digest() = 0;
  virtual void save(const std::string& path) = 0;
  virtual void restore(const std::string& path) = 0;
};

template <class T>
class StepperIn final : public Stepper {
 public:
  StepperIn(LoadedConfig config, std::int64_t& step) : config_(std::move(config)), step_(step) {
    resolve_mask(static_cast<Model&>(config_));
    const BackendChoice choice = choose_backend(run());
    if (const std::string shortage = memory_shortage(config_, choice.backend, only_rank());
        !shortage.empty())
      throw DeviceError(shortage);
    on_host_ = choice.backend == "cpu";
    const CoefficientFields coefficients = load_coefficients(run());
    WholeFields whole = load_initial_fields(run());
    whole.merge(fractal_fields(run()));
    equation_ = equation_digest(config_, coefficients);
    if (run().mask) inside_ = coefficients.at(mask_name);
    const StepWords words = words_on_step(config_, config_.step_note, coefficients, whole);
    if (!words.refusal.empty()) throw ConfigError("{}", words.refusal);
    backend_ = run_backend<T>(config_, choice, coefficients);
    set_initial_state(*backend_, run(), coefficients, whole);
    require_finite_start(*backend_, config_);
  }

  // One stretch, up to the next check that every value is finite.
  void advance(std::int64_t steps) override {
    if (viewed_) backend_->block();  // values may have been written through a view
    backend_->advance(steps);
    step_ += steps;
    if (step_ % run().check_finite_every != 0) return;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (const auto found = backend_->reduce({0, fields()}, infinity)().first)
      refuse_state(*found, run(), step_);
  }

  py::array view(std::size_t field, const py::capsule& owner) override {
    if (!on_host_)
      throw DeviceError(
          "fields: the state is in the memory of a GPU (expected compute.backend: cpu)");
    const Block<T> block = backend_->block();
    py::array result(py::dtype::of<T>(), run().shape.extents(),
                     block.values + static_cast<std::int64_t>(field) * run().shape.cells(), owner);
    viewed_ = !run().mask;
    if (run().mask) result.attr("setflags")(py::arg("write") = false);  // 0 outside must stay
    return result;
  }

  void write(std::size_t field, const py::array& given) override {
    const std::vector<std::int64_t> expected = run().shape.extents();
    const std::vector<std::int64_t> found(given.shape(), given.shape() + given.ndim());
    const std::string& name = run().fields[field];
    if (std::string_view("biuf").find(given.dtype().kind()) == std::string_view::npos)
      throw py::type_error(
          fmt::format("fields[\"{}\"]: found an array of {} (expected real numbers)", name,
                      py::str(given.dtype()).cast<std::string>()));
    if (found != expected)
      throw py::value_error(
          fmt::format("fields[\"{}\"]: found an array of shape ({}) (expected ({}))", name,
                      fmt::join(found, ", "), fmt::join(expected, ", ")));
    const py::array_t<T, py::array::c_style | py::array::forcecast> values(given);
    const std::span<const T> cells(values.data(), static_cast<std::size_t>(values.size()));
    if (!std::ranges::all_of(cells, [](T value) { return std::isfinite(value); }))
      throw py::value_error(
          fmt::format("fields[\"{}\"]: found NaN or infinity (expected finite numbers)", name));
    std::vector<T> state = copy_of_state(*backend_);
    T* const own = state.data() + field * cells.size();
    for (std::size_t i = 0; i < cells.size(); ++i)
      own[i] = inside_.empty() || inside_[i] != 0 ? cells[i] : T{0};
    backend_->set_state(state, step_);
  }

  std::uint64_t digest() override {
    const Capture<T> capture = backend_->capture();
    return capture.wait().digest;
  }

  void save(const std::string& path) override {
    const Capture<T> capture = backend_->capture();
    const Captured<T> state = capture.wait();
    require_finite(state, config_, step_);
    CheckpointHeader header;
    header.config = resolved_yaml(config_);
    header.shape = run().shape;
    header.fields = run().fields;
    header.step = step_;
    header.time = time_at_step(run(), step_);
    header.time_step = step_seconds(run());
    header.coefficient = stored_coefficient(run());
    header.state_digest = state.digest;
    header.equation_digest = equation_;
    FileWriter writer;
    write_checkpoint(writer, only_rank(), path, header, state.rows, state.state);
  }

  void restore(const std::string& path) override {
    const Checkpoint checkpoint = read_checkpoint(path);
    const auto* const values = std::get_if<std::vector<T>>(&checkpoint.values);
    if (values == nullptr || checkpoint.header.equation_digest != equation_)
      throw CheckpointError("{}: is of another equation, step or precision", path);
    backend_->set_state(*values, checkpoint.header.step);
    step_ = checkpoint.header.step;
  }

 private:
  const RunConfig& run() const { return config_.run; }
  int fields() const { return static_cast<int>(run().fields.size()); }

  LoadedConfig config_;
  std::int64_t& step_;
  bool on_host_ = true, viewed_ = false;
  std::uint64_t equation_ = 0;
  std::vector<double> inside_;  // the mask; empty without one
  std::unique_ptr<Backend<T>> backend_;
};

class Simulation {
 public:
  Simulation(const std::string& text, const std::vector<std::string>& settings,
             const std::string& name, const std::string& folder) {
    start_hdf5();
    LoadedConfig config = parse_config(text, name, folder, settings);
    if (config.run.scheme.varies)
      throw ConfigError(
          "time: found steps whose size varies (expected steps of one size, as time.step gives)");
    config_ = config.run;
    with_precision(config.run.precision, [&]<class T>() {
      stepper_ = std::make_shared<StepperIn<T>>(std::move(config), step_);
    });
  }

  // In a fork, threads that the destructors would wait for are missing.
  ~Simulation() {
    if (stepper_ && getpid() != process_) new std::shared_ptr<Stepper>(stepper_);
  }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // One use at a time, by the process that made it, while it is open.
  class Use {
   public:
    explicit Use(Simulation& of) : of_(of) {
      if (getpid() != of.process_)
        throw std::runtime_error("Simulation: this process is a fork of the one that made it");
      if (of.busy_.exchange(true))
        throw std::runtime_error("Simulation: another thread is using it");
      if (!of.stepper_) {
        of.busy_ = false;
        throw std::runtime_error("Simulation: it is closed");
      }
    }
    ~Use() { of_.busy_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Stepper* operator->() const { return of_.stepper_.get(); }

   private:
    Simulation& of_;
  };

  void step(std::int64_t steps) {
    if (steps < 0) throw py::value_error(fmt::format("step: found {} (expected 0 or more)", steps));
    const Use use(*this);
    const py::gil_scoped_release released;
    for (const std::int64_t until = step_ + steps, every = config_.check_finite_every;
         step_ < until;) {
      use->advance(std::min(until - step_, every - step_ % every));
      if (step_ == until) break;
      const py::gil_scoped_acquire held;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  }

  // The memory lives as long as a view of it.
  py::array view(const std::string& field) {
    const Use use(*this);
    const py::capsule owner(new std::shared_ptr<Stepper>(stepper_), [](void* held) {
      delete static_cast<std::shared_ptr<Stepper>*>(held);
    });
    return use->view(index(field), owner);
  }

  void write(const std::string& field, const py::array& values) {
    const Use use(*this);
    use->write(index(field), values);
  }

  std::string digest() {
    const Use use(*this);
    const py::gil_scoped_release released;
    return digest_text(use->digest());
  }

  // HDF5 is not safe for threads, and h5py may share it: so files are used under the GIL.
  void checkpoint(const std::string& path) {
    const Use use(*this);
    use->save(path);
  }

  void restore(const std::string& path) {
    const Use use(*this);
    use->restore(path);
  }

  void close() {
    if (!stepper_) return;
    const Use use(*this);
    stepper_.reset();
  }

  std::int64_t step_number() { return step_; }
  double time() { return time_at_step(config_, step_); }
  const std::vector<std::string>& fields() const { return config_.fields; }

 private:
  std::size_t index(const std::string& field) const {
    const auto found = std::ranges::find(config_.fields, field);
    if (found == config_.fields.end())
      throw py::key_error(fmt::format("{} (expected {})", field, fmt::join(config_.fields, ", ")));
    return static_cast<std::size_t>(found - config_.fields.begin());
  }

  RunConfig config_;
  std::int64_t step_ = 0;
  pid_t process_ = getpid();
  std::atomic<bool> busy_ = false;
  std::shared_ptr<Stepper> stepper_;  // null: closed
};

// simulation.fields: a mapping of names to views.
struct Fields {
  py::object simulation;
  Simulation& of() const { return simulation.cast<Simulation&>(); }
};

void raise(const char* name, const char* what) {
  PyErr_SetString(py::module_::import("lapl.errors").attr(name).ptr(), what);
}

}  // namespace
}  // namespace lapl

PYBIND11_MODULE(_simulation, module) {
  H5open();  // so that lapl leaves the settings of HDF5 to Python's packages
  using lapl::Simulation;
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const lapl::ConfigError& error) {
      lapl::raise("ConfigError", error.what());
    } catch (const lapl::NumericalError& error) {
      lapl::raise("NumericalError", error.what());
    } catch (const lapl::IoError& error) {
      lapl::raise("FileError", error.what());
    } catch (const lapl::DeviceError& error) {
      lapl::raise("DeviceError", error.what());
    } catch (const lapl::CheckpointError& error) {
      lapl::raise("CheckpointError", error.what());
    }
  });
  py::class_<Simulation>(module, "Simulation")
      .def(py::init<const std::string&, const std::vector<std::string>&, const std::string&,
                    const std::string&>())
      .def("step", &Simulation::step, py::arg("steps") = 1)
      .def("close", &Simulation::close)
      .def_property_readonly("fields",
                             [](py::object self) { return lapl::Fields{std::move(self)}; })
      .def("checkpoint", &Simulation::checkpoint)
      .def("restore", &Simulation::restore)
      .def_property_readonly("digest", &Simulation::digest)
      .def_property_readonly("steps_done", &Simulation::step_number)
      .def_property_readonly("time", &Simulation::time);
  py::class_<lapl::Fields>(module, "Fields")
      .def("__getitem__",
           [](const lapl::Fields& self, const std::string& field) { return self.of().view(field); })
      .def("__setitem__", [](const lapl::Fields& self, const std::string& field,
                             const py::array& values) { self.of().write(field, values); })
      .def("__len__", [](const lapl::Fields& self) { return self.of().fields().size(); })
      .def("__iter__",
           [](const lapl::Fields& self) { return py::iter(py::cast(self.of().fields())); });
}
