#include "solver/stable_step.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/error.hpp"
#include "solver/equation/equation.hpp"
#include "solver/estimated_step.hpp"

namespace lapl {

StableStep stable_step_of(const RunConfig& config, const std::function<StateFields()>& load,
                          std::int64_t most_values) {
  if (const auto known = equation_of(config).largest_step(config)) return {.largest = known};
  const std::int64_t values = config.shape.cells() * std::ssize(config.fields);
  if (values > most_values)
    return {.why_unknown = fmt::format("not estimated for more than {} values", most_values)};
  const StateFields fields = load();
  try {
    return {.largest = estimated_largest_step(config, fields.coefficients, fields.loaded),
            .estimated = true};
  } catch (const NumericalError& error) {
    return {.why_unknown = error.what()};
  } catch (const DeviceError& error) {
    return {.why_unknown = error.what()};
  }
}

std::string text_of(const StableStep& step) {
  if (!step.largest) return fmt::format("not known ({})", step.why_unknown);
  const std::string estimated = step.estimated ? " (estimated at the initial state)" : "";
  if (*step.largest == 0) return "none: every step is unstable" + estimated;
  if (std::isinf(*step.largest)) return "any: no step is unstable" + estimated;
  return fmt::format("{:.{}g} s{}", *step.largest, step.estimated ? 4 : 7, estimated);
}

std::string step_warning(const RunConfig& config, const StableStep& step) {
  if (!step.estimated) {
    const auto problem = equation_of(config).step_problem(config);
    return problem ? "time.step: " + problem->what : "";
  }
  const double found = equation_of(config).time_step(config);
  if (found <= *step.largest) return {};
  return fmt::format(
      "time.step: found {}, which may be unstable (the largest stable step is estimated to be "
      "{:.4g} s at the initial state)",
      found, *step.largest);
}

std::optional<double> automatic_step(const StableStep& step) {
  if (!step.largest || *step.largest == 0 || std::isinf(*step.largest)) return std::nullopt;
  // Few digits, so that what machines round in their own ways on the way to it is lost.
  const int digits = step.estimated ? 4 : 7;
  const double exact = 0.9 * *step.largest;
  const double unit = std::pow(10, std::floor(std::log10(exact)) - (digits - 1));
  return std::stod(
      fmt::format("{:.{}e}", std::floor(exact / unit * (1 + 1e-9)) * unit, digits - 1));
}

}  // namespace lapl
