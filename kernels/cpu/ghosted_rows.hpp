// The rows and ghost values that one row's stencil reads, for any boundary.
//
//                up    ------------------
//        left |  centre -----------------  | right
//                down  ------------------
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/backend.hpp"

namespace lapl {

template <class T>
struct GhostedRow {
  const T* up;
  const T* centre;
  const T* down;
  T left;
  T right;
};

/// Hands out GhostedRow for a field of `problem`'s shape.
template <class T>
class GhostedRows {
 public:
  explicit GhostedRows(const Problem<T>& problem)
      : shape_(problem.shape),
        boundaries_(problem.boundaries),
        zeros_(static_cast<std::size_t>(problem.shape.columns)) {}

  GhostedRow<T> at(const T* field, std::int64_t row) const {
    const T* centre = field + row * shape_.columns;
    return {row_of(field, row - 1), centre, row_of(field, row + 1), ghost(centre, -1),
            ghost(centre, shape_.columns)};
  }

 private:
  const T* row_of(const T* field, std::int64_t row) const {
    row = source_index(boundaries_.rows, row, shape_.rows);
    return row == outside ? zeros_.data() : field + row * shape_.columns;
  }

  T ghost(const T* centre, std::int64_t column) const {
    column = source_index(boundaries_.columns, column, shape_.columns);
    return column == outside ? T(0) : centre[column];
  }

  Shape shape_;
  Boundaries boundaries_;
  std::vector<T> zeros_;
};

}  // namespace lapl
