// The problem that one rank steps: that of the whole grid on its block. Where the block goes on in
// another rank's, any law will do: what it makes reaches one cell further in with every stage, and
// the halo is as deep as that.
#pragma once

#include <vector>

#include "kernels/part.hpp"
#include "kernels/problem.hpp"

namespace lapl {

/// The faces of a block: any law where it is open.
template <class T>
Faces<T> open_faces(Faces<T> faces, const Part& part) {
  const auto open = [&](std::size_t axis, AxisFaces<T>& of_axis) {
    constexpr Face<T> any{0, 0};
    if (part.is_open(axis, false)) of_axis.first = any;
    if (part.is_open(axis, true)) of_axis.last = any;
  };
  open(0, faces.planes);
  open(1, faces.rows);
  open(2, faces.columns);
  return faces;
}

/// The values of a block, of those of a whole grid.
template <class T>
std::vector<T> values_of_block(const std::vector<T>& whole, const Part& part) {
  std::vector<T> block(part.shape().cells());
  for (std::int64_t index = 0; index < std::ssize(block); ++index)
    block[index] = whole[part.index_in_grid(cell_at(part.shape(), index))];
  return block;
}

template <class T>
Problem<T> local_problem(const Problem<T>& whole, const Part& part) {
  Problem<T> local = whole;
  local.shape = part.shape();
  local.part = part;
  local.linear_rates.reset();
  for (Faces<T>& faces : local.faces) faces = open_faces(faces, part);
  std::erase_if(local.laws, [&](const VaryingFace& law) {
    return part.is_open(static_cast<std::size_t>(law.axis), law.last);
  });
  for (std::vector<T>& coefficient : local.coefficients)
    coefficient = values_of_block(coefficient, part);
  return local;
}

/// Cells beyond its own that a cell depends on through all of these stages.
inline std::int64_t reach_of(const std::vector<Stage>& stages) {
  std::int64_t reach = 0;
  for (const Stage& stage : stages) reach += properties_of(stage.tree).radius;
  return reach;
}

}  // namespace lapl
