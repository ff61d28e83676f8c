// The inner loops of the CPU filters, compiled once for each instruction set (filter_loops.cpp).
#pragma once

#include <cstdint>

namespace lapl {

/// The terms of a window for R output rows, which read window rows + R - 1 input rows. Output row r
/// multiplies input row p by window row p - r:
///
///   input row   0  1  2  3  4  5
///   output 0    w0 w1 w2            window of 3 rows, R = 4: a vector of input row 2 is loaded
///          1       w0 w1 w2         once and used for outputs 0, 1 and 2
///          2          w0 w1 w2
///          3             w0 w1 w2
template <class T>
struct FilterTerms {
  /// Window row a, column b: weights[b * (window rows + 2 * (R - 1)) + a + R - 1].
  const T* weights;
  /// Bit r of outputs[p * columns + b] is set if output row r multiplies input row p by a nonzero
  /// weight in window column b.
  const std::uint8_t* outputs;
  std::int64_t window_rows, columns;
  T start;  ///< first sum: -0, which preserves the first product's bits, or 0 if there are no terms
  /// Distance in values from a block's rows to the rows that the next block reads and writes, for
  /// prefetching; 0 if there is no next block.
  std::int64_t next_in, next_out;
};

/// The filter loops compiled for one instruction set and precision.
template <class T>
struct FilterLoops {
  const char* instruction_set;
  std::int64_t lanes;  ///< values in a vector register
  std::int64_t rows;   ///< R of run_rows

  /// Computes R rows (run_row: one row) of `width` neighbouring outputs, at least `lanes`:
  /// out[r][j] = sum of window[a][b] * in[r + a][j + b].
  void (*run_rows)(const FilterTerms<T>& terms, const T* const* in, T* const* out,
                   std::int64_t width);
  void (*run_row)(const FilterTerms<T>& terms, const T* const* in, T* const* out,
                  std::int64_t width);
};

}  // namespace lapl
