#include "app/commands/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/signals.hpp"
#include "io/filters/filter_source.hpp"
#include "io/readers/initial_source.hpp"
#include "io/run/provenance.hpp"
#include "io/run/run_writer.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/temporary_folder.hpp"
#include "kernels/ranks/halo.hpp"
#include "kernels/ranks/ranked_backend.hpp"
#include "solver/clock.hpp"
#include "solver/condition_watch.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/initial_field.hpp"
#include "solver/make_problem.hpp"
#include "solver/outputs.hpp"
#include "solver/precision_watch.hpp"
#include "solver/refused_state.hpp"
#include "solver/schedule.hpp"

namespace lapl {
namespace {

constexpr int most_gpus_of_a_machine = 8;

bool fits(const Memory& needed, const Memory& available) {
  return (available.host == 0 || needed.host <= available.host) &&
         (available.device == 0 || needed.device <= available.device);
}

std::int64_t largest_extent(const Model& model, const Plan& plan) {
  const int axes = model.run.shape.axes;
  std::int64_t low = 1, high = std::int64_t{1} << 40 / axes;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const Shape shape = Shape::of(std::vector(axes, middle));
    (fits(memory_of_run(model, plan.choice.backend, shape).all(), plan.available) ? low : high) =
        middle;
  }
  return low;
}

double cell_count(const RunConfig& config) { return static_cast<double>(config.shape.cells()); }

constexpr TrialSeconds trial_seconds = {.least = 0.25, .more = 0.35};

bool has_reductions(const Model& model) {
  return std::ranges::any_of(model.step.stages,
                             [](const Stage& stage) { return !stage.reductions.empty(); });
}

// Cells per second of the same equation with constants in place of reductions over the grid.
template <class T>
double speed_without_reductions(const Plan& plan, Model model,
                                const CoefficientFields& coefficients,
                                const std::vector<T>& start) {
  for (Stage& stage : model.step.stages) {
    stage.reductions.clear();
    for (StageOperation& node : stage.tree.operations)
      if (node.operation == Operation::reduced) node = {.operation = Operation::number};
  }
  auto backend = backend_at(model, plan.choice, coefficients, start);
  return cell_count(plan.config) *
         try_steps<T>(backend, model, plan.choice, coefficients, trial_seconds).steps_a_second;
}

template <class T>
void measure_stepping(RunTime& time, const Plan& plan, const StableSteps& stable_steps,
                      bool tries_ways) {
  const RunConfig& config = plan.config;
  const Model model(config_of_trial(config));
  const bool masked = config.mask.has_value();  // diagnostics then need the derived outputs
  const CoefficientFields coefficients = load_coefficients(config);
  auto backend = run_backend<T>(first_model(model, {}), plan.choice, coefficients);
  set_initial_state(*backend, config, coefficients, load_initial_fields(config));
  require_finite_start(*backend, model);
  PrecisionWatch watch(config, model.system, coefficients, RowRange::all(config.shape));
  std::vector<T> start;
  {
    const Capture<T> capture = backend->capture(masked);
    const Captured<T> initial = capture.wait();
    start.assign(initial.state.begin(), initial.state.end());
    std::vector<std::span<const float>> values;
    if constexpr (std::is_same_v<T, float>)
      for (std::int64_t field = 0; field < std::ssize(config.fields); ++field)
        values.push_back(initial.field(field));
    const auto statistics = compute_diagnostics(initial, config).fields;
    const double time_step = config.scheme.tolerance ? 0 : step_seconds(config);
    for (const std::string& warning : watch.check(0, config.start, time_step, statistics, values))
      time.frozen = warning;
  }
  time.by = backend->description();
  Forecast& stepping = time.stepping;
  const SolveReport at_start = backend->last_solves();
  stepping = try_steps<T>(backend, model, plan.choice, coefficients, trial_seconds);
  time.good_steps = watch.good_steps(
      stepping.taken, compute_diagnostics(backend->capture(masked).wait(), config).fields);
  time.by = backend->description();
  time.cells_per_second = cell_count(config) * stepping.steps_a_second;
  time.solves = backend->last_solves();
  if (time.solves.solves >= at_start.solves) {  // those before the first step find the matrix
    time.solves.solves -= at_start.solves;
    time.solves.seconds -= at_start.seconds;
  }
  if (time.solves.solves > 0) time.solving_part = time.solves.seconds / backend->stepping_seconds();
  if (!tries_ways || stepping.taken == 0) return;
  backend.reset();  // the trials below need its memory
  if (has_reductions(model))
    time.without_reductions = speed_without_reductions<T>(plan, model, coefficients, start);
  time.ways = measure_ways(config, plan.choice, coefficients, stable_steps, start, stepping);
}

// An estimate of the seconds in which `count` files are stored. The first takes longest. The others
// count as the faster of two further ones, which are measured until 0.2 s have passed.
template <class T>
double seconds_to_store(double count, RunWriter<T>& writer, Backend<T>& backend,
                        const Storing& what) {
  const auto start = Clock::now();
  double first = 0, least = 0;
  for (int n = 0; n == 0 || (n < 3 && seconds_since(start) < 0.2); ++n) {
    const auto one = Clock::now();
    writer.store(what, backend.capture(what.output).wait());
    least = n <= 1 ? seconds_since(one) : std::min(least, seconds_since(one));
    if (n == 0) first = least;
  }
  return first + (count - 1) * least;
}

// The seconds in which all outputs and checkpoints are stored, measured on at most four million
// cells, 2000 x 2000 (with as many columns as filters need), and scaled up to larger grids.
template <class T>
double measure_storing(const LoadedConfig& loaded, const Plan& plan, const RunTime& time,
                       const std::filesystem::path& folder) {
  RunConfig config = loaded.run;
  const std::int64_t most = config.shape.axes == 1   ? 4'000'000
                            : config.shape.axes == 2 ? 2000
                                                     : 160;
  std::int64_t most_columns = most;
  for (const FilterConfig& filter : load_filters(config.filters))
    most_columns = std::max(most_columns, filter.shape.columns);
  config.shape.planes = std::min(config.shape.planes, most);
  config.shape.rows = std::min(config.shape.rows, most);
  config.shape.columns = std::min(config.shape.columns, most_columns);
  config.is_sample = config.shape != loaded.run.shape;
  CoefficientFields coefficients = unread_coefficients(config);  // their values do not matter
  for (auto& [name, values] : coefficients) values.resize(config.shape.cells(), 1);
  const Model model(config);
  const auto backend = run_backend<T>(model, plan.choice, coefficients);
  backend->set_state(std::vector<T>(config.shape.cells() * std::ssize(config.fields)));
  const RunFolder run = RunFolder::create(folder / "run", RunFolder::Existing::refuse);
  RunWriter<T> writer(run, model, resolved_yaml(loaded), make_provenance(backend->description()),
                      {},
                      {.stored = [](const StoredEvent&) {},
                       .progress = [](const Progress&) {},
                       .warning = [](const std::string&) {}});
  const auto& seconds = config.checkpoint_every.seconds;
  const double checkpoints = plan.disk.checkpoints
                                 ? static_cast<double>(plan.disk.checkpoints->least)
                                 : 2 + (seconds ? time.stepping.seconds / *seconds : 0);
  const auto outputs = static_cast<double>(plan.disk.outputs.least);
  return (seconds_to_store(outputs, writer, *backend, {.step = 0, .output = true}) +
          seconds_to_store(checkpoints, writer, *backend, {.step = 0, .checkpoint = true})) *
         cell_count(loaded.run) / cell_count(config);
}

template <class T>
void measure(const LoadedConfig& loaded, Plan& plan, const StableSteps& stable_steps,
             bool tries_ways) {
  RunTime& time = plan.time.emplace();
  try {
    measure_stepping<T>(time, plan, stable_steps, tries_ways);
  } catch (const NumericalError& error) {
    time.failure = error.what();
    return;
  }
  // The numbers of files follow from the forecast number of steps.
  plan.disk = disk_of_run(plan.config, time.stepping.steps);
  if (time.stepping.exact) {
    plan.disk.outputs.exact = true;
    if (plan.disk.checkpoints) plan.disk.checkpoints->exact = true;
  }
  try {
    catch_stop_signals();  // so that no signal leaves the folder behind
    const TemporaryFolder folder(nearest_folder(loaded.run.directory), "plan");
    time.storing_seconds = measure_storing<T>(loaded, plan, time, folder.path());
  } catch (const IoError& error) {
    time.storing_unknown = error.what();
  }
  const auto of_all = [&](double stepping) {
    return plan.choice.backend == "cpu" ? stepping + time.storing_seconds
                                        : std::max(stepping, time.storing_seconds);
  };
  time.seconds = of_all(time.stepping.seconds);
  if (time.stepping.most_seconds) time.most_seconds = of_all(*time.stepping.most_seconds);
}

}  // namespace

