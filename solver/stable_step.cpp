#include "solver/stable_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/growth.hpp"
#include "solver/equation/stability.hpp"
#include "solver/estimated_step.hpp"

namespace lapl {
namespace {

// True if the rates or the boundary conditions read the time t.
bool rates_name_time(const FormulaSystem& system, const RunConfig& config) {
  return names_time(rates_problem(config, system, unread_coefficients(config)));
}

const StableStep any_is_stable = {.largest = std::numeric_limits<double>::infinity()};
const StableStep of_exponential = {.why_unknown = "the linear part of the rates does not limit it"};

using StepOfScheme = std::function<StableStep(TimeScheme)>;

StepOfScheme not_known(const std::string& why) {
  return [why](TimeScheme) { return StableStep{.why_unknown = why}; };
}

StepOfScheme estimated_steps_at(const RunConfig& config, const FormulaSystem& system,
                                const StateFields& fields, double time) {
  // In other coordinates coefficients differ too much from the first cell to the next for waves.
  auto of_waves = config.coordinates == Coordinates::cartesian
                      ? WaveStability::of_cells(system, config, fields.coefficients, time)
                      : std::nullopt;
  // A run whose step is unstable without the conditions is refused, so this limits the estimate
  // too.
  if (!of_waves && conditions_read(config)) of_waves = WaveStability::of(system, config);
  try {
    return [modes = modes_at(config, system, fields.coefficients, fields.whole, time),
            waves = std::move(of_waves), count = config.fields.size()](TimeScheme scheme) mutable {
      const double by_modes =
          largest_step_of_modes(equivalent_scheme(scheme, count), modes.fastest);
      const double by_cells = waves ? waves->largest_step(scheme) : any_step;
      const double by_flow = modes.flow > 0 ? 0.5 / modes.flow : any_step;
      return StableStep{.largest = std::min({by_modes, by_cells, by_flow}),
                        .estimated = true,
                        .growth = modes.growth};
    };
  } catch (const RatesNotFinite& error) {
    return [why = std::string(error.what()), index = error.index](TimeScheme) {
      return StableStep{.why_unknown = why, .not_finite = index};
    };
  } catch (const NumericalError& error) {
    return not_known(error.what());
  } catch (const DeviceError& error) {
    return not_known(error.what());
  }
}

// The largest step s that is stable by the rates at `ahead.time`, at four times up to `ahead.steps`
// * s later (or to the end), and at those of time.meet. If no step is known to be stable at one of
// these times, s is reduced, up to a thousandfold, so that the steps end before it: the state there
// may be another one.
StableStep stable_ahead(const Ahead& ahead, const RunConfig& config,
                        const std::function<StableStep(double time)>& at) {
  StableStep found = at(ahead.time);
  if (!found.largest || *found.largest == 0) return found;
  const double longest = config.end ? std::max(*config.end - ahead.time, 0.0) : any_step;
  const bool any_now = std::isinf(*found.largest);
  if (any_now && (longest == 0 || std::isinf(longest))) return found;
  if (any_now) found.largest = longest;
  const double shortest = *found.largest / 1000;
  for (int tried = 0; tried < 60; ++tried) {
    const double step = *found.largest;
    const double length = std::min(static_cast<double>(ahead.steps) * step, longest);
    double least = step;
    std::string why;
    std::vector<double> times;
    for (const double part : {0.25, 0.5, 0.75, 1.0}) times.push_back(ahead.time + part * length);
    for (const double meet : config.meets)
      if (meet > ahead.time && meet <= ahead.time + length) times.push_back(meet);
    for (const double time : times) {
      const StableStep later = at(time);
      least = std::min(least, later.largest.value_or(0));
      if (later.largest.value_or(0) == 0)
        why = fmt::format("at time {:.6g}: {}", time,
                          later.largest ? "every step is unstable" : later.why_unknown);
    }
    if (!why.empty() && step < shortest) return {.why_unknown = why};
    found.largest = std::max(least, step / 2);
    if (least < step / 2) continue;
    if (any_now && least == longest) found.largest = any_step;
    return found;
  }
  return {.why_unknown = "it changes too fast with time"};
}

StepOfScheme estimated_steps(const RunConfig& config, const FormulaSystem& whole,
                             const std::function<StateFields()>& load, std::int64_t most_values) {
  const std::int64_t values = config.shape.cells() * std::ssize(config.fields);
  if (values > most_values)
    return not_known(fmt::format("not estimated for more than {} values", most_values));
  const FormulaSystem system = explicit_part(whole, config.scheme.kind);
  try {
    require_memory_of_modes(config, system);
  } catch (const DeviceError& error) {
    return not_known(error.what());
  }
  auto fields = std::make_shared<const StateFields>(load());
  const Ahead ahead = fields->ahead;
  if (ahead.steps == 0 || !rates_name_time(system, config))
    return estimated_steps_at(config, system, *fields, ahead.time);
  std::map<double, StepOfScheme> at_times;
  return [config, system, fields, ahead, at_times](TimeScheme scheme) mutable {
    return stable_ahead(ahead, config, [&](double time) {
      const auto [known, is_new] = at_times.try_emplace(time);
      if (is_new) known->second = estimated_steps_at(config, system, *fields, time);
      return known->second(scheme);
    });
  };
}

}  // namespace

std::function<StableStep(TimeScheme)> stable_step_finder(const RunConfig& config,
                                                         const FormulaSystem& system,
                                                         const std::function<StateFields()>& load,
                                                         std::int64_t most_values) {
  // One estimate for imex (true) and one for all other schemes, which treat all terms explicitly.
  std::map<bool, std::function<StableStep(TimeScheme)>> estimates;
  return [run = config, system, load, most_values, estimates](TimeScheme scheme) mutable {
    if (table_row(scheme.kind).is_implicit()) return any_is_stable;
    if (!table_row(scheme.kind).has_stable_limit()) return of_exponential;
    run.scheme = scheme;
    if (const auto known = stable_limit(run, system)) return StableStep{.largest = known};
    const auto [estimate, is_new] = estimates.try_emplace(scheme.kind == Scheme::imex);
    if (is_new) estimate->second = estimated_steps(run, system, load, most_values);
    return estimate->second(scheme);
  };
}

StableStep find_stable_step(const RunConfig& config, const FormulaSystem& system,
                            const std::function<StateFields()>& load, std::int64_t most_values) {
  return stable_step_finder(config, system, load, most_values)(config.scheme);
}

template <class T>
StableStep stable_step_at(RunConfig config, const FormulaSystem& system,
                          const CoefficientFields& coefficients, std::span<const T> state,
                          const Ahead& ahead, std::int64_t most_values) {
  StateFields fields{coefficients, {}, ahead};
  auto next = state.begin();
  for (const std::string& field : config.fields) {
    config.initials[field].kind = InitialKind::hdf5;  // a kind that reads `fields`
    const auto first = std::exchange(next, next + config.shape.cells());
    fields.whole[field].assign(first, next);
  }
  return find_stable_step(
      config, system, [&] { return fields; }, most_values);
}
LAPL_FOR_FLOATS(stable_step_at);

std::optional<int> automatic_stages(const RunConfig& config,
                                    const std::function<StableStep(TimeScheme)>& stable) {
  const double step = step_seconds(config);
  const auto are_enough = [&](int stages) {
    const StableStep found = stable({Scheme::rkl2, stages});
    return found.largest && step <= *found.largest * (found.estimated ? 0.9 : 1);
  };
  // Bisection works because more stages are always stable for longer steps.
  int low = least_stages - 1, high = most_stages;
  if (!are_enough(high)) return std::nullopt;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (are_enough(middle) ? high : low) = middle;
  }
  return high;
}

