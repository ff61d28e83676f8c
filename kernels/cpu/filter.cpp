#include "kernels/cpu/filter.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/cpu/filter_engines.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/error.hpp"

namespace lapl {

template <class T>
std::unique_ptr<CpuFilter<T>> make_cpu_filter(const Correlation<T>& correlation,
                                              FilterMethod method, int threads) {
  const FilterLoops<T>& loops = widest<FilterLoops<T>>();
  switch (method) {
    case FilterMethod::separable: {
      const auto weights = separate(correlation);
      if (!weights)
        throw ConfigError(fmt::format(
            "method separable: the {} x {} weights are not the product of a column and a row",
            correlation.window.rows, correlation.window.columns));
      return make_separable_filter(correlation, *weights, loops, threads);
    }
    case FilterMethod::fft: return make_fft_filter(correlation, threads);
    default: return make_direct_filter(correlation, loops, threads);
  }
}
template std::unique_ptr<CpuFilter<float>> make_cpu_filter(const Correlation<float>&, FilterMethod,
                                                           int);
template std::unique_ptr<CpuFilter<double>> make_cpu_filter(const Correlation<double>&,
                                                            FilterMethod, int);

template <class T>
void apply_reference(const Correlation<T>& correlation, const T* input, T* output) {
  const std::int64_t rows = correlation.input.rows, columns = correlation.input.columns;
  const auto value = [&](std::int64_t row, std::int64_t column) {
    row = edge_index(correlation.edge, row, rows);
    column = edge_index(correlation.edge, column, columns);
    return row < 0 || column < 0 ? correlation.constant : input[row * columns + column];
  };
  for (std::int64_t i = 0; i < correlation.output.rows; ++i)
    for (std::int64_t j = 0; j < correlation.output.columns; ++j) {
      T sum = 0;
      bool first = true;
      for (std::int64_t a = 0; a < correlation.window.rows; ++a)
        for (std::int64_t b = 0; b < correlation.window.columns; ++b) {
          const T weight =
              correlation.weights[static_cast<std::size_t>(a * correlation.window.columns + b)];
          if (weight == 0) continue;
          const T term = value(i + a - correlation.before_rows, j + b - correlation.before_columns);
          sum = first ? weight * term : std::fma(weight, term, sum);
          first = false;
        }
      output[i * correlation.output.columns + j] = sum;
    }
}
template void apply_reference(const Correlation<float>&, const float*, float*);
template void apply_reference(const Correlation<double>&, const double*, double*);

}  // namespace lapl
