// The engines behind make_cpu_filter.
#pragma once

#include <algorithm>
#include <memory>

#include "kernels/cpu/filter.hpp"
#include "kernels/cpu/filter_loops.hpp"

namespace lapl {

/// `loops` must outlive the filter.
template <class T>
std::unique_ptr<CpuFilter<T>> make_direct_filter(const Correlation<T>& correlation,
                                                 const FilterLoops<T>& loops, int threads);

/// `correlation.weights` is not read: `weights` stands for them.
template <class T>
std::unique_ptr<CpuFilter<T>> make_separable_filter(const Correlation<T>& correlation,
                                                    const SeparableWeights<T>& weights,
                                                    const FilterLoops<T>& loops, int threads);

template <class T>
std::unique_ptr<CpuFilter<T>> make_fft_filter(const Correlation<T>& correlation, int threads);

/// How the output is cut into pieces that threads take one by one.
struct FilterPieces {
  Shape output;
  Shape piece;  ///< the last ones may be smaller

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

}  // namespace lapl
