#include <algorithm>

#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/packed_values.hpp"

namespace lapl {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;
constexpr std::int64_t target_chunk = 8 * mebibyte, packed_chunk = mebibyte;
constexpr std::int64_t largest_chunk = 32 * mebibyte;

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

}  // namespace

Shape chunk_shape(Shape grid, std::size_t value_size, bool packed) {
  const auto size = static_cast<std::int64_t>(value_size);
  Shape chunk = grid;
  if (grid.columns * size > largest_chunk) {
    chunk.planes = chunk.rows = 1;
    chunk.columns = largest_chunk / size;
    return chunk;
  }
  const std::int64_t most_rows =
      std::max<std::int64_t>(1, (packed ? packed_chunk : target_chunk) / (grid.columns * size));
  if (const std::int64_t most_planes = most_rows / grid.rows; most_planes > 0) {
    chunk.planes = divide_up(grid.planes, divide_up(grid.planes, most_planes));
  } else {
    chunk.planes = 1;
    chunk.rows = divide_up(grid.rows, divide_up(grid.rows, most_rows));
  }
  return chunk;
}

std::uint64_t stored_size(Shape grid, std::size_t value_size, bool packed) {
  const Shape chunk = chunk_shape(grid, value_size, packed);
  const std::int64_t chunks = divide_up(grid.planes, chunk.planes) *
                              divide_up(grid.rows, chunk.rows) *
                              divide_up(grid.columns, chunk.columns);
  const std::uint64_t bytes = static_cast<std::uint64_t>(chunk.cells()) * value_size;
  return static_cast<std::uint64_t>(chunks) * (packed ? most_packed(bytes) : bytes);
}

}  // namespace lapl
