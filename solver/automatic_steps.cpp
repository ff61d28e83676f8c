#include "solver/automatic_steps.hpp"

#include <algorithm>
#include <limits>
#include <variant>
#include <vector>

#include "kernels/error.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/estimated_step.hpp"
#include "solver/initial_field.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

constexpr double part_of_interval = 0.01;

// The config on a coarser grid of the same extent, with at most `most` cells. No axis is reduced
// below 8 cells.
RunConfig with_cells(RunConfig config, std::int64_t most) {
  const Shape all = config.shape;
  config.is_sample = true;
  Shape& shape = config.shape;
  for (std::int64_t together = 2; shape.cells() > most; together *= 2)
    for (const auto extent : {&Shape::planes, &Shape::rows, &Shape::columns})
      shape.*extent = std::max(std::min<std::int64_t>(all.*extent, 8), all.*extent / together);
  const double spacing = config.spacing.by_axis[2];
  config.spacing.middle = Spacing().middle;  // the first node stays where it is
  for (std::size_t axis = 0; axis < 3; ++axis)
    config.spacing.by_axis[axis] *=
        static_cast<double>(by_axis(all)[axis]) / static_cast<double>(by_axis(shape)[axis]);
  if (config.coordinates != Coordinates::cartesian)  // the first cell begins where it did
    config.spacing.origin[2] += (config.spacing.by_axis[2] - spacing) / 2;
  return config;
}

bool reads_files(const RunConfig& config) {
  const auto is_file = [](const ParameterConfig& parameter) {
    return parameter.kind == ParameterConfig::Kind::image ||
           parameter.kind == ParameterConfig::Kind::hdf5;
  };
  const auto is_from_file = [&](const std::string& field) {
    return std::holds_alternative<FieldFile>(table_row(field_initial(config, field).kind).made);
  };
  return (config.mask && is_file(*config.mask)) ||
         std::ranges::any_of(config.parameters,
                             [&](const auto& named) { return is_file(named.second); }) ||
         std::ranges::any_of(config.fields, is_from_file);
}

// Finds the largest stable step of a given scheme. An estimate covers the first step, and states of
// any size.
std::function<StableStep(TimeScheme)> stable_steps(const RunConfig& run,
                                                   const FormulaSystem& system,
                                                   const LoadFields& load) {
  const auto of_first_step = [&run, load] {
    StateFields fields = load(run);
    fields.ahead.steps = 1;
    return fields;
  };
  return stable_step_finder(run, system, of_first_step, std::numeric_limits<std::int64_t>::max());
}

}  // namespace

double automatic_first_step(const RunConfig& config, const FormulaSystem& system,
                            const LoadFields& load) {
  const std::vector<double> times = exact_times(config);
  double step = times.empty() ? 1 : times.front();
  const bool is_small = config.shape.cells() <= most_cells_of_first_step;
  if (!is_small && reads_files(config)) {
    step *= part_of_interval;
  } else {
    try {
      const RunConfig looked_at = with_cells(config, most_cells_of_first_step);
      const StateFields fields = load(looked_at);
      step = first_step_by_rates(looked_at, is_small ? system : make_system(looked_at),
                                 fields.coefficients, fields.whole, step);
    } catch (const NumericalError&) {  // rates are not finite: the run reports the cell
    } catch (const ConfigError&) {     // of the coarser grid alone: no cell is inside the mask
      if (is_small) throw;
      step *= part_of_interval;
    }
  }
  step = std::max(step, std::numeric_limits<double>::denorm_min());
  return std::max(automatic_step({.largest = step, .estimated = true}).value(),
                  config.smallest_step);
}

FoundSteps find_step(RunConfig& run, const FormulaSystem& system, const LoadFields& load) {
  if (run.scheme.tolerance) {
    run.time_step = automatic_first_step(run, system, load);
    return {{}, true};
  }
  const StableStep stable = stable_steps(run, system, load)(run.scheme);
  run.time_step = automatic_step(stable);
  if (!run.time_step) return {stable, false};
  // An estimate is repeated during the run, so steps vary.
  run.scheme.varies = stable.estimated || !run.meets.empty() || run.largest_step;
  if (const auto times = exact_times(run); !run.scheme.varies && !times.empty())
    run.time_step = dividing_step(times, *run.time_step).value_or(*run.time_step);
  return {stable, true};
}

FoundSteps find_stages(RunConfig& run, const FormulaSystem& system, const LoadFields& load) {
  const auto stable_step = stable_steps(run, system, load);
  const std::optional<int> stages = automatic_stages(run, stable_step);
  if (stages) run.scheme.stages = *stages;
  return {stable_step({Scheme::rkl2, stages.value_or(most_stages)}), stages.has_value()};
}

}  // namespace lapl
