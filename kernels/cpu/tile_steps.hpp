// Several steps of one tile of the grid while it stays in the cache, for engine "blocked". Compiled
// once for each instruction set (tile_steps.cpp), like the loops of row_loops.hpp.
#pragma once

#include <cstdint>

#include "kernels/backend.hpp"

namespace lapl {

/// The cells [first_row, last_row) x [first_column, last_column), which are stepped `levels` times
/// in one pass.
struct Tile {
  static constexpr std::int64_t most_slab = 128, most_levels = 64;

  std::int64_t first_row = 0, last_row = 0;
  std::int64_t first_column = 0, last_column = 0;
  std::int64_t levels = 1;
  std::int64_t slab = 2;  ///< rows that go through all levels together, 2 to most_slab
};

/// The tile loops for one instruction set and precision.
template <class T>
struct TileLoops {
  std::int64_t lanes;  ///< values in a vector register

  /// Values of scratch memory that `advance` needs for this tile.
  std::int64_t (*scratch_size)(const Problem<T>& problem, const Tile& tile);

  /// Reads `from` at time level 0, on the tile and `tile.levels` cells around it, and writes the
  /// tile at time level `tile.levels` to `to`. `scratch` is aligned to 64 bytes and has no NaN.
  /// Returns true if subnormal numbers were met; without `expect_subnormal` only x86 notices them.
  /// `expect_subnormal` chooses a loop with the same bits that is faster for subnormal numbers and
  /// slower for normal ones.
  bool (*advance)(const Problem<T>& problem, const DiffusionStage<T>& stage, const Tile& tile,
                  const T* from, T* to, T* scratch, bool expect_subnormal);
};

}  // namespace lapl
