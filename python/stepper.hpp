// The steps of a simulation in one precision: those of `lapl run`, without a run folder.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/config/config.hpp"
#include "io/hdf5/checkpoint.hpp"
#include "io/readers/initial_source.hpp"
#include "io/run/run_backend.hpp"
#include "io/run/run_needs.hpp"
#include "io/run/run_writer.hpp"
#include "kernels/error.hpp"
#include "solver/equation_digest.hpp"
#include "solver/initial_field.hpp"
#include "solver/refused_state.hpp"
#include "solver/step_control.hpp"
#include "solver/step_words.hpp"
#include "solver/times.hpp"

namespace lapl {

/// A field of the current state; valid until the next step, but its memory lives as long as
/// `owner`.
struct StateView {
  void* values = nullptr;
  std::int64_t pitch = 0;  ///< values from one row to the next
  int device = 0;          ///< of CUDA, where the state is on one
  std::shared_ptr<const void> owner = {};
};

/// A simulation in any precision.
class Stepper {
 public:
  virtual ~Stepper() = default;
  Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// Runs `steps` steps, fewer where varying steps reach time.end or `interrupted` is true, which
  /// is asked after some of them. Throws as run() does.
  virtual void advance(std::int64_t steps, const std::function<bool()>& interrupted) = 0;
  virtual StateView view(std::size_t field) = 0;
  /// Copies the values of a field in C order, in the precision of the config.
  virtual void read(std::size_t field, void* values) = 0;
  /// Replaces them, which must be finite; cells outside a mask stay 0.
  virtual void write(std::size_t field, const void* values) = 0;
  virtual std::uint64_t digest() = 0;
  virtual void save(const std::filesystem::path& path) = 0;
  virtual void restore(const std::filesystem::path& path) = 0;

  std::atomic<std::int64_t> step = 0;
  std::atomic<double> time = 0;       ///< seconds
  std::vector<std::string> warnings;  ///< for the user
  bool on_device = false;             ///< the state is in the memory of a GPU
};

template <class T>
class StepperIn final : public Stepper, private RunSink<T> {
 public:
  explicit StepperIn(LoadedConfig config) : config_(std::move(config)) {
    resolve_mask(static_cast<Model&>(config_));
    time = run().start;
    const BackendChoice choice = choose_backend(run());
    if (const std::string shortage = memory_shortage(config_, choice.backend, only_rank());
        !shortage.empty())
      throw DeviceError(shortage);
    on_device = choice.backend != "cpu";
    const CoefficientFields coefficients = load_coefficients(run());
    WholeFields whole = load_initial_fields(run());
    whole.merge(fractal_fields(run()));
    equation_ = equation_digest(config_, coefficients);
    if (run().mask) inside_ = coefficients.at(mask_name);
    const StepWords words = words_on_step(config_, config_.step_note, coefficients, whole);
    if (!words.refusal.empty()) throw ConfigError("{}", words.refusal);
    warn(words.warning);
    backend_ = run_backend<T>(first_model(config_, {}), choice, coefficients);
    set_initial_state(*backend_, run(), coefficients, whole);
    require_finite_start(*backend_, config_);
    if (!run().scheme.varies) return;
    RunConfig& varying = config_.run;  // nothing but step() ends its stretches
    varying.steady.reset();
    varying.stop.reset();
    varying.wall_time.reset();
    varying.verify_every.reset();
    varying_.from = StepControl(run(), {}, 0).state();
    varying_.estimate = step_estimator<T>(config_, coefficients);
    varying_.warn = [this](std::int64_t at, const std::string& what) {
      warn(fmt::format("step {}: {}", at, what));
    };
    varying_.with_other_stages =
        other_stages(backend_, config_, {}, choice, coefficients, only_rank());
  }

  void advance(std::int64_t steps, const std::function<bool()>& interrupted) override {
    if (steps == 0) return;
    use_changes();
    const std::int64_t until = step + steps, every = run().check_finite_every;
    if (run().scheme.varies) {
      // A run that stops here, and goes on from here in the next call.
      config_.run.stops_at = until;
      if (!run().ends_by_time()) config_.run.steps = until;
      const auto stop = [&] { return std::string(interrupted() ? "signal" : ""); };
      lapl::run<T>(*backend_, config_, step, *this, stop, varying_);
      return;
    }
    while (step < until) {
      const std::int64_t stretch = std::min(until - step, every - step % every);
      backend_->advance(stretch);
      step += stretch;
      time = time_at_step(run(), step);
      if (step % every == 0) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        if (const auto found = backend_->reduce({0, fields()}, infinity)().first)
          refuse_state(*found, run(), step);
      }
      if (step < until && interrupted()) return;
    }
  }

