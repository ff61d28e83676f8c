// The problem that one rank steps: the problem of the whole grid, on its block. If the block
// borders on another rank's block, any condition will do there: its error moves one cell further in
// with every stage, and the halo is so deep that it does not reach own cells. These faces are
// insulated, which GPU engines step fastest.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "kernels/grid/part.hpp"
#include "kernels/problem.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// The faces of a block: insulated if they border on another rank's block.
template <class T>
Faces<T> open_faces(Faces<T> faces, const Part& part) {
  const auto open = [&](std::size_t axis, AxisFaces<T>& of_axis) {
    constexpr Face<T> insulated{0, 1};
    if (part.is_open(axis, false)) of_axis.first = insulated;
    if (part.is_open(axis, true)) of_axis.last = insulated;
  };
  open(0, faces.planes);
  open(1, faces.rows);
  open(2, faces.columns);
  return faces;
}

/// The values of a block, copied from `whole`, the values of the grid. Reads only those of the
/// block.
template <class T>
std::vector<T> values_of_block(std::span<const T> whole, const Part& part) {
  const Shape shape = part.shape();
  std::vector<T> block;
  block.reserve(shape.cells());
  for (std::int64_t row = 0; row < shape.planes * shape.rows; ++row) {
    const std::int64_t first = part.row_in_grid(row);
    if (part.before[2] + part.after[2] == 0) {
      const auto own = whole.subspan(first + part.first[2], static_cast<std::size_t>(part.own[2]));
      block.insert(block.end(), own.begin(), own.end());
      continue;
    }
    for (std::int64_t column = 0; column < shape.columns; ++column)
      block.push_back(whole[first + part.index_in_grid(2, column)]);
  }
  return block;
}

/// Distributes the first rank's values of a whole grid: returns the values of this rank's block.
/// All ranks must call it; the first rank serves them one after the other.
template <class T>
std::vector<T> values_of_first(Ranks& ranks, const std::vector<T>& whole, const Part& mine) {
  if (ranks.count() == 1) return values_of_block<T>(whole, mine);
  constexpr int tag = 6;
  const auto parts = gather(ranks, std::as_bytes(std::span(&mine, 1)));
  std::vector<T> values;
  const auto message = [&](int peer) {
    return Ranks::Message{peer, tag, std::as_writable_bytes(std::span(values))};
  };
  if (!ranks.is_first()) {
    values.resize(mine.shape().cells());
    const Ranks::Message received = message(0);
    ranks.exchange({}, {&received, 1});
    return values;
  }
  for (int rank = 1; rank < ranks.count(); ++rank) {
    Part part;
    std::ranges::copy(parts[rank], std::as_writable_bytes(std::span(&part, 1)).begin());
    values = values_of_block<T>(whole, part);
    const Ranks::Message sent = message(rank);
    ranks.exchange({&sent, 1}, {});
  }
  return values_of_block<T>(whole, mine);
}

/// The problem on a part; `coefficients` has the values of the part's block.
template <class T>
Problem<T> local_problem(const Problem<T>& whole, const Part& part,
                         std::vector<SharedValues<T>> coefficients) {
  Problem<T> local = whole;
  local.shape = part.shape();
  local.part = part;
  local.linear_rates.reset();
  for (Faces<T>& faces : local.faces) faces = open_faces(faces, part);
  local.coefficients = std::move(coefficients);
  return local;
}

/// The distance in cells from which all these stages together read values.
inline std::int64_t stages_reach(const std::vector<Stage>& stages) {
  std::int64_t reach = 0;
  for (const Stage& stage : stages) reach += stage_properties(stage.tree).radius;
  return reach;
}

}  // namespace lapl
