#include "solver/condition_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/make_problem.hpp"
#include "solver/stable_step.hpp"

namespace lapl {
namespace {

// Where the condition of a cell holds.
std::string side_names(Cell cell, const RunConfig& config) {
  std::string sides;
  for (int axis = 3 - config.shape.axes; axis < 3; ++axis)
    for (const bool last : {false, true})
      if (by_axis(cell)[axis] == (last ? by_axis(config.shape)[axis] - 1 : 0))
        sides += (sides.empty() ? "boundary." : ", boundary.") + side_name(axis, last);
  return sides.empty() ? "boundary.mask" : sides;
}

}  // namespace

ConditionWatch::ConditionWatch(const RunConfig& config, const FormulaSystem& system,
                               const CoefficientFields& coefficients)
    : config_(config) {
  if (!conditions_read(config) || is_exponential(config) ||
      config.shape.cells() * std::ssize(config.fields) > most_estimated_values)
    return;
  FormulaSystem marking = system;
  marking.marks_unsolved = true;
  const CoefficientFields unread = unread_coefficients(config);
  if (std::ranges::equal(rates_problem(config, system, unread).stages,
                         rates_problem(config, marking, unread).stages, {}, &Stage::tree,
                         &Stage::tree))
    return;
  rates_ = rates_problem(config, system, coefficients);
  marked_ = rates_problem(config, marking, coefficients);
}

std::string ConditionWatch::check(std::span<const double> state, double time) {
  if (!is_needed()) return {};
  const auto evaluated = [&](const Problem<double>& problem) {
    const int fields = static_cast<int>(config_.fields.size());
    return Evaluation<double>(problem, fields, config_.threads)(state, time);
  };
  const std::vector<double> marked = evaluated(*marked_);
  if (std::ranges::none_of(marked, [](double rate) { return std::isnan(rate); })) return {};
  const std::vector<double> rates = evaluated(*rates_);
  const std::int64_t cells = config_.shape.cells();
  for (std::int64_t i = 0; i < std::ssize(rates); ++i) {
    if (!std::isnan(marked[i]) || std::isnan(rates[i])) continue;
    const Cell cell = cell_at(config_.shape, i % cells);
    return fmt::format(
        "{}: no value of {} that meets the condition was found beside {}, where it is {:.6g}, so "
        "that the rate there is wrong (the condition is too far from linear within a cell: a "
        "smaller grid.spacing helps)",
        side_names(cell, config_), config_.fields[i / cells], place_text(cell, config_.shape.axes),
        state[i]);
  }
  return {};
}

std::string condition_warning(const RunConfig& config, const FormulaSystem& system,
                              const CoefficientFields& coefficients, const WholeFields& whole) {
  ConditionWatch watch(config, system, coefficients);
  if (!watch.is_needed()) return {};
  return watch.check(
      initial_state<double>(config, coefficients, whole, only_rank(), RowRange::all(config.shape)),
      0);
}

}  // namespace lapl
