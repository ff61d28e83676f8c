#include "app/commands/run_time.hpp"

#include <algorithm>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "app/commands/other_steps.hpp"
#include "app/commands/run_backend.hpp"
#include "app/parent_folder.hpp"
#include "app/signals.hpp"
#include "io/filter_source.hpp"
#include "io/initial_source.hpp"
#include "io/provenance.hpp"
#include "io/run_writer.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/temporary_folder.hpp"
#include "solver/clock.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/frozen.hpp"
#include "solver/initial_field.hpp"
#include "solver/precision_watch.hpp"
#include "solver/schedule.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

// The fastest of three storings, fewer where they take long.
template <class T>
double time_of(RunWriter<T>& writer, Backend<T>& backend, const Storing& what) {
  const auto start = Clock::now();
  double least = 0;
  for (int n = 0; n == 0 || (n < 3 && seconds_since(start) < 1); ++n) {
    const auto one = Clock::now();
    writer.store(what, backend.capture(what.output).wait());
    least = n == 0 ? seconds_since(one) : std::min(least, seconds_since(one));
  }
  return least;
}

// Of a field of at most four million cells, 2000 x 2000 (with as many columns as a filter's list of
// weights has, which must not be longer), from which larger ones follow.
template <class T>
double measure_storing(const LoadedConfig& loaded, const BackendChoice& choice,
                       const fs::path& folder, double stepping_seconds) {
  RunConfig config = loaded.run;
  const auto cells = static_cast<double>(config.shape.cells());
  const std::int64_t most = config.shape.axes == 1   ? 4'000'000
                            : config.shape.axes == 2 ? 2000
                                                     : 160;
  std::int64_t most_columns = most;
  for (const FilterConfig& filter : load_filters(config.filters))
    most_columns = std::max(most_columns, filter.shape.columns);
  config.shape.planes = std::min(config.shape.planes, most);
  config.shape.rows = std::min(config.shape.rows, most);
  config.shape.columns = std::min(config.shape.columns, most_columns);
  CoefficientFields coefficients = unread_coefficients(config);  // their values do not matter
  for (auto& [name, values] : coefficients) values.resize(config.shape.cells());
  const Model model(config);
  const auto backend = run_backend<T>(
      model, choice, coefficients, [](const std::string&) {}, only_rank());
  backend->set_state(std::vector<T>(config.shape.cells() * std::ssize(config.fields)));
  const RunFolder run = RunFolder::create(folder / "run", RunFolder::Existing::refuse);
  RunWriter<T> writer(run, model, resolved_yaml(loaded), provenance_of(backend->description()), {},
                      {.stored = [](const StoredEvent&) {},
                       .progress = [](const Progress&) {},
                       .warning = [](const std::string&) {}});
  const Schedule schedule(config);
  const auto outputs = static_cast<double>(schedule.outputs());
  const auto& seconds = config.checkpoint_every.seconds;
  const double checkpoints =
      static_cast<double>(schedule.checkpoints()) + (seconds ? stepping_seconds / *seconds : 0);
  return (outputs * time_of(writer, *backend, {.step = 0, .output = true}) +
          checkpoints * time_of(writer, *backend, {.step = 0, .checkpoint = true})) *
         cells / static_cast<double>(config.shape.cells());
}

template <class T>
RunTime measure_stepping(const RunConfig& config, const BackendChoice& choice,
                         const std::function<StableStep(TimeScheme)>& stable_steps) {
  const CoefficientFields coefficients = load_coefficients(config);
  const Model model(config);
  auto backend = run_backend<T>(
      model, choice, coefficients, [](const std::string&) {}, only_rank());
  set_initial_state(*backend, config, coefficients, load_initial_fields(config));
  RunTime time;
  Capture<T> capture = backend->capture();
  const Captured<T> initial = capture.wait();
  const std::vector<T> state(initial.state.begin(), initial.state.end());
  time.frozen = frozen_warning(model, initial);
  PrecisionWatch watch(config, coefficients, true);
  const auto statistics = diagnostics_of(initial, config).fields;
  std::vector<std::span<const float>> values;
  if constexpr (std::is_same_v<T, float>)
    for (std::int64_t field = 0; field < std::ssize(config.fields); ++field)
      values.push_back(initial.field(field));
  for (const std::string& warning : watch.look(0, statistics, values)) time.frozen = warning;
  capture = {};
  const MeasuredSteps measured = measure_steps(*backend, config, 1);
  time.cells_per_second = measured.cells_per_second;
  time.good_steps =
      watch.good_steps(measured.steps, diagnostics_of(backend->capture().wait(), config).fields);
  time.by = backend->description();
  const double cells = static_cast<double>(config.shape.cells()) *
                       static_cast<double>(config.steps) * (config.verify_every ? 2 : 1);
  if (config.steps == 0) return time;
  time.stepping_seconds = cells / time.cells_per_second;
  backend.reset();  // the others need its memory
  time.others = measure_other_steps<T>(config, choice, coefficients, state, stable_steps);
  return time;
}

template <class T>
RunTime measure(const LoadedConfig& loaded, const BackendChoice& choice,
                const std::function<StableStep(TimeScheme)>& stable_steps) {
  RunTime time = measure_stepping<T>(loaded.run, choice, stable_steps);
  try {
    catch_stop_signals();  // the folder goes first
    const TemporaryFolder folder(parent_of(loaded.run.directory), "plan");
    time.storing_seconds = measure_storing<T>(loaded, choice, folder.path(), time.stepping_seconds);
  } catch (const IoError& error) {
    time.storing_unknown = error.what();
  }
  time.seconds = choice.backend == "cpu" ? time.stepping_seconds + time.storing_seconds
                                         : std::max(time.stepping_seconds, time.storing_seconds);
  return time;
}

}  // namespace

RunTime measure_run_time(const LoadedConfig& config, const BackendChoice& choice,
                         const std::function<StableStep(TimeScheme)>& stable_steps) {
  return with_precision(config.run.precision,
                        [&]<class T>() { return measure<T>(config, choice, stable_steps); });
}

}  // namespace lapl
