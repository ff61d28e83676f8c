#include "solver/frozen_warning.hpp"

#include <fmt/format.h>

#include "kernels/fields/frozen.hpp"
#include "solver/run.hpp"

namespace lapl {

std::string frozen_warning(const Model& model, const Captured<float>& captured) {
  const RunConfig& config = model.run;
  if (!is_diffusion(config) || is_spectral(config) || config.mask) return {};
  Problem<float> problem = problem_of<float>(model, unread_coefficients(config));
  if (!is_compiled_ahead(problem)) return {};
  // Each rank checks its rows as a separate grid, so its first and last row may be misjudged.
  problem.shape.rows = captured.rows.count;
  const auto here = problem.shape.rows == 0 ? 0 : frozen_cells(problem, captured.field(0));
  const double share = static_cast<double>(captured.ranks->reduce(Reduction::sum, here)) /
                       static_cast<double>(config.shape.cells());
  if (share < 0.01) return {};
  return fmt::format(
      "{:.0f}% of the cells stand still: float32 rounds away what a step adds to them "
      "(compute.precision float64 keeps it)",
      100 * share);
}

std::string frozen_warning(const Model&, const Captured<double>&) { return {}; }

}  // namespace lapl