  StateView view(std::size_t field) override {
    is_viewed_ = true;
    const Block<T> block = backend_->block();
    backend_->wait_for_device();
    const std::int64_t rows = block.shape.planes * block.shape.rows;
    return {block.values + static_cast<std::int64_t>(field) * rows * block.pitch, block.pitch,
            block.device, backend_};
  }

  void read(std::size_t field, void* values) override {
    use_changes();
    const Capture<T> capture = backend_->capture();
    std::ranges::copy(capture.wait().field(static_cast<std::int64_t>(field)),
                      static_cast<T*>(values));
  }

  void write(std::size_t field, const void* values) override {
    use_changes();
    std::vector<T> state = copy_of_state(*backend_);
    T* const own = state.data() + field * cells();
    std::copy_n(static_cast<const T*>(values), cells(), own);
    for (std::size_t i = 0; i < inside_.size(); ++i)
      if (inside_[i] == 0) own[i] = 0;
    backend_->set_state(state, step);
  }

  std::uint64_t digest() override {
    use_changes();
    const Capture<T> capture = backend_->capture();
    return capture.wait().digest;
  }

  void save(const std::filesystem::path& path) override {
    use_changes();
    const Capture<T> capture = backend_->capture();
    const Captured<T> state = capture.wait();
    require_finite(state, config_, step);
    CheckpointHeader header;
    header.config = resolved_yaml(config_);
    header.shape = run().shape;
    header.fields = run().fields;
    header.step = step;
    header.time = time;
    header.time_step = step_seconds(run());
    header.coefficient = stored_coefficient(run());
    header.state_digest = state.digest;
    header.equation_digest = equation_;
    if (varying_.from) header.step_state = varying_.from->words();
    FileWriter writer;
    write_checkpoint(writer, only_rank(), path, header, state.rows, state.state);
  }

  void restore(const std::filesystem::path& path) override {
    const Checkpoint checkpoint = read_checkpoint(path);
    const CheckpointHeader& header = checkpoint.header;
    const auto* const values = std::get_if<std::vector<T>>(&checkpoint.values);
    const auto steps = StepState::of_words(header.step_state);
    if (values == nullptr || header.equation_digest != equation_ ||
        steps.has_value() != run().scheme.varies || (steps && !steps->is_sound(header.step)))
      throw CheckpointError("{}: is of another equation, step or precision", path.string());
    use_changes();
    if (run().chooses_stages())
      varying_.with_other_stages(std::min<std::int64_t>(steps->stages, *run().scheme.stages));
    backend_->set_state(*values, header.step);
    varying_.from = steps;
    step = header.step;
    time = header_time(header);
  }

 private:
  const RunConfig& run() const { return config_.run; }
  int fields() const { return static_cast<int>(run().fields.size()); }
  std::size_t cells() const { return static_cast<std::size_t>(run().shape.cells()); }

  void warn(const std::string& what) {
    if (!what.empty()) warnings.push_back(what);
  }

  // Values may have been written through a view, on a GPU by kernels that still run.
  void use_changes() {
    if (!is_viewed_) return;
    backend_->wait_for_device();
    backend_->block();
  }

  // Where varying steps stand now.
  void store(const Storing& storing, const Captured<T>& /*captured*/) override {
    step = storing.step;
    time = storing.time;
    varying_.from = storing.steps;
  }
  void probed(std::int64_t /*at*/, double /*time*/, std::span<const T> /*values*/) override {}
  void progress(const Progress& /*progress*/) override {}

  LoadedConfig config_;
  std::uint64_t equation_ = 0;
  std::vector<double> inside_;  // the mask; empty without one
  bool is_viewed_ = false;
  std::shared_ptr<Backend<T>> backend_;
  VaryingSteps<T> varying_;
};

}  // namespace lapl
