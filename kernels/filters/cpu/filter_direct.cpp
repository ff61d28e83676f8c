// Direct filters: the output is cut into pieces, which threads take one by one.
//
//   a piece          some rows x a panel of columns
//   at a time        R rows of it (filter_loops.hpp), which read window rows + R - 1 input rows
//   memory traffic   one read, one write per cell
#include "kernels/filters/cpu/filter_engines.hpp"
#include "kernels/filters/cpu/filter_rows.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

template <class T>
class DirectFilter final : public CpuFilter<T> {
 public:
  DirectFilter(const Correlation<T>& correlation, const FilterLoops<T>& loops, int threads)
      : correlation_(correlation),
        filter_(correlation, loops),
        rows_(correlation.input, correlation.edge, correlation.constant),
        threads_(threads),
        pieces_(cut_output(correlation, loops, 8 * threads, 0, 1024)) {
    for (int i = 0; i < useful_threads(pieces_, threads); ++i)
      scratch_.push_back(filter_.scratch());
  }

  void apply(const T* input, T* output) override {
    for_each_piece(pieces_, threads_, scratch_,
                   [&](const FilterPieces::Piece& piece, auto& scratch) {
                     apply_to_piece(piece, input, output, scratch);
                   });
  }

 private:
  void apply_to_piece(const FilterPieces::Piece& piece, const T* input, T* output,
                      typename RowFilter<T>::Scratch& scratch) const {
    const std::int64_t most = filter_.rows_at_once();
    std::vector<const T*> in(correlation_.window.rows + most - 1);
    std::vector<T*> out(most);
    for (std::int64_t row = piece.first_row; row < piece.last_row;) {
      const std::int64_t rows = piece.last_row - row >= most ? most : 1;
      for (std::int64_t p = 0; p < correlation_.window.rows + rows - 1; ++p)
        in[p] = rows_.at(input, row + p - correlation_.before_rows);
      for (std::int64_t r = 0; r < rows; ++r)
        out[r] = output + (row + r) * correlation_.output.columns + piece.first_column;
      filter_.apply(in.data(), rows, out.data(), piece.first_column, piece.last_column, scratch);
      row += rows;
    }
  }

  Correlation<T> correlation_;
  RowFilter<T> filter_;
  EdgeRows<T> rows_;
  int threads_;
  FilterPieces pieces_;
  std::vector<typename RowFilter<T>::Scratch> scratch_;
};

}  // namespace

template <class T>
std::unique_ptr<CpuFilter<T>> make_direct_filter(const Correlation<T>& correlation,
                                                 const FilterLoops<T>& loops, int threads) {
  return std::make_unique<DirectFilter<T>>(correlation, loops, threads);
}
LAPL_FOR_FLOATS(make_direct_filter);

}  // namespace lapl