Plan plan_run(LoadedConfig loaded, bool tries_ways) {
  Plan plan;
  plan.mask_note = resolve_mask(loaded);
  plan.config = loaded.run;
  plan.step_note = loaded.step_note;
  const RunConfig& config = plan.config;
  plan.choice = choose_backend(config);
  load_filters(config);
  const Model& model = loaded;
  plan.memory = memory_of_run(model, plan.choice.backend, config.shape).all();
  plan.available = memory_available(plan.choice.backend);
  plan.largest_extent = largest_extent(model, plan);
  plan.disk = disk_of_run(config);
  if (fits(plan.memory, plan.available)) {
    const auto stable_steps =
        stable_step_finder(config, model.system, [&] { return load_state_fields(config); });
    plan.stable = stable_steps(config.scheme);
    if (conditions_read(config)) {  // others need no file to be read for it
      const StateFields fields = load_state_fields(config);
      plan.step_warning =
          condition_warning(config, model.system, fields.coefficients, fields.whole);
    }
    with_precision(config.precision,
                   [&]<class T>() { measure<T>(loaded, plan, stable_steps, tries_ways); });
  } else {
    plan.stable = {.largest = stable_limit(config, model.system),
                   .why_unknown = "not estimated: the grid does not fit"};
  }
  if (const std::string warning = step_warning(config, model.system, plan.stable); !warning.empty())
    plan.step_warning = plan.step_warning.empty() ? warning : warning + "; " + plan.step_warning;
  return plan;
}

