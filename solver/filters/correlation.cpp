#include "solver/filters/correlation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

struct Weights {
  Shape shape;
  std::vector<double> values;
};

Weights outer_product(const std::vector<double>& rows, const std::vector<double>& columns) {
  Weights weights{
      {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size())}, {}};
  for (const double a : rows)
    for (const double b : columns) weights.values.push_back(a * b);
  return weights;
}

}  // namespace

std::vector<double> gaussian_weights(double sigma, std::int64_t size) {
  if (size == 0) size = 2 * static_cast<std::int64_t>(4 * sigma + 0.5) + 1;
  std::vector<double> weights(size);
  const double centre = 0.5 * static_cast<double>(size - 1);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double x = (static_cast<double>(i) - centre) / sigma;
    weights[i] = std::exp(-0.5 * x * x);
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.);
  for (double& weight : weights) weight /= sum;
  return weights;
}

namespace {

Weights kernel_weights(const FilterConfig& config) {
  const auto [rows, columns] = config.size;
  switch (config.kernel) {
    case KernelKind::box: {
      const Shape shape{rows == 0 ? 3 : rows, columns == 0 ? 3 : columns};
      const auto cells = static_cast<std::size_t>(shape.cells());
      return {shape, std::vector<double>(cells, 1 / static_cast<double>(shape.cells()))};
    }
    case KernelKind::gaussian:
      return outer_product(gaussian_weights(config.sigma[0], rows),
                           gaussian_weights(config.sigma[1], columns));
    case KernelKind::numbers:
    case KernelKind::hdf5: return {config.shape, config.weights};
    default: break;
  }
  const KernelRow& row = table_row(config.kernel);
  const Shape shape{row.shape[0], row.shape[1]};
  return {shape, {row.weights.begin(), row.weights.begin() + shape.cells()}};
}

// Along one axis: the number of output cells, and the number of window cells before the output
// cell.
struct AxisOutput {
  std::int64_t output, before;
};

AxisOutput axis_output(const FilterConfig& config, bool flips, std::int64_t input,
                       std::int64_t window) {
  // In mode full, output j has the window's last weight at input j.
  const auto from_full = [&](std::int64_t first, std::int64_t output) -> AxisOutput {
    return {output, window - 1 - first};
  };
  switch (config.mode) {
    case FilterMode::full: return from_full(0, input + window - 1);
    case FilterMode::valid:
      if (window <= input) return from_full(window - 1, input - window + 1);
      if (config.one_dimensional) return from_full(input - 1, window - input + 1);
      throw ConfigError(
          "filter {}: mode valid: a window of {} cells along an axis does not fit into the input's "
          "{}",
          config.name, window, input);
    case FilterMode::same: break;
  }
  // If the window is longer than the input, numpy exchanges them; numpy.correlate, but not
  // numpy.convolve, then reverses the result.
  if (config.one_dimensional && window > input) return from_full((input - flips) / 2, window);
  if (config.one_dimensional) return from_full((window - 1) / 2, input);
  return {input, flips ? window - 1 - window / 2 : window / 2};
}

// Moves the window along one axis by `origin` cells, as scipy.ndimage does.
void shift_window(const FilterConfig& config, bool flips, std::int64_t origin, std::int64_t input,
                  std::int64_t window, AxisOutput& along) {
  if (origin == 0) return;
  if (config.mode != FilterMode::same || along.output != input)
    throw ConfigError(
        "filter {}: origin: found {} (expected 0, or mode same and a window no longer than the "
        "input)",
        config.name, origin);
  const std::int64_t last = window - 1, before = along.before;
  along.before += flips ? -origin : origin;
  if (along.before < 0 || along.before > last)
    throw ConfigError("filter {}: origin: found {} with a window of {} cells (expected {} to {})",
                      config.name, origin, window, flips ? before - last : -before,
                      flips ? before : last - before);
}

// Throws ConfigError if the weights without those of NaN might add up to 0.
void require_positive(const FilterConfig& config, const std::vector<double>& weights) {
  const double least = *std::ranges::min_element(weights);
  if (config.nan == NanCells::skip && (least < 0 || *std::ranges::max_element(weights) == 0))
    throw ConfigError(
        "filter {}: nan: skip: found the weight {} (expected weights of 0 and more, "
        "some of them above 0)",
        config.name, least);
}

}  // namespace

