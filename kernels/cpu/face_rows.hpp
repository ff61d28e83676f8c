#pragma once

#include <cstdint>

#include "kernels/cpu/compiled_stages.hpp"
#include "kernels/cpu/piece_cut.hpp"

namespace lapl {

/// Sets the ghost values beside the rows of one piece by the conditions of the grid's faces.
template <class T>
struct FaceRows {
  const CompiledStages<T>& stages;
  bool across = false;  ///< true if the columns are periodic and the piece has all of them

  /// Computes a row of `ghosts` from the row `inside` next to it, in the columns of `range` and one
  /// more on either side; `slow` is the index along the slower axis of the face.
  const T* impose(const ConditionsAlongFace<T>& condition, std::int64_t slow, const Range& range,
                  const T* inside, T* ghosts) const {
    const bool wrap = stages.problem.faces.front().columns.wrap();
    for (std::int64_t column = range.first - 1; column <= range.last; ++column) {
      const std::int64_t place = wrap ? wrapped(column, stages.problem.shape.columns) : column;
      ghosts[column] = condition.at(slow, place).ghost(inside[column]);
    }
    return ghosts;
  }

  /// Sets the ghosts at the ends of a row. It is called as soon as the row is computed, because a
  /// vector load soon after the store of one of its values would stall. Ghosts that depend on time
  /// are set when the row is read.
  void impose_ends(int array, const FaceConditions<T>& conditions, const Cell& row,
                   const Range& range, T* values) const {
    const Shape shape = stages.problem.shape;
    if (across) {
      values[-1] = values[shape.columns - 1];
      values[shape.columns] = values[0];
    } else if (!stages.problem.faces.front().columns.wrap()) {
      const auto impose_end = [&](bool last, std::int64_t ghost, std::int64_t inside) {
        const ConditionsAlongFace<T>& condition = conditions.of(array, 2, last);
        const Face<T>& here =
            condition.each.empty()
                ? condition.everywhere
                : condition.at(wrapped(row.plane, shape.planes), wrapped(row.row, shape.rows));
        values[ghost] = here.ghost(values[inside]);
      };
      if (range.first == 0) impose_end(false, -1, 0);
      if (range.last == shape.columns) impose_end(true, shape.columns, shape.columns - 1);
    }
  }
};

}  // namespace lapl
