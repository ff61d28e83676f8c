#include "solver/frozen.hpp"

#include <fmt/format.h>

#include <vector>

#include "kernels/cpu/ghosted_rows.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/rows.hpp"
#include "solver/run.hpp"

namespace lapl {

template <class T>
std::int64_t frozen_cells(const Problem<T>& problem, std::span<const T> field) {
  const auto& loops = widest<RowLoops<T>>();
  GhostedRows<T> rows(problem.shape, problem.faces);
  const std::int64_t columns = problem.shape.columns;
  std::vector<T> next(static_cast<std::size_t>(columns)), difference(next);
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < problem.shape.rows; ++row) {
    const GhostedRow<T> from = rows.at(field.data(), row);
    loops.step_row(from.up, from.centre, from.down, from.left, from.right, next.data(), columns,
                   {problem.coefficient});
    loops.laplacian_row(from.up, from.centre, from.down, from.left, from.right, difference.data(),
                        columns, T(1));
    for (std::size_t i = 0; i < next.size(); ++i)
      count += difference[i] != 0 && next[i] == from.centre[i];
  }
  return count;
}
template std::int64_t frozen_cells(const Problem<float>&, std::span<const float>);
template std::int64_t frozen_cells(const Problem<double>&, std::span<const double>);

std::string frozen_warning(const RunConfig& config, std::span<const float> field) {
  const double share = static_cast<double>(frozen_cells(problem_of<float>(config), field)) /
                       static_cast<double>(config.shape.cells());
  if (share < 0.01) return {};
  return fmt::format(
      "{:.0f}% of the cells stand still: float32 rounds away what a step adds to them "
      "(compute.precision float64 keeps it)",
      100 * share);
}

std::string frozen_warning(const RunConfig&, std::span<const double>) { return {}; }

}  // namespace lapl
