// The filter engines of the device against sums computed by plain loops.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/error.hpp"
#include "kernels/filters/cuda/cuda_filter.hpp"
#include "kernels/stages/arithmetic.hpp"
#include "tests/cuda/need_cuda.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

template <class T>
struct Expected {
  std::vector<T> values;
  std::vector<double> magnitudes;  // for each output, the sum of |weight * input|
};

template <class T>
Expected<T> expected_output(const Correlation<T>& c, const std::vector<T>& input) {
  Expected<T> result;
  for (std::int64_t i = 0; i < c.output.rows; ++i)
    for (std::int64_t j = 0; j < c.output.columns; ++j) {
      T sum = 0;
      double magnitude = 0;
      bool first = true;
      for (std::int64_t a = 0; a < c.window.rows; ++a)
        for (std::int64_t b = 0; b < c.window.columns; ++b) {
          const T weight = c.weights[static_cast<std::size_t>(a * c.window.columns + b)];
          if (weight == 0) continue;
          const auto row = edge_index(c.edge, i + a - c.before_rows, c.input.rows);
          const auto column = edge_index(c.edge, j + b - c.before_columns, c.input.columns);
          const T x = row < 0 || column < 0
                          ? c.constant
                          : input[static_cast<std::size_t>(row * c.input.columns + column)];
          sum = first ? weight * x : fused_multiply_add(weight, x, sum);
          first = false;
          magnitude += std::abs(static_cast<double>(weight) * static_cast<double>(x));
        }
      result.values.push_back(sum);
      result.magnitudes.push_back(magnitude);
    }
  return result;
}

// The output of `method`; `offset` values before both arrays make them unaligned.
template <class T>
std::vector<T> filtered(const Correlation<T>& c, FilterMethod method, const std::vector<T>& input,
                        std::int64_t offset) {
  const auto from = device_buffer<T>(offset + c.input.cells());
  const auto to = device_buffer<T>(offset + c.output.cells());
  std::vector<T> output(static_cast<std::size_t>(c.output.cells()));
  const std::size_t bytes = output.size() * sizeof(T);
  LAPL_CUDA(cudaMemcpy(from.data() + offset, input.data(), input.size() * sizeof(T),
                       cudaMemcpyHostToDevice));
  LAPL_CUDA(cudaMemset(to.data() + offset, 0xff, bytes));  // NaN
  make_cuda_filter(FilterPlan<T>{c, method})
      ->apply(from.data() + offset, to.data() + offset, nullptr);
  LAPL_CUDA(cudaMemcpy(output.data(), to.data() + offset, bytes, cudaMemcpyDeviceToHost));
  return output;
}

// True if all bits are equal; any NaN equals any other.
template <class T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](T x, T y) {
    return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
  });
}

// The largest error in units of eps * the allowed magnitude.
template <class T>
double relative_error(const std::vector<T>& found, const Expected<T>& expected, bool of_largest) {
  const double largest = std::ranges::max(expected.magnitudes);
  double error = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference =
        std::abs(static_cast<double>(found[i]) - static_cast<double>(expected.values[i]));
    if (difference == 0) continue;
    const double unit = (of_largest ? largest : expected.magnitudes[i]) *
                        static_cast<double>(std::numeric_limits<T>::epsilon());
    if (!(difference / unit <= error)) error = difference / unit;
  }
  return error;
}

// Random values whose products neither overflow nor underflow.
template <class T>
std::vector<T> plain_values(std::int64_t size, std::mt19937& generator) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(size));
  for (T& value : values) value = static_cast<T>(uniform(generator));
  return values;
}

// A random case: windows with and without compile-time sizes, windows of even size or larger than
// the input, single rows and columns, outputs larger and smaller than the input.
template <class T>
Correlation<T> random_correlation(std::mt19937& generator) {
  const auto up_to = [&](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(most));
  };
  constexpr Shape fixed[] = {{3, 3}, {5, 5}, {7, 7}, {13, 13}, {1, 3}, {1, 5}};
  Correlation<T> c;
  const auto kind = generator() % 6;
  c.input = {kind == 0 ? 1 : up_to(90), kind == 1 ? 1 : up_to(kind == 0 ? 5000 : 200)};
  if (kind == 2) c.input = {up_to(3), up_to(3)};
  const auto window = generator() % 4;
  c.window = window < 2    ? fixed[generator() % 6]
             : window == 2 ? Shape{up_to(9), up_to(40)}
                           : Shape{up_to(kind == 2 ? 150 : 20), up_to(kind == 2 ? 150 : 4)};
  const bool same = generator() % 2;
  c.output = same ? c.input : Shape{up_to(c.input.rows + 4), up_to(c.input.columns + 4)};
  c.before_rows = up_to(c.window.rows + 2) - 1;
  c.before_columns = same ? c.window.columns / 2 : up_to(c.window.columns + 2) - 1;
  c.edge = static_cast<Edge>(generator() % 5);
  c.constant = static_cast<T>(generator() % 2) / 3;
  return c;
}

}  // namespace

