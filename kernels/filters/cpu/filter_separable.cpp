// Separable filters: first along the rows, then along the columns, without leaving the cache.
//
//   input rows --- along rows ---> ring of window rows + R - 1 rows --- along columns ---> R rows
//
// A thread goes down a piece of the output, R rows at a time. The ring is as wide as the piece.
// Memory traffic per cell: one read, one write; each piece also reads window rows - 1 more rows.

#include "kernels/filters/cpu/filter_engines.hpp"
#include "kernels/filters/cpu/filter_rows.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

template <class T>
class SeparableFilter final : public CpuFilter<T> {
 public:
  SeparableFilter(const Correlation<T>& correlation, const SeparableWeights<T>& weights,
                  const FilterLoops<T>& loops, int threads)
      : correlation_(correlation),
        threads_(threads),
        // Rows that two pieces need are filtered twice; pieces are high enough that these are at
        // most one in five.
        pieces_(
            cut_output(correlation, loops, 4 * threads, 4 * (correlation.window.rows - 1), 256)),
        rows_(correlation.input, correlation.edge, correlation.constant),
        along_rows_(row_part(correlation, weights), loops),
        along_columns_(column_part(correlation, weights), loops) {
    const std::int64_t ring_rows = correlation.window.rows + loops.rows - 1;
    for (int i = 0; i < useful_threads(pieces_, threads); ++i)
      work_.push_back({along_rows_.scratch(), along_columns_.scratch(),
                       HostBuffer<T>(ring_rows * pieces_.piece.columns, 1)});
  }

  void apply(const T* input, T* output) override {
    for_each_piece(pieces_, threads_, work_, [&](const FilterPieces::Piece& piece, Work& work) {
      apply_to_piece(piece, input, output, work);
    });
  }

 private:
  struct Work {
    typename RowFilter<T>::Scratch rows, columns;
    HostBuffer<T> ring;
  };

  Correlation<T> row_part(Correlation<T> part, const SeparableWeights<T>& weights) const {
    part.output.columns = pieces_.piece.columns;
    part.window.rows = 1;
    part.weights = weights.columns;
    return part;
  }

  Correlation<T> column_part(Correlation<T> part, const SeparableWeights<T>& weights) const {
    part.input.columns = pieces_.piece.columns;
    part.window.columns = 1;
    part.weights = weights.rows;
    part.before_columns = 0;
    return part;
  }

  void apply_to_piece(const FilterPieces::Piece& piece, const T* input, T* output,
                      Work& work) const {
    const std::int64_t most = along_columns_.rows_at_once();
    const std::int64_t ring_rows = correlation_.window.rows + most - 1;
    // `row` counts from the first row that the piece reads.
    const auto ring_row = [&](std::int64_t row) {
      return work.ring.data() + row % ring_rows * pieces_.piece.columns;
    };
    std::vector<const T*> in(ring_rows);
    std::vector<T*> out(most);
    std::int64_t made = 0;
    for (std::int64_t row = 0; row < piece.last_row - piece.first_row;) {
      const std::int64_t rows = piece.last_row - piece.first_row - row >= most ? most : 1;
      for (; made < row + rows + correlation_.window.rows - 1; ++made) {
        const T* from = rows_.at(input, piece.first_row + made - correlation_.before_rows);
        T* const to = ring_row(made);
        along_rows_.apply(&from, 1, &to, piece.first_column, piece.last_column, work.rows);
      }
      for (std::int64_t p = 0; p < correlation_.window.rows + rows - 1; ++p)
        in[p] = ring_row(row + p);
      for (std::int64_t r = 0; r < rows; ++r)
        out[r] =
            output + (piece.first_row + row + r) * correlation_.output.columns + piece.first_column;
      along_columns_.apply(in.data(), rows, out.data(), 0, piece.last_column - piece.first_column,
                           work.columns);
      row += rows;
    }
  }

  Correlation<T> correlation_;
  int threads_;
  FilterPieces pieces_;
  EdgeRows<T> rows_;
  RowFilter<T> along_rows_, along_columns_;
  std::vector<Work> work_;
};

}  // namespace

template <class T>
std::unique_ptr<CpuFilter<T>> make_separable_filter(const Correlation<T>& correlation,
                                                    const SeparableWeights<T>& weights,
                                                    const FilterLoops<T>& loops, int threads) {
  return std::make_unique<SeparableFilter<T>>(correlation, weights, loops, threads);
}
LAPL_FOR_FLOATS(make_separable_filter);

}  // namespace lapl
