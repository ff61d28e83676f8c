#include "kernels/filters/cpu/filter_rows.hpp"

#include <algorithm>

namespace lapl {
namespace {

std::size_t as_size(std::int64_t size) { return static_cast<std::size_t>(size); }

}  // namespace

template <class T>
RowFilter<T>::RowFilter(const Correlation<T>& correlation, const FilterLoops<T>& loops)
    : loops_(loops), correlation_(correlation), many_(terms_for(loops.rows)), one_(terms_for(1)) {}

template <class T>
typename RowFilter<T>::Terms RowFilter<T>::terms_for(std::int64_t rows) const {
  const Shape window = correlation_.window;
  const std::int64_t pitch = window.rows + 2 * (rows - 1);
  Terms terms{std::vector<T>(as_size(pitch * window.columns)),
              std::vector<std::uint8_t>(as_size((window.rows + rows - 1) * window.columns))};
  for (std::int64_t a = 0; a < window.rows; ++a)
    for (std::int64_t b = 0; b < window.columns; ++b) {
      const T weight = correlation_.weights[as_size(a * window.columns + b)];
      if (weight == 0) continue;
      terms.start = T(-0.0);
      terms.weights[as_size(b * pitch + a + rows - 1)] = weight;
      for (std::int64_t r = 0; r < rows; ++r) {
        std::uint8_t& outputs = terms.outputs[as_size((a + r) * window.columns + b)];
        outputs = static_cast<std::uint8_t>(outputs | 1 << r);
      }
    }
  return terms;
}

template <class T>
typename RowFilter<T>::Scratch RowFilter<T>::scratch() const {
  const std::int64_t in_rows = correlation_.window.rows + loops_.rows - 1;
  const std::int64_t in_columns = strip_columns + correlation_.window.columns - 1;
  Scratch made;
  made.in = HostBuffer<T>(in_rows * in_columns, 1);
  made.out = HostBuffer<T>(loops_.rows * strip_columns, 1);
  for (std::int64_t p = 0; p < in_rows; ++p)
    made.in_rows.push_back(made.in.data() + p * in_columns);
  for (std::int64_t r = 0; r < loops_.rows; ++r)
    made.out_rows.push_back(made.out.data() + r * strip_columns);
  made.in_shifted.resize(as_size(in_rows));
  made.out_shifted.resize(as_size(loops_.rows));
  made.sources.resize(as_size(in_columns));
  return made;
}

template <class T>
void RowFilter<T>::run(const T* const* in, std::int64_t rows, T* const* out, std::int64_t width,
                       bool fetch_next) const {
  const Terms& terms = rows == 1 ? one_ : many_;
  fetch_next = fetch_next && correlation_.input.rows > rows;
  const FilterTerms<T> view{terms.weights.data(),
                            terms.outputs.data(),
                            correlation_.window.rows,
                            correlation_.window.columns,
                            terms.start,
                            fetch_next ? rows * correlation_.input.columns : 0,
                            fetch_next ? rows * correlation_.output.columns : 0};
  (rows == 1 ? loops_.run_row : loops_.run_rows)(view, in, out, width);
}

template <class T>
void RowFilter<T>::apply(const T* const* in, std::int64_t rows, T* const* out, std::int64_t first,
                         std::int64_t last, Scratch& scratch) const {
  const std::int64_t fits =
      correlation_.input.columns - correlation_.window.columns + 1 + correlation_.before_columns;
  std::int64_t inside = std::clamp(correlation_.before_columns, first, last);
  std::int64_t after = std::clamp(fits, inside, last);
  if (after - inside < loops_.lanes) inside = after = last;

  apply_edge(in, rows, out, first, inside, scratch);
  const std::int64_t in_rows = correlation_.window.rows + rows - 1;
  T** const to = scratch.out_shifted.data();
  if (inside < after) {
    const T** const from = scratch.in_shifted.data();
    for (std::int64_t p = 0; p < in_rows; ++p)
      from[p] = in[p] + (inside - correlation_.before_columns);
    for (std::int64_t r = 0; r < rows; ++r) to[r] = out[r] + (inside - first);
    run(from, rows, to, after - inside, true);
  }
  for (std::int64_t r = 0; r < rows; ++r) to[r] = out[r] + (after - first);
  apply_edge(in, rows, to, after, last, scratch);
}

template <class T>
void RowFilter<T>::apply_edge(const T* const* in, std::int64_t rows, T* const* out,
                              std::int64_t first, std::int64_t last, Scratch& scratch) const {
  const std::int64_t in_rows = correlation_.window.rows + rows - 1;
  const std::int64_t pitch = strip_columns + correlation_.window.columns - 1;
  for (std::int64_t column = first; column < last; column += strip_columns) {
    const std::int64_t width = std::min(strip_columns, last - column);
    const std::int64_t reach = width + correlation_.window.columns - 1;
    for (std::int64_t i = 0; i < reach; ++i)
      scratch.sources[as_size(i)] = edge_index(
          correlation_.edge, column + i - correlation_.before_columns, correlation_.input.columns);
    for (std::int64_t p = 0; p < in_rows; ++p) {
      T* const strip = scratch.in.data() + p * pitch;
      for (std::int64_t i = 0; i < reach; ++i) {
        const std::int64_t source = scratch.sources[as_size(i)];
        strip[i] = source < 0 ? correlation_.constant : in[p][source];
      }
    }
    // Computes whole vectors; values beyond the width are not used.
    run(scratch.in_rows.data(), rows, scratch.out_rows.data(),
        (width + loops_.lanes - 1) / loops_.lanes * loops_.lanes, false);
    for (std::int64_t r = 0; r < rows; ++r)
      std::copy_n(scratch.out_rows[as_size(r)], width, out[r] + (column - first));
  }
}

template class RowFilter<float>;
template class RowFilter<double>;

}  // namespace lapl
