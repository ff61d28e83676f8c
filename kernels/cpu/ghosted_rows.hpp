// The rows and ghost values that the stencil of one row reads, for any faces.
//
//                up    ------------------
//        left |  centre -----------------  | right
//                down  ------------------
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/grid/face.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

template <class T>
struct GhostedRow {
  const T* up;
  const T* centre;
  const T* down;
  T left;
  T right;
};

/// Returns a GhostedRow for each row of a field.
template <class T>
class GhostedRows {
 public:
  GhostedRows(Shape shape, const Faces<T>& faces)
      : shape_(shape),
        faces_(faces),
        above_(row_beyond(faces_.rows.first)),
        below_(row_beyond(faces_.rows.last)) {}

  /// Threads may call it at the same time for different rows.
  GhostedRow<T> at(const T* field, std::int64_t row) {
    const T* const centre = field + row * shape_.columns;
    const T* const up = row > 0 ? centre - shape_.columns : row_of(field, -1);
    const T* const down =
        row + 1 < shape_.rows ? centre + shape_.columns : row_of(field, shape_.rows);
    return {up, centre, down, ghost(centre, -1), ghost(centre, shape_.columns)};
  }

 private:
  std::vector<T> row_beyond(const Face<T>& face) const {
    return std::vector<T>(shape_.columns, face.a);
  }

  const T* row_of(const T* field, std::int64_t row) {
    const AxisSource from = source_at(faces_.rows, row, shape_.rows);
    const T* inside = field + from.index * shape_.columns;
    const Face<T>& face = faces_.rows.at(row);
    if (!from.ghost || face.is_even()) return inside;
    std::vector<T>& made = row < 0 ? above_ : below_;
    if (!face.is_constant())
      std::transform(inside, inside + shape_.columns, made.begin(),
                     [&](T value) { return face.ghost(value); });
    return made.data();
  }

  T ghost(const T* centre, std::int64_t column) const {
    const AxisSource from = source_at(faces_.columns, column, shape_.columns);
    return from.ghost ? faces_.columns.at(column).ghost(centre[from.index]) : centre[from.index];
  }

  Shape shape_;
  Faces<T> faces_;
  std::vector<T> above_, below_;  // ghost rows computed by a law
};

}  // namespace lapl
