// The problem that one rank steps: that of the whole grid on its block. Where the block goes on in
// another rank's, any law will do: what it makes reaches one cell further in with every stage, and
// the halo is as deep as that.
#pragma once

#include <vector>

#include "kernels/part.hpp"
#include "kernels/problem.hpp"

namespace lapl {

template <class T>
Problem<T> local_problem(const Problem<T>& whole, const Part& part) {
  Problem<T> local = whole;
  local.shape = part.shape();
  local.part = part;
  local.linear_rates.reset();
  const auto open = [&](std::size_t axis, AxisFaces<T>& faces) {
    constexpr Face<T> any{0, 0};
    if (part.is_open(axis, false)) faces.first = any;
    if (part.is_open(axis, true)) faces.last = any;
  };
  for (Faces<T>& faces : local.faces) {
    open(0, faces.planes);
    open(1, faces.rows);
    open(2, faces.columns);
  }
  std::erase_if(local.laws, [&](const VaryingFace& law) {
    return part.is_open(static_cast<std::size_t>(law.axis), law.last);
  });
  for (std::vector<T>& coefficient : local.coefficients) {
    std::vector<T> here(part.shape().cells());
    for (std::int64_t index = 0; index < std::ssize(here); ++index) {
      const Cell cell = cell_at(part.shape(), index);
      here[index] = coefficient[index_of(
          part.whole, {part.index_in_grid(1, cell.row), part.index_in_grid(2, cell.column),
                       part.index_in_grid(0, cell.plane)})];
    }
    coefficient = std::move(here);
  }
  return local;
}

/// Cells beyond its own that a cell depends on through all of these stages.
inline std::int64_t reach_of(const std::vector<Stage>& stages) {
  std::int64_t reach = 0;
  for (const Stage& stage : stages) reach += properties_of(stage.tree).radius;
  return reach;
}

}  // namespace lapl
