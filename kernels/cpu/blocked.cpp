// Engine "blocked" for diffusion on two axes: a tile of the grid is stepped many times in the
// cache.
//
//             piece 0        piece 1
//             columns                       A tile is a piece of a band of rows. In a pass, one
//          +--------------+--------------+  thread steps it up to 64 times (time levels) while it
//   band 0 |   thread 0   |   thread 0   |  is in the cache (tile_steps.cpp). The halo of a tile
//          +- - - - - - - +- - - - - - - +  is as deep, in cells, as a pass has levels, so tiles
//   band 1 |   thread 1   |   thread 1   |  wait for each other only between two passes.
//          +--------------+--------------+
//
//   registers, AVX-512   4 rows of one vector: left, centre, right, and the rows above and below
//   level-one cache      slab (rows stepped at once) + 2 rows: <= 24 KiB, or 6 rows of <= 8 KiB
//   level-two cache      slab + 2 * levels rows, at most 512 KiB per thread
//   memory traffic       (1 read + 1 write) / levels per cell and step
//   barriers             1 / levels per step
//
// A vector of cells costs five arithmetic instructions, which saturate the two vector units, and
// 1.5 loads and a store, all aligned and in the level-one cache. The overhead of a pass is the
// halo, which neighbouring tiles compute too, and two transpositions: to the layout of lanes.hpp
// and back.
#include <omp.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/tile_steps.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/machine/host_buffer.hpp"

namespace lapl {

namespace {

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// A division of the grid into tiles, the number of time levels per pass, and the rows of a slab.
struct Cut {
  std::int64_t bands = 1, pieces = 1, levels = 1, slab = 4;
  int threads = 1;

  std::int64_t tiles() const { return bands * pieces; }
};

/// Estimates clock cycles per step with this cut and sets its slab; infinity if the tiles do not
/// fit the caches. The figures were measured on one AVX-512 processor and need only be about right.
double cycles_a_step(Shape shape, Cut& cut, std::int64_t lanes, std::int64_t vector_bytes) {
  constexpr double per_vector = 2.7, per_vector_in_and_out = 20, per_row = 12, per_slab = 60;
  // cycles; more than measured, because waiting takes longer if another program uses a core
  constexpr double barrier = 8000;
  const std::int64_t rows = quotient_up(shape.rows, cut.bands);
  const std::int64_t columns = quotient_up(shape.columns, cut.pieces);
  const std::int64_t ends_of_band = std::min<std::int64_t>(cut.bands - 1, 2);
  const std::int64_t ends_of_piece = std::min<std::int64_t>(cut.pieces - 1, 2);
  const std::int64_t vectors =
      quotient_up(columns + ends_of_piece * cut.levels + 2 - ends_of_piece, lanes);
  const std::int64_t row_bytes = vectors * vector_bytes;
  cut.slab = std::clamp<std::int64_t>((24 * 1024 / row_bytes - 2) / 4 * 4, 4, Tile::most_slab);
  cut.slab = std::min(cut.slab, quotient_up(rows + 2 * cut.levels, 4) * 4);
  if (row_bytes > 8 * 1024 || (cut.slab + 2 * cut.levels) * row_bytes > 512 * 1024)
    return std::numeric_limits<double>::infinity();

  const double levels = static_cast<double>(cut.levels), length = static_cast<double>(vectors);
  const double loaded = static_cast<double>(rows + ends_of_band * cut.levels);
  const double stepped =
      static_cast<double>(rows) + 0.5 * static_cast<double>(ends_of_band) * levels;
  const double slabs = static_cast<double>(quotient_up(rows + 2 * cut.levels, cut.slab));
  const double tile = levels * (stepped * (length * per_vector + per_row) + slabs * per_slab) +
                      loaded * length * per_vector_in_and_out;
  const double turns = static_cast<double>(quotient_up(cut.tiles(), cut.threads));
  return (turns * tile + (cut.threads > 1 ? barrier : 0)) / levels;
}

/// The cut with the fewest cycles per step. One exists: tiles of 8 levels and 6 KiB per row fit the
/// caches.
Cut best_cut(Shape shape, int threads, std::int64_t lanes, std::int64_t vector_bytes) {
  const std::int64_t fewest_pieces = quotient_up(shape.columns, 6 * 1024 / vector_bytes * lanes);
  Cut best;
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t levels : {8, 16, 24, 32, 48, 64})
    for (std::int64_t bands = std::min<std::int64_t>(threads, shape.rows); bands >= 1; --bands)
      for (std::int64_t times = 1; times <= threads; ++times) {
        Cut cut{.bands = bands, .pieces = std::min(fewest_pieces * times, shape.columns)};
        cut.levels = levels;
        cut.threads = static_cast<int>(std::min<std::int64_t>(threads, cut.tiles()));
        const double cycles = cycles_a_step(shape, cut, lanes, vector_bytes);
        if (cycles < least) least = cycles, best = cut;
      }
  return best;
}

template <class T>
class BlockedEngine final : public Engine<T> {
 public:
  BlockedEngine(const Problem<T>& problem, int threads)
      : problem_(problem),
        stage_(plane_diffusion_stage(problem)),
        loops_(widest<TileLoops<T>>()),
        cut_(best_cut(problem.shape, threads, loops_.lanes,
                      loops_.lanes * static_cast<std::int64_t>(sizeof(T)))) {
    for (std::int64_t i = 0; i < cut_.tiles(); ++i)
      scratch_size_ = std::max(scratch_size_, loops_.scratch_size(problem_, tile(i, cut_.levels)));
    scratch_ = HostBuffer<T>(scratch_size_ * cut_.threads, cut_.threads);
    subnormal_expected_.resize(cut_.tiles());
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps) override {
    const std::int64_t passes = quotient_up(steps, cut_.levels);
#pragma omp parallel num_threads(cut_.threads)
    {
      DoubleBuffer<T> mine = buffers;
      T* const scratch = scratch_.data() + omp_get_thread_num() * scratch_size_;
      for (std::int64_t pass = 0; pass < passes; ++pass) {
        // The numbers of levels of two passes differ by at most one.
        const std::int64_t levels = steps / passes + (pass < steps % passes ? 1 : 0);
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < cut_.tiles(); ++i)
          advance_tile(i, levels, mine.current, mine.next, scratch);
        mine.swap();
      }
    }
    if (passes % 2 != 0) buffers.swap();
  }

