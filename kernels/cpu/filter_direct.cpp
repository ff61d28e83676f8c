// Direct filters: the output in pieces, which threads take one by one.
//
//   a piece        some rows x a panel of columns
//   at a time      R rows of it (filter_loops.hpp); the window rows + R - 1 input rows that they
//                  read, at most 512 KiB where the window allows it, are in the level-two cache
//   bytes a cell   one read, one written
#include "kernels/cpu/filter_engines.hpp"
#include "kernels/cpu/filter_rows.hpp"

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
        pieces_(cut(correlation, loops, threads)) {
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
  static FilterPieces cut(const Correlation<T>& correlation, const FilterLoops<T>& loops,
                          int threads) {
    constexpr std::int64_t bytes = 512 * 1024, pieces_a_thread = 8;
    const std::int64_t rows = correlation.output.rows, columns = correlation.output.columns;
    const std::int64_t values = bytes / static_cast<std::int64_t>(sizeof(T));
    const std::int64_t width =
        std::clamp<std::int64_t>(values / (correlation.window.rows + loops.rows), 1024, 16384);
    const std::int64_t across = (columns + width - 1) / width;
    const std::int64_t down = (threads * pieces_a_thread + across - 1) / across;
    const std::int64_t blocks = (rows + loops.rows - 1) / loops.rows;
    return {{rows, columns}, {(blocks + down - 1) / down * loops.rows, std::min(width, columns)}};
  }

  void apply_to_piece(const FilterPieces::Piece& piece, const T* input, T* output,
                      typename RowFilter<T>::Scratch& scratch) const {
    const std::int64_t most = filter_.rows_at_once();
    std::vector<const T*> in(static_cast<std::size_t>(correlation_.window.rows + most - 1));
    std::vector<T*> out(static_cast<std::size_t>(most));
    for (std::int64_t row = piece.first_row; row < piece.last_row;) {
      const std::int64_t rows = piece.last_row - row >= most ? most : 1;
      for (std::int64_t p = 0; p < correlation_.window.rows + rows - 1; ++p)
        in[static_cast<std::size_t>(p)] = rows_.at(input, row + p - correlation_.before_rows);
      for (std::int64_t r = 0; r < rows; ++r)
        out[static_cast<std::size_t>(r)] =
            output + (row + r) * correlation_.output.columns + piece.first_column;
      filter_.apply(in.data(), rows, out.data(), piece.first_column, piece.last_column, scratch);
      row += rows;
    }
  }

  Correlation<T> correlation_;
  RowFilter<T> filter_;
  EdgeRows<T> rows_;
  int threads_;
  FilterPieces pieces_;
  std::vector<typename RowFilter<T>::Scratch> scratch_;  // of each thread
};

}  // namespace

template <class T>
std::unique_ptr<CpuFilter<T>> make_direct_filter(const Correlation<T>& correlation,
                                                 const FilterLoops<T>& loops, int threads) {
  return std::make_unique<DirectFilter<T>>(correlation, loops, threads);
}
template std::unique_ptr<CpuFilter<float>> make_direct_filter(const Correlation<float>&,
                                                              const FilterLoops<float>&, int);
template std::unique_ptr<CpuFilter<double>> make_direct_filter(const Correlation<double>&,
                                                               const FilterLoops<double>&, int);

}  // namespace lapl
