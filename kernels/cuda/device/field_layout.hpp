// How a field lies in device memory. Rows are padded so that each starts at a 16-byte boundary.
//
//   row 0   | columns values ............ | padding |
//   row 1   | ...                         |         |      index = row * pitch + column
//
// Padding holds no data: an engine may overwrite it and must not use its values.
#pragma once

#include <cstdint>

#include "kernels/grid/grid.hpp"

namespace lapl {

struct FieldLayout {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t pitch = 0;  ///< values from one row to the next
};

/// Columns of a row with its padding to 16 bytes.
constexpr std::int64_t whole_vectors(std::int64_t columns, std::size_t value_bytes) {
  const auto count = static_cast<std::int64_t>(16 / value_bytes);
  return (columns + count - 1) / count * count;
}

/// Aligns rows to 128 bytes, a cache line, if that costs less than a sixteenth of the memory; else
/// to 16 bytes, which one lane loads at a time.
template <class T>
constexpr FieldLayout field_layout(Shape shape) {
  const std::int64_t bytes = shape.columns < 2048 / std::int64_t{sizeof(T)} ? 16 : 128;
  const std::int64_t unit = bytes / std::int64_t{sizeof(T)};
  return {shape.rows, shape.columns, (shape.columns + unit - 1) / unit * unit};
}

}  // namespace lapl