RanksPlan plan_on_ranks(const RunConfig& config, int ranks) {
  const Model model(config);
  const auto problem = make_problem<float>(model, unread_coefficients(config), false);
  const std::string backend = choose_backend(config).backend;
  const RankCosts costs = costs_of_ranks(backend, why_through_host(only_rank(), backend),
                                         ranks <= most_gpus_of_a_machine);
  const Division division = problem_division(problem, planned_outputs(model, problem), backend,
                                             config.engine, ranks, costs);
  const Decomposition by = decompose(division);
  // The largest part with its halo: that of a rank with neighbours on every side, if there is one.
  Part largest = by.part(0);
  for (int rank = 0; rank < std::min(by.stepping(), 4096); ++rank)
    if (by.part(rank).shape().cells() > largest.shape().cells()) largest = by.part(rank);
  const RunMemory needed = memory_of_run(model, backend, largest.shape());
  Memory memory = {needed.backend.host + needed.transforms.host,
                   needed.backend.device + needed.transforms.device};
  double moved = 0;
  if (division.pairs && by.stepping() > 1) {
    const double values = 8 * static_cast<double>(largest.cells());
    // buffers for the lines that transforms move to other ranks
    (backend == "cuda" ? memory.device : memory.host) += 2 * values;
    const double transforms =
        2.0 * table_row(config.scheme.kind).order + (config.scheme.tolerance ? 1 : 0);
    if (problem.exponential)
      moved = values * transforms * static_cast<double>(config.fields.size()) *
              (1 - 1.0 / by.stepping());
  }
  return {.ranks = ranks,
          .backend = backend,
          .by = by,
          .block = {largest.own[1], largest.own[2], largest.own[0], config.shape.axes},
          .steps_at_once = by.depth / division.reach,
          .memory = memory,
          .moved_bytes = moved,
          .memory_of_first = memory_of_run(model, backend, config.shape).first,
          .step = modelled_step(by, division, byte_size(config.precision))};
}

}  // namespace lapl
