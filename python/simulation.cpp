// lapl.Simulation: a run that steps inside the Python process (docs/python.md). The model, the
// backend and its steps are those of `lapl run`, so the bits are the same.
#include <fmt/format.h>
#include <hdf5.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <utility>

#include "io/config/config.hpp"
#include "io/hdf5/start_hdf5.hpp"
#include "io/run/run_writer.hpp"
#include "kernels/error.hpp"
#include "python/device_array.hpp"
#include "python/stepper.hpp"
#include "solver/precision.hpp"

namespace py = pybind11;

namespace lapl {
namespace {

class Simulation {
 public:
  Simulation(const std::string& text, const std::vector<std::string>& settings,
             const std::string& name, const std::string& folder) {
    start_hdf5();
    LoadedConfig config = parse_config(text, name, folder, settings);
    config_ = config.run;
    with_precision(config.run.precision, [&]<class T>() {
      stepper_ = std::make_shared<StepperIn<T>>(std::move(config));
    });
    warn();
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
    if (steps < 0 || steps > most_steps)
      throw py::value_error(fmt::format("step: found {} (expected 0 to {})", steps, most_steps));
    const Use use(*this);
    if (steps > 0 && config_.ends_by_time() && use->time >= *config_.end)
      throw py::value_error(fmt::format(
          "step: the simulation is at its end, {} s (expected a later time.end, or time.steps)",
          *config_.end));
    {
      const py::gil_scoped_release released;
      use->advance(steps, [] {
        const py::gil_scoped_acquire held;
        return PyErr_CheckSignals() != 0;
      });
    }
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    warn();
  }

  bool on_device() {
    const Use use(*this);
    return use->on_device;
  }

  // On the host: the state itself, whose memory lives as long as a view of it.
  py::array view(std::size_t field) {
    const Use use(*this);
    const StateView found = use->view(field);
    const py::capsule owner(new Held(found.owner),
                            [](void* held) { delete static_cast<Held*>(held); });
    py::array result(dtype(), config_.shape.extents(), strides(found.pitch, value_bytes()),
                     found.values, owner);
    if (config_.mask) result.attr("setflags")(py::arg("write") = false);  // 0 outside must stay
    return result;
  }

  // On a GPU.
  py::capsule dlpack(std::size_t field) {
    if (config_.mask)
      throw py::buffer_error(
          fmt::format("fields[\"{}\"]: with a mask the state is read-only, which DLPack cannot say "
                      "(numpy.asarray copies it)",
                      config_.fields[field]));
    const Use use(*this);
    StateView found = use->view(field);
    return dlpack_capsule({.data = found.values,
                           .device = {.index = found.device},
                           .type = {.bits = static_cast<std::uint8_t>(8 * value_bytes())}},
                          config_.shape.extents(), strides(found.pitch, 1), std::move(found.owner));
  }

  int device() {
    const Use use(*this);
    return use->view(0).device;
  }

  py::array copy(std::size_t field) {
    const Use use(*this);
    py::array result = py::module_::import("numpy").attr("empty")(config_.shape.extents(), dtype());
    use->read(field, result.mutable_data());
    return result;
  }

  void write(std::size_t field, const py::object& given) {
    const py::module_ numpy = py::module_::import("numpy");
    const py::array values = numpy.attr("asarray")(given);
    const std::vector<std::int64_t> expected = config_.shape.extents();
    const std::vector<std::int64_t> found(values.shape(), values.shape() + values.ndim());
    const std::string& name = config_.fields[field];
    if (std::string_view("biuf").find(values.dtype().kind()) == std::string_view::npos)
      throw py::type_error(
          fmt::format("fields[\"{}\"]: found an array of {} (expected real numbers)", name,
                      py::str(values.dtype()).cast<std::string>()));
    if (found != expected)
      throw py::value_error(
          fmt::format("fields[\"{}\"]: found an array of shape ({}) (expected ({}))", name,
                      fmt::join(found, ", "), fmt::join(expected, ", ")));
    const py::array cells = numpy.attr("ascontiguousarray")(values, dtype());
    if (!numpy.attr("isfinite")(cells).attr("all")().cast<bool>())
      throw py::value_error(
          fmt::format("fields[\"{}\"]: found NaN or infinity (expected finite numbers)", name));
    const Use use(*this);
    use->write(field, cells.data());
  }

  std::string digest() {
    const Use use(*this);
    const py::gil_scoped_release released;
    return digest_text(use->digest());
  }

  // HDF5 is not safe for threads, and h5py may share it: so files are used under the GIL.
  void checkpoint(const std::filesystem::path& path) {
    const Use use(*this);
    use->save(path);
  }

  void restore(const std::filesystem::path& path) {
    const Use use(*this);
    use->restore(path);
  }

  void close() {
    if (!stepper_) return;
    const Use use(*this);
    where_ = {stepper_->step, stepper_->time};
    stepper_.reset();
  }

  StepAtTime where() const {
    return stepper_ ? StepAtTime{stepper_->step, stepper_->time} : where_;
  }
  const std::vector<std::string>& fields() const { return config_.fields; }

