// The filters behind make_cpu_filter, and the division of an output into pieces.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "kernels/filters/cpu/cpu_filter.hpp"
#include "kernels/filters/cpu/filter_loops.hpp"

namespace lapl {

/// `loops` must outlive the filter.
template <class T>
std::unique_ptr<CpuFilter<T>> make_direct_filter(const Correlation<T>& correlation,
                                                 const FilterLoops<T>& loops, int threads);

/// Uses `weights`; correlation.weights is not read. `loops` must outlive the filter.
template <class T>
std::unique_ptr<CpuFilter<T>> make_separable_filter(const Correlation<T>& correlation,
                                                    const SeparableWeights<T>& weights,
                                                    const FilterLoops<T>& loops, int threads);

template <class T>
std::unique_ptr<CpuFilter<T>> make_fft_filter(const Correlation<T>& correlation, int threads);

/// A convolution on three axes of an input that is larger than `output` by the reach of the window
/// at each side, by one transform of it all. The bits do not depend on `threads`.
std::unique_ptr<CpuFilter<double>> make_volume_filter(const ConvolutionWindow& window, Shape output,
                                                      int threads);
/// Bytes of the arrays of such a filter.
double volume_filter_memory(Shape input);

/// A division of the output into pieces, which threads take one by one.
struct FilterPieces {
  Shape output;
  Shape piece;  ///< shape of a piece; the last pieces may be smaller

  std::int64_t across() const { return (output.columns + piece.columns - 1) / piece.columns; }
  std::int64_t count() const { return (output.rows + piece.rows - 1) / piece.rows * across(); }

  struct Piece {
    std::int64_t first_row, last_row, first_column, last_column;
  };
  Piece operator[](std::int64_t index) const {
    const std::int64_t row = index / across() * piece.rows;
    const std::int64_t column = index % across() * piece.columns;
    return {row, std::min(row + piece.rows, output.rows), column,
            std::min(column + piece.columns, output.columns)};
  }
};

/// Cuts the output into about `pieces` pieces of at least least_rows x least_columns values, in
/// multiples of loops.rows rows. If least_columns allows it, the input rows that a piece reads for
/// loops.rows output rows have at most 512 KiB, so that they stay in the level-two cache.
template <class T>
FilterPieces cut_output(const Correlation<T>& correlation, const FilterLoops<T>& loops,
                        std::int64_t pieces, std::int64_t least_rows, std::int64_t least_columns) {
  constexpr std::int64_t values = 512 * 1024 / sizeof(T);
  const Shape output = correlation.output;
  const std::int64_t columns = std::clamp<std::int64_t>(
      values / (correlation.window.rows + loops.rows), least_columns, 16384);
  const std::int64_t across = (output.columns + columns - 1) / columns;
  const std::int64_t down = (pieces + across - 1) / across;
  const std::int64_t rows = std::max((output.rows + down - 1) / down, least_rows);
  return {output,
          {(rows + loops.rows - 1) / loops.rows * loops.rows, std::min(columns, output.columns)}};
}

/// The sizes with fast transforms from `least` on, up to the first that is at least `most`.
std::vector<std::int64_t> fast_sizes(std::int64_t least, std::int64_t most);

/// The number of threads that get at least one piece.
inline int useful_threads(const FilterPieces& pieces, int threads) {
  return static_cast<int>(std::min<std::int64_t>(threads, pieces.count()));
}

/// Calls use(piece, work) for every piece, on as many of `threads` threads as `work` has elements;
/// each thread has its own element. The other threads wait idle: OpenMP would end threads that a
/// smaller team leaves out, and fails if it cannot start new ones for the next team.
template <class Work, class Use>
void for_each_piece(const FilterPieces& pieces, int threads, std::vector<Work>& work, Use use) {
  std::atomic<std::int64_t> next = 0;
#pragma omp parallel num_threads(threads)
  if (const auto thread = static_cast<std::size_t>(omp_get_thread_num()); thread < work.size())
    for (std::int64_t i; (i = next++) < pieces.count();) use(pieces[i], work[thread]);
}

}  // namespace lapl