  int threads() const override { return cut_.threads; }

 private:
  // After subnormal numbers, a tile uses the loop for them in its next 16 passes too. Intermediate
  // results may be subnormal even if no cell is, and only the loop for normal numbers notices them.
  void advance_tile(std::int64_t index, std::int64_t levels, const T* from, T* to, T* scratch) {
    constexpr signed char passes = 16;
    signed char& expected = subnormal_expected_[index];
    if (loops_.advance(problem_, stage_, tile(index, levels), from, to, scratch, expected > 0))
      expected = passes;
    else if (expected > 0)
      --expected;
  }

  Tile tile(std::int64_t index, std::int64_t levels) const {
    const std::int64_t rows = problem_.shape.rows, columns = problem_.shape.columns;
    const std::int64_t band = index / cut_.pieces, piece = index % cut_.pieces;
    return {.first_row = rows * band / cut_.bands,
            .last_row = rows * (band + 1) / cut_.bands,
            .first_column = columns * piece / cut_.pieces,
            .last_column = columns * (piece + 1) / cut_.pieces,
            .levels = levels,
            .slab = cut_.slab};
  }

  Problem<T> problem_;
  DiffusionStage<T> stage_;
  const TileLoops<T>& loops_;
  Cut cut_;
  std::int64_t scratch_size_ = 0;  // in values per thread
  HostBuffer<T> scratch_;
  // for each tile: the number of coming passes that use the loop for subnormal numbers
  std::vector<signed char> subnormal_expected_;
};

}  // namespace

template <class T>
std::unique_ptr<Engine<T>> make_blocked_engine(const Problem<T>& problem, int threads) {
  return std::make_unique<BlockedEngine<T>>(problem, threads);
}
LAPL_FOR_FLOATS(make_blocked_engine);

}  // namespace lapl
