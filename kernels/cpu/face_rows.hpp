// What a stage reads beyond the faces of the grid, imposed on rows.
#pragma once

#include <cstdint>

#include "kernels/cpu/compiled_stages.hpp"
#include "kernels/cpu/piece_cut.hpp"

namespace lapl {

/// For the rows of one piece.
template <class T>
struct FaceRows {
  const CompiledStages<T>& stages;
  bool across = false;  ///< the columns are periodic, and all in the piece

  /// A row by a law along it; `slow`: the index along the slower axis of the law's face.
  const T* impose(const LawsAlongFace<T>& law, std::int64_t slow, const Range& range,
                  const T* inside, T* ghosts) const {
    const bool wrap = stages.problem.faces.front().columns.wrap();
    for (std::int64_t column = range.first - 1; column <= range.last; ++column) {
      const std::int64_t place = wrap ? wrapped(column, stages.problem.shape.columns) : column;
      ghosts[column] = law.at(slow, place).ghost(inside[column]);
    }
    return ghosts;
  }

  /// What lies beyond the ends of a row: done when it is made, since a vector that holds a number
  /// just written is waited for, or where it depends on the time when it is read.
  void impose_ends(int array, const FaceLaws<T>& laws, const Cell& row, const Range& range,
                   T* values) const {
    const Shape shape = stages.problem.shape;
    if (across) {
      values[-1] = values[shape.columns - 1];
      values[shape.columns] = values[0];
    } else if (!stages.problem.faces.front().columns.wrap()) {
      const auto impose_end = [&](bool last, std::int64_t ghost, std::int64_t inside) {
        const LawsAlongFace<T>& law = laws.of(array, 2, last);
        const Face<T>& here = law.each.empty() ? law.everywhere
                                               : law.at(wrapped(row.plane, shape.planes),
                                                        wrapped(row.row, shape.rows));
        values[ghost] = here.ghost(values[inside]);
      };
      if (range.first == 0) impose_end(false, -1, 0);
      if (range.last == shape.columns) impose_end(true, shape.columns, shape.columns - 1);
    }
  }
};

}  // namespace lapl