std::string stable_step_text(const RunConfig& config, const StableStep& step,
                             const std::string& at) {
  if (!step.largest) return fmt::format("not known ({})", step.why_unknown);
  const std::string estimated = step.estimated ? fmt::format(" (estimated {})", at) : "";
  if (*step.largest == 0) return "none: every step is unstable" + estimated;
  if (std::isinf(*step.largest)) return "any: no step is unstable" + estimated;
  const int digits = step.estimated ? 4 : 7;
  return with_unit(fmt::format("{:.{}g}", *step.largest, digits), config.units.time) + estimated;
}

std::string step_warning(const RunConfig& config, const FormulaSystem& system,
                         const StableStep& step, const std::string& at) {
  if (config.scheme.tolerance) return {};
  if (!step.estimated) {
    const auto problem = find_step_problem(config, system);
    return problem ? problem->key + ": " + problem->what : "";
  }
  const double found = step_seconds(config);
  if (found <= *step.largest) return {};
  if (*step.largest == 0)
    return fmt::format(
        "time.step: found {}, which may be unstable, as any step of scheme {} is by an estimate "
        "{} (another time.scheme may have stable ones)",
        found, enum_name(config.scheme.kind), at);
  return fmt::format(
      "time.step: found {}, which may be unstable (the largest stable step is estimated to be "
      "{} {})",
      found, with_unit(fmt::format("{:.4g}", *step.largest), config.units.time), at);
}

std::string why_no_step(const RunConfig& config, const StableStep& step) {
  if (!step.not_finite) return {};
  const Shape shape = config.shape;
  const Cell cell = cell_at(shape, *step.not_finite % shape.cells());
  std::string at_0;
  for (int axis = 3 - shape.axes; axis < 3; ++axis)
    if (config.spacing.position(axis, static_cast<double>(by_axis(cell)[axis])) == 0)
      at_0 += fmt::format("; {} is 0 there, and grid.origin can move the nodes",
                          std::array{"z", "y", "x"}[axis]);
  return fmt::format(
      "equation: the rate of {} at {} is not finite at the initial state (expected finite "
      "rates{})",
      config.fields[*step.not_finite / shape.cells()], place_text(cell, shape.axes), at_0);
}

std::string accuracy_note(const RunConfig& config, const FormulaSystem& system,
                          const StableStep& step) {
  if (!step.estimated && !rates_name_time(system, config)) return {};
  return fmt::format("; a stable step may still be inaccurate: compare with half of it{}",
                     has_noise(system) ? "" : ", or take time.tolerance");
}

std::optional<double> automatic_step(const StableStep& step) {
  if (!step.largest || *step.largest == 0 || std::isinf(*step.largest)) return std::nullopt;
  // Few digits, so that differences in rounding between machines vanish.
  const int digits = step.estimated ? 4 : 7;
  const double exact = 0.9 * *step.largest;
  const double last_digit = std::pow(10, std::floor(std::log10(exact)) - (digits - 1));
  if (last_digit == 0) return exact;
  return std::stod(
      fmt::format("{:.{}e}", std::floor(exact / last_digit * (1 + 1e-9)) * last_digit, digits - 1));
}

}  // namespace lapl