TEST_CASE_TEMPLATE("direct equals the sum to the bit, NaN and zero weights included" *
                       doctest::test_suite("sanitizer"),
                   T, float, double) {
  test::need_cuda();
  std::mt19937 generator(1);
  for (int i = 0; i < 150; ++i) {
    CAPTURE(i);
    Correlation<T> c = random_correlation<T>(generator);
    auto input = test::random_field<T>(c.input, static_cast<unsigned>(generator()));
    c.weights = test::random_field<T>(c.window, static_cast<unsigned>(generator()));
    if (i % 3 == 0)
      for (T& weight : c.weights)
        if (generator() % 2) weight = 0;
    if (i % 25 == 0) std::ranges::fill(c.weights, T(-0.0));
    if (i % 2) input[generator() % input.size()] = std::numeric_limits<T>::quiet_NaN();
    if (i % 5 == 0) input[generator() % input.size()] = std::numeric_limits<T>::infinity();
    const auto expected = expected_output(c, input);
    REQUIRE(same_values(filtered(c, FilterMethod::direct, input, i % 4), expected.values));
  }
}

TEST_CASE_TEMPLATE("separable is within 16 eps of the sum of |w x|", T, float, double) {
  test::need_cuda();
  std::mt19937 generator(2);
  for (int i = 0; i < 100; ++i) {
    CAPTURE(i);
    Correlation<T> c = random_correlation<T>(generator);
    const auto input = plain_values<T>(c.input.cells(), generator);
    SeparableWeights<T> factors{plain_values<T>(c.window.rows, generator),
                                plain_values<T>(c.window.columns, generator)};
    if (i % 3 == 0) factors.columns[generator() % factors.columns.size()] = 0;
    for (const T a : factors.rows)
      for (const T b : factors.columns) c.weights.push_back(a * b);
    const auto expected = expected_output(c, input);
    REQUIRE(relative_error(filtered(c, FilterMethod::separable, input, i % 4), expected, false) <=
            16);
  }
}

TEST_CASE_TEMPLATE("separable is as near on large outputs, which are taken in strips", T, float,
                   double) {
  test::need_cuda();
  std::mt19937 generator(5);
  for (const std::int64_t columns : {1664, 1601})
    for (const std::int64_t size : {5, 13}) {
      Correlation<T> c{.input = {1200, columns},
                       .output = {1200, columns},
                       .window = {size, size},
                       .weights = {},
                       .before_rows = size / 2,
                       .before_columns = size / 2,
                       .edge = Edge::mirror};
      const auto input = plain_values<T>(c.input.cells(), generator);
      const auto rows = plain_values<T>(size, generator), across = plain_values<T>(size, generator);
      for (const T a : rows)
        for (const T b : across) c.weights.push_back(a * b);
      const auto expected = expected_output(c, input);
      const auto found = filtered(c, FilterMethod::separable, input, 0);
      REQUIRE(relative_error(found, expected, false) <= 16);
      REQUIRE(same_values(filtered(c, FilterMethod::separable, input, 0), found));
    }
}

TEST_CASE_TEMPLATE("a NaN spreads through separable only as far as weights other than 0" *
                       doctest::test_suite("sanitizer"),
                   T, float, double) {
  test::need_cuda();
  const Correlation<T> c{.input = {40, 41},
                         .output = {40, 41},
                         .window = {3, 3},
                         .weights = {1, 0, -1, 2, 0, -2, 1, 0, -1},
                         .before_rows = 1,
                         .before_columns = 1};
  std::vector<T> input(40 * 41, T(1));
  input[20 * 41 + 20] = std::numeric_limits<T>::quiet_NaN();
  CHECK(std::ranges::count_if(filtered(c, FilterMethod::separable, input, 0),
                              [](T x) { return std::isnan(x); }) == 6);
}

TEST_CASE_TEMPLATE("fft is within 16 eps of the largest sum of |w x|" *
                       doctest::test_suite("sanitizer"),
                   T, float, double) {
  test::need_cuda();
  std::mt19937 generator(3);
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    Correlation<T> c = random_correlation<T>(generator);
    const auto input = plain_values<T>(c.input.cells(), generator);
    c.weights = plain_values<T>(c.window.cells(), generator);
    const auto expected = expected_output(c, input);
    REQUIRE(relative_error(filtered(c, FilterMethod::fft, input, i % 4), expected, true) <= 16);
  }
}

TEST_CASE("windows too large for shared memory are taken in bands, or in two filters") {
  test::need_cuda();
  std::mt19937 generator(4);
  for (const Shape window : {Shape{3, 20000}, Shape{5000, 2}, Shape{300, 310}}) {
    CAPTURE(window.rows);
    Correlation<float> c;
    c.input = {11, 300};
    c.output = {11, 40};
    c.window = window;
    c.edge = Edge::mirror;
    c.before_rows = window.rows / 2;
    const auto input = plain_values<float>(c.input.cells(), generator);
    const auto rows = plain_values<float>(window.rows, generator);
    const auto columns = plain_values<float>(window.columns, generator);
    for (const float a : rows)
      for (const float b : columns) c.weights.push_back(a * b);
    const auto expected = expected_output(c, input);
    CHECK(same_values(filtered(c, FilterMethod::direct, input, 0), expected.values));
    CHECK(relative_error(filtered(c, FilterMethod::separable, input, 0), expected, false) <= 64);
  }
}

TEST_CASE("separable refuses a window that is not of rank 1") {
  test::need_cuda();
  const Correlation<float> c{
      .input = {8, 8}, .output = {8, 8}, .window = {2, 2}, .weights = {1, 0, 0, 1}};
  CHECK_THROWS_WITH_AS(
      make_cuda_filter(FilterPlan<float>{c, FilterMethod::separable}),
      "method separable: the window of 2 x 2 weights is not the product of a column and a row "
      "(expected rank 1)",
      ConfigError);
}
