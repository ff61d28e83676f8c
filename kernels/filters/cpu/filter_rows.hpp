// Filters a few rows together, including columns whose windows reach beyond the ends of a row.
//
//   output columns   | edge |           inside           | edge |
//   read from        | copy |     the input itself       | copy |
//
// "inside": the columns whose window lies within the row. For the columns at the ends, values of
// the row and of the edge are copied together, a strip at a time, so that loops have no branch for
// the edge.
#pragma once

#include <vector>

#include "kernels/filters/cpu/filter_loops.hpp"
#include "kernels/filters/filter.hpp"
#include "kernels/machine/host_buffer.hpp"

namespace lapl {

template <class T>
class RowFilter {
 public:
  /// correlation.output.columns is the distance between output rows; before_rows is not used.
  RowFilter(const Correlation<T>& correlation, const FilterLoops<T>& loops);

  struct Scratch {
    HostBuffer<T> in, out;  // strips: of input as far as the windows reach, and of output
    std::vector<const T*> in_rows, in_shifted;
    std::vector<T*> out_rows, out_shifted;
    std::vector<std::int64_t> sources;  // source column of each column of the strip
  };
  Scratch scratch() const;

  /// The largest number of rows that `apply` takes; 1 for a window of one row, since its output
  /// rows share no input.
  std::int64_t rows_at_once() const { return correlation_.window.rows == 1 ? 1 : loops_.rows; }

  /// Computes `rows` output rows, rows_at_once() or 1, at columns [first, last). in[0 ... rows +
  /// window.rows - 2] are whole input rows; column `first` of row r goes to out[r][0].
  void apply(const T* const* in, std::int64_t rows, T* const* out, std::int64_t first,
             std::int64_t last, Scratch& scratch) const;

 private:
  struct Terms {
    std::vector<T> weights;
    std::vector<std::uint8_t> outputs;
    T start = 0;
  };
  static constexpr std::int64_t strip_columns = 256;

  Terms terms_for(std::int64_t rows) const;
  void run(const T* const* in, std::int64_t rows, T* const* out, std::int64_t width,
           bool fetch_next) const;
  void apply_edge(const T* const* in, std::int64_t rows, T* const* out, std::int64_t first,
                  std::int64_t last, Scratch& scratch) const;

  const FilterLoops<T>& loops_;
  Correlation<T> correlation_;
  Terms many_, one_;
};

/// Whole rows of an input, including rows before its first and after its last row.
template <class T>
class EdgeRows {
 public:
  EdgeRows(Shape input, Edge edge, T constant)
      : input_(input),
        edge_(edge),
        outside_(edge == Edge::constant ? static_cast<std::size_t>(input.columns) : 0, constant) {}

  const T* at(const T* input, std::int64_t row) const {
    row = edge_index(edge_, row, input_.rows);
    return row < 0 ? outside_.data() : input + row * input_.columns;
  }

 private:
  Shape input_;
  Edge edge_;
  std::vector<T> outside_;
};

}  // namespace lapl
