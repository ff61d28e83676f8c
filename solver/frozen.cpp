#include "solver/frozen.hpp"

#include <fmt/format.h>

#include "solver/run.hpp"

namespace lapl {

std::string frozen_warning(const RunConfig& config, std::span<const float> field) {
  if (config.equation.kind != EquationKind::diffusion || is_spectral(config)) return {};
  const Problem<float> problem = problem_of<float>(config, {});
  if (!is_compiled_ahead(problem)) return {};
  const double share =
      static_cast<double>(frozen_cells(problem, field)) / static_cast<double>(config.shape.cells());
  if (share < 0.01) return {};
  return fmt::format(
      "{:.0f}% of the cells stand still: float32 rounds away what a step adds to them "
      "(compute.precision float64 keeps it)",
      100 * share);
}

std::string frozen_warning(const RunConfig&, std::span<const double>) { return {}; }

}  // namespace lapl
