// Calls the tile loops of the blocked engine without the engine.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/cpu/tile_steps.hpp"
#include "kernels/machine/host_buffer.hpp"

namespace lapl::test {

/// Takes one pass over a grid cut into bands and pieces; scratch memory is poisoned.
template <class T>
std::vector<T> one_pass(const TileLoops<T>& loops, const Problem<T>& problem,
                        const std::vector<T>& from, std::int64_t bands, std::int64_t pieces,
                        std::int64_t levels, std::int64_t slab, bool expect_subnormal = false) {
  std::vector<T> to(from.size(), std::numeric_limits<T>::quiet_NaN());
  for (std::int64_t band = 0; band < bands; ++band)
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const std::int64_t rows = problem.shape.rows, columns = problem.shape.columns;
      const Tile tile{rows * band / bands,
                      rows * (band + 1) / bands,
                      columns * piece / pieces,
                      columns * (piece + 1) / pieces,
                      levels,
                      slab};
      HostBuffer<T> scratch(loops.scratch_size(problem, tile), 1);
      std::fill_n(scratch.data(), scratch.size(), std::numeric_limits<T>::quiet_NaN());
      loops.advance(problem, plane_diffusion_stage(problem), tile, from.data(), to.data(),
                    scratch.data(), expect_subnormal);
    }
  return to;
}

}  // namespace lapl::test