template <class T>
Correlation<T> make_correlation(const FilterConfig& config, Shape input) {
  Weights weights = kernel_weights(config);
  if (config.normalize) {
    const double sum = std::accumulate(weights.values.begin(), weights.values.end(), 0.);
    if (!(std::abs(sum) > 0))
      throw ConfigError("filter {}: normalize: the weights add up to {} (expected another sum)",
                        config.name, sum);
    for (double& weight : weights.values) weight /= sum;
  }
  require_positive(config, weights.values);
  const bool named = config.kernel != KernelKind::numbers && config.kernel != KernelKind::hdf5;
  const bool flips = config.kind == FilterKind::convolve && !named;
  if (flips) std::ranges::reverse(weights.values);

  Correlation<T> result{.input = input, .output = {}, .window = weights.shape, .weights = {}};
  for (const double weight : weights.values) {
    result.weights.push_back(static_cast<T>(weight));
    if (!std::isfinite(result.weights.back()))
      throw ConfigError("filter {}: a weight is {} (expected finite numbers)", config.name, weight);
  }
  AxisOutput rows = axis_output(config, flips, input.rows, weights.shape.rows);
  AxisOutput columns = axis_output(config, flips, input.columns, weights.shape.columns);
  const auto [row_origin, column_origin] = config.origin;
  if (!config.one_dimensional)
    shift_window(config, flips, row_origin, input.rows, weights.shape.rows, rows);
  else if (rows = {input.rows, 0}; row_origin != 0 && row_origin != column_origin)
    throw ConfigError(
        "filter {}: origin: found [{}, {}] (expected one number: the window is a row)", config.name,
        row_origin, column_origin);
  shift_window(config, flips, column_origin, input.columns, weights.shape.columns, columns);
  result.output = {rows.output, columns.output};
  result.before_rows = rows.before;
  result.before_columns = columns.before;
  result.edge = config.edge;
  result.constant = static_cast<T>(config.constant);
  return result;
}
LAPL_FOR_FLOATS(make_correlation);

template <class T>
Correlation<T> correlation_on_grid(const FilterConfig& config, Shape grid) {
  Correlation<T> correlation = make_correlation<T>(config, grid);
  if (const Shape output = correlation.output; output != grid)
    throw ConfigError(
        "filter {}: gives {} cells on a grid of {} (expected mode same, and a window no longer "
        "than the grid)",
        config.name, shape_text(output), shape_text(grid));
  return correlation;
}
LAPL_FOR_FLOATS(correlation_on_grid);

void check_on_grid(const std::vector<FilterConfig>& filters, Shape grid, Precision precision) {
  with_precision(precision, [&]<class T>() {
    for (const FilterConfig& filter : filters) correlation_on_grid<T>(filter, grid);
  });
}

template <class T>
MethodChoice choose_method(const FilterConfig& config, const Correlation<T>& correlation,
                           const std::string& backend) {
  const bool is_separable = separate(correlation).has_value();
  const std::int64_t rows = correlation.window.rows, columns = correlation.window.columns;
  if (config.method == "separable" && !is_separable)
    throw ConfigError(
        "filter {}: method separable: the {} x {} weights are no product of a column and a row "
        "(expected method auto, direct or fft)",
        config.name, rows, columns);
  const bool skips = config.nan == NanCells::skip;
  if (skips && config.method == "fft")
    throw ConfigError(
        "filter {}: nan: skip: found method fft, whose sums over NaN alone are not 0 (expected "
        "auto, direct or separable)",
        config.name);
  for (const auto& method : name_table<FilterMethod>)
    if (config.method == method.name) return {method.value, "the config asks for it"};

  // The limits are the window sizes at which the methods were equally fast (docs/performance.md).
  const bool cuda = backend == "cuda";
  if (is_separable && pays_in_two_passes(correlation.window, cuda))
    return {FilterMethod::separable,
            fmt::format("the {} x {} weights are of rank 1", rows, columns)};
  const auto count =
      std::ssize(correlation.weights) - std::ranges::count(correlation.weights, T(0));
  const bool one_row = rows == 1;
  const std::int64_t most = cuda             ? (one_row ? 256 : 430)
                            : sizeof(T) == 4 ? (one_row ? 160 : 700)
                                             : (one_row ? 100 : 450);
  const bool large = correlation.output.cells() >= (cuda ? 1'000'000 : 10'000);
  if (!skips && count > most && large && (one_row || std::min(rows, columns) >= 16))
    return {FilterMethod::fft, fmt::format("{} weights are more than {}", count, most)};
  return {FilterMethod::direct, fmt::format("{} x {} weights", rows, columns)};
}
LAPL_FOR_FLOATS(choose_method);

}  // namespace lapl