  std::size_t index(const std::string& field) const {
    const auto found = std::ranges::find(config_.fields, field);
    if (found == config_.fields.end())
      throw py::key_error(fmt::format("{} (expected {})", field, fmt::join(config_.fields, ", ")));
    return static_cast<std::size_t>(found - config_.fields.begin());
  }
  const std::string& name(std::size_t field) const { return config_.fields[field]; }

 private:
  // NumPy computes with these itself: pybind11 before 2.12 reads the sizes of NumPy 2 wrongly.
  py::dtype dtype() const { return py::dtype(enum_name(config_.precision)); }
  std::int64_t value_bytes() const {
    return static_cast<std::int64_t>(byte_size(config_.precision));
  }

  // From one index to the next, of each axis; a value has `size`.
  std::vector<std::int64_t> strides(std::int64_t pitch, std::int64_t size) const {
    std::vector<std::int64_t> all = {size * config_.shape.rows * pitch, size * pitch, size};
    return {all.end() - config_.shape.axes, all.end()};
  }

  void warn() {
    const py::object kind = py::module_::import("lapl.errors").attr("LaplWarning");
    for (const std::string& what : std::exchange(stepper_->warnings, {}))
      if (PyErr_WarnEx(kind.ptr(), what.c_str(), 1) != 0) throw py::error_already_set();
  }

  RunConfig config_;
  pid_t process_ = getpid();
  std::atomic<bool> busy_ = false;
  StepAtTime where_;                  // where it was closed
  std::shared_ptr<Stepper> stepper_;  // null: closed
};

// simulation.fields: a mapping of names to arrays.
struct Fields {
  py::object simulation;
  Simulation& of() const { return simulation.cast<Simulation&>(); }
};

// A field on a GPU: each use reads the state of now.
struct DeviceField {
  py::object simulation;
  std::size_t field = 0;
  Simulation& of() const { return simulation.cast<Simulation&>(); }
};

py::object named_field(const Fields& fields, const std::string& name) {
  Simulation& simulation = fields.of();
  const std::size_t field = simulation.index(name);
  if (!simulation.on_device()) return simulation.view(field);
  return py::cast(DeviceField{fields.simulation, field});
}

// `stream` needs no care: view() and use_changes() wait for the whole device.
py::capsule dlpack(const DeviceField& self, const py::object& /*stream*/,
                   const py::object& /*max_version*/, const py::object& device,
                   const py::object& copy) {
  const py::object here = py::make_tuple(DlDevice().type, self.of().device());
  if (!copy.is_none() && copy.cast<bool>())
    throw py::buffer_error("fields: found copy=True (expected none; a view is no copy)");
  if (!device.is_none() && !device.equal(here))
    throw py::buffer_error(fmt::format("fields: found the device {} (expected {})",
                                       py::str(device).cast<std::string>(),
                                       py::str(here).cast<std::string>()));
  return self.of().dlpack(self.field);
}

py::object host_copy(const DeviceField& self, const py::object& dtype, const py::object& copy) {
  if (!copy.is_none() && !copy.cast<bool>())
    throw py::value_error("fields: found copy=False (expected none: the state is on a GPU)");
  const py::array result = self.of().copy(self.field);
  return dtype.is_none() ? py::object(result) : result.attr("astype")(dtype);
}

void raise(const char* name, const char* what) {
  PyErr_SetString(py::module_::import("lapl.errors").attr(name).ptr(), what);
}

}  // namespace
}  // namespace lapl

PYBIND11_MODULE(_simulation, module) {
  H5open();  // so that lapl leaves the settings of HDF5 to Python's packages
  using lapl::DeviceField, lapl::Fields, lapl::Simulation;
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
      .def_property_readonly("fields", [](py::object self) { return Fields{std::move(self)}; })
      .def("checkpoint", &Simulation::checkpoint)
      .def("restore", &Simulation::restore)
      .def_property_readonly("digest", &Simulation::digest)
      .def_property_readonly("steps_done", [](const Simulation& self) { return self.where().step; })
      .def_property_readonly("time", [](const Simulation& self) { return self.where().time; });
  py::class_<Fields>(module, "Fields")
      .def("__getitem__", &lapl::named_field)
      .def("__setitem__",
           [](const Fields& self, const std::string& field, const py::object& values) {
             self.of().write(self.of().index(field), values);
           })
      .def("__len__", [](const Fields& self) { return self.of().fields().size(); })
      .def("keys", [](const Fields& self) { return self.of().fields(); })
      .def("__iter__", [](const Fields& self) { return py::iter(py::cast(self.of().fields())); });
  py::class_<DeviceField>(module, "DeviceField")
      .def("__dlpack__", &lapl::dlpack, py::kw_only(), py::arg("stream") = py::none(),
           py::arg("max_version") = py::none(), py::arg("dl_device") = py::none(),
           py::arg("copy") = py::none())
      .def("__dlpack_device__",
           [](const DeviceField& self) {
             return py::make_tuple(lapl::DlDevice().type, self.of().device());
           })
      .def("__array__", &lapl::host_copy, py::arg("dtype") = py::none(),
           py::arg("copy") = py::none());
}
