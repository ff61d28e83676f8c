// The CPU's filters against the reference, and the reference against mathematics.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/error.hpp"
#include "kernels/filters/cpu/cpu_filter.hpp"
#include "kernels/filters/cpu/filter_engines.hpp"
#include "tests/kernels/usable_loops.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

constexpr Edge all_edges[] = {Edge::constant, Edge::nearest, Edge::reflect, Edge::mirror,
                              Edge::wrap};

template <class T>
std::vector<T> applied(CpuFilter<T>& filter, const Correlation<T>& correlation,
                       const std::vector<T>& input) {
  std::vector<T> output(static_cast<std::size_t>(correlation.output.cells()), T(-77));
  filter.apply(input.data(), output.data());
  return output;
}

// The direct method as plain loops, the reference for all methods.
template <class T>
std::vector<T> expected_values(const Correlation<T>& correlation, const std::vector<T>& input) {
  const std::int64_t rows = correlation.input.rows, columns = correlation.input.columns;
  const auto value = [&](std::int64_t row, std::int64_t column) {
    row = edge_index(correlation.edge, row, rows);
    column = edge_index(correlation.edge, column, columns);
    return row < 0 || column < 0 ? correlation.constant
                                 : input[static_cast<std::size_t>(row * columns + column)];
  };
  std::vector<T> output;
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
      output.push_back(sum);
    }
  return output;
}

// True if all bits are equal; any NaN equals any other.
template <class T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const T& x, const T& y) {
    return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof(T)) == 0;
  });
}

// Draws shapes, window, edge and `before`, which may be outside the window.
template <class T>
class RandomCorrelations {
 public:
  Correlation<T> draw(std::int64_t most, std::int64_t most_window) {
    Correlation<T> drawn;
    drawn.input = {size(most), size(most)};
    drawn.output = {size(most), size(most)};
    drawn.window = {size(most_window), size(most_window)};
    drawn.before_rows = between(-3, drawn.window.rows + 3);
    drawn.before_columns = between(-3, drawn.window.columns + 3);
    drawn.edge = all_edges[between(0, 4)];
    drawn.constant = static_cast<T>(between(-2, 2)) / 2;
    for (std::int64_t i = 0; i < drawn.window.cells(); ++i)
      drawn.weights.push_back(between(0, 5) == 0 ? T(0) : static_cast<T>(uniform_(generator_)));
    return drawn;
  }

  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(generator_);
  }

 private:
  // Half of the sizes are small.
  std::int64_t size(std::int64_t most) {
    return between(1, between(0, 1) == 0 ? std::min<std::int64_t>(most, 7) : most);
  }

  std::mt19937 generator_{5};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

// The tolerance for methods that round differently: times * eps * sum of |weight| * max |input|.
template <class T>
double gate(const Correlation<T>& correlation, const std::vector<T>& input, double times) {
  double weights = 0;
  for (const T weight : correlation.weights) weights += std::abs(static_cast<double>(weight));
  const double largest =
      std::max(test::largest_magnitude(input), std::abs(static_cast<double>(correlation.constant)));
  return times * std::numeric_limits<T>::epsilon() * weights * largest;
}

}  // namespace

TEST_CASE_TEMPLATE("direct filters equal the reference to the bit on every instruction set", T,
                   float, double) {
  RandomCorrelations<T> random;
  for (int n = 0; n < 400; ++n) {
    const Correlation<T> correlation =
        n % 8 == 0 ? random.draw(700, 9) : random.draw(90, n % 4 == 0 ? 120 : 20);
    CAPTURE(n);
    CAPTURE(correlation.input.columns);
    CAPTURE(correlation.output.columns);
    CAPTURE(correlation.window.rows);
    CAPTURE(correlation.window.columns);
    CAPTURE(correlation.before_columns);
    const auto input = test::random_field<T>(correlation.input, static_cast<unsigned>(n));
    const auto expected = expected_values(correlation, input);
    for (const FilterLoops<T>* loops : test::usable_loops<FilterLoops<T>>()) {
      CAPTURE(loops->instruction_set);
      for (const int threads : {1, 2, 3}) {
        const auto filter = make_direct_filter(correlation, *loops, threads);
        REQUIRE(test::same_bits<T>(applied(*filter, correlation, input), expected));
      }
    }
  }
}

TEST_CASE_TEMPLATE("direct filters equal the reference on long rows, long columns and large fields",
                   T, float, double) {
  const std::pair<Shape, Shape> cases[] = {{{1, 200'003}, {1, 5}}, {{3, 70'001}, {1, 33}},
                                           {{200'003, 1}, {5, 1}}, {{1, 9}, {1, 4000}},
                                           {{1030, 2064}, {3, 3}}, {{1030, 2061}, {3, 3}},
                                           {{300, 517}, {13, 13}}, {{5, 40'000}, {4, 2}}};
  for (const auto& sizes : cases) {
    const auto [shape, window] = sizes;
    CAPTURE(sizes.first.rows);
    CAPTURE(sizes.first.columns);
    const Correlation<T> correlation{shape,           shape,
                                     window,          test::random_field<T>(window),
                                     window.rows / 2, window.columns / 2,
                                     Edge::reflect};
    const auto input = test::random_field<T>(shape, 2);
    const auto expected = expected_values(correlation, input);
    for (const int threads : {1, 3}) {
      const auto filter =
          make_cpu_filter(FilterPlan<T>{correlation, FilterMethod::direct}, threads);
      CHECK(test::same_bits<T>(applied(*filter, correlation, input), expected));
      // a second call gives the same result
      CHECK(test::same_bits<T>(applied(*filter, correlation, input), expected));
    }
  }
}

TEST_CASE_TEMPLATE("a value that is not finite spreads where a nonzero weight touches it", T, float,
                   double) {
  RandomCorrelations<T> random;
  for (int n = 0; n < 100; ++n) {
    Correlation<T> correlation = random.draw(60, 9);
    auto input = test::random_field<T>(correlation.input);
    const T odd[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                     -std::numeric_limits<T>::infinity()};
    for (int i = 0; i < 4; ++i)
      input[static_cast<std::size_t>(random.between(0, correlation.input.cells() - 1))] =
          odd[random.between(0, 2)];
    if (n % 10 == 0) correlation.constant = odd[0];
    if (n % 10 == 1) std::ranges::fill(correlation.weights, T(0));
    const auto expected = expected_values(correlation, input);
    for (const FilterLoops<T>* loops : test::usable_loops<FilterLoops<T>>())
      CHECK(same_values(applied(*make_direct_filter(correlation, *loops, 2), correlation, input),
                        expected));

    // A window of rank 1 of zeros, ones and twos: a sum is NaN in both methods or in neither.
    for (std::int64_t i = 0; i < correlation.window.cells(); ++i) {
      const Cell at = cell_at(correlation.window, i);
      correlation.weights[static_cast<std::size_t>(i)] =
          static_cast<T>((at.row % 3) * (at.column % 2 + (at.column % 5 == 0 ? 1 : 0)));
    }
    const auto sums = expected_values(correlation, input);
    const auto found =
        applied(*make_cpu_filter(FilterPlan<T>{correlation, FilterMethod::separable}, 2),
                correlation, input);
    CHECK(std::ranges::equal(sums, found, [](T a, T b) {
      return std::isfinite(a) == std::isfinite(b) && std::isnan(a) == std::isnan(b);
    }));
  }
}

TEST_CASE_TEMPLATE("separable and fft agree with the reference as rounding allows", T, float,
                   double) {
  RandomCorrelations<T> random;
  for (int n = 0; n < 200; ++n) {
    Correlation<T> correlation =
        n % 8 == 0 ? random.draw(600, 9) : random.draw(90, n % 4 == 0 ? 120 : 20);
    CAPTURE(n);
    const auto input = test::random_field<T>(correlation.input, static_cast<unsigned>(n));
    const double few = 16;
    const auto largest_error = [&](FilterMethod method, int threads) {
      const auto filter = make_cpu_filter(FilterPlan<T>{correlation, method}, threads);
      const auto found = applied(*filter, correlation, input);
      CHECK(test::same_bits<T>(
          applied(*make_cpu_filter(FilterPlan<T>{correlation, method}, 3), correlation, input),
          found));
      return test::largest_difference(found, expected_values(correlation, input));
    };
    REQUIRE(largest_error(FilterMethod::fft, 1) <= gate(correlation, input, few));

    const auto rows = test::random_field<T>({1, correlation.window.rows}, 3);
    const auto columns = test::random_field<T>({1, correlation.window.columns}, 4);
    for (std::int64_t i = 0; i < correlation.window.cells(); ++i) {
      const Cell at = cell_at(correlation.window, i);
      const T row = std::abs(rows[static_cast<std::size_t>(at.row)]) + T(0.01);
      correlation.weights[static_cast<std::size_t>(i)] =
          row * columns[static_cast<std::size_t>(at.column)];
    }
    // The sums round window rows + window columns times, and the factors a few times.
    const double roundings =
        few + static_cast<double>(correlation.window.rows + correlation.window.columns);
    REQUIRE(largest_error(FilterMethod::separable, 2) <= gate(correlation, input, roundings));
  }
}

TEST_CASE_TEMPLATE("filters by transforms in tiles equal direct ones within rounding", T, float,
                   double) {
  for (const Shape window : {Shape{31, 31}, Shape{1, 129}, Shape{64, 2}}) {
    const Shape shape = window.rows == 1 ? Shape{3, 50'000} : Shape{701, 997};
    Correlation<T> correlation{shape,           shape,
                               window,          test::random_field<T>(window),
                               window.rows / 2, window.columns / 2,
                               Edge::mirror};
    const auto input = test::random_field<T>(shape, 2);
    const auto found = applied(*make_cpu_filter(FilterPlan<T>{correlation, FilterMethod::fft}, 2),
                               correlation, input);
    const auto expected = applied(
        *make_cpu_filter(FilterPlan<T>{correlation, FilterMethod::direct}, 2), correlation, input);
    CHECK(test::largest_difference(found, expected) <= gate(correlation, input, 8));
  }
}

TEST_CASE_TEMPLATE("a filter equals a calculation by hand", T, float, double) {
  // 1 2 3 with weights 1 10 100, before = 1, edge e: the outputs read e 1 2, 1 2 3 and 2 3 e.
  Correlation<T> correlation{{1, 3}, {1, 3}, {1, 3}, {1, 10, 100}, 0, 1};
  const std::vector<T> input = {1, 2, 3};
  const auto found = [&](Edge edge) {
    correlation.edge = edge;
    correlation.constant = 7;
    return expected_values(correlation, input);
  };
  CHECK(found(Edge::constant) == std::vector<T>{217, 321, 732});
  CHECK(found(Edge::nearest) == std::vector<T>{211, 321, 332});
  CHECK(found(Edge::reflect) == std::vector<T>{211, 321, 332});
  CHECK(found(Edge::mirror) == std::vector<T>{212, 321, 232});
  CHECK(found(Edge::wrap) == std::vector<T>{213, 321, 132});
}

TEST_CASE_TEMPLATE("weights of rank 1 are found, others refused", T, float, double) {
  const auto separated = [](Shape window, std::vector<T> weights) {
    Correlation<T> correlation{{4, 4}, {4, 4}, window, std::move(weights)};
    return separate(correlation);
  };
  const auto sobel = separated({3, 3}, {1, 2, 1, 0, 0, 0, -1, -2, -1});
  REQUIRE(sobel);
  for (std::size_t a = 0; a < 3; ++a)
    CHECK(sobel->rows[a] * sobel->columns[1] == T(2) * (T(1) - static_cast<T>(a)));
  CHECK(separated({1, 4}, {3, -1, 0, 2}));
  CHECK(separated({4, 1}, {3, -1, 0, 2}));
  CHECK(separated({2, 2}, {0, 0, 0, 0}));

  std::vector<T> gaussian;
  for (int a = -15; a <= 15; ++a)
    for (int b = -15; b <= 15; ++b)
      gaussian.push_back(static_cast<T>(std::exp(-(a * a + b * b) / 50.0)));
  CHECK(separated({31, 31}, gaussian));
  gaussian[7 * 31 + 3] += 8 * std::numeric_limits<T>::epsilon();
  CHECK_FALSE(separated({31, 31}, gaussian));

  const std::vector<T> laplacian = {0, 1, 0, 1, -4, 1, 0, 1, 0};
  CHECK_FALSE(separated({3, 3}, laplacian));
  CHECK_FALSE(separated({2, 2}, {1, 1, 1, 0}));
  const T least = std::numeric_limits<T>::denorm_min();
  CHECK_FALSE(separated({2, 2}, {1, least, least, 0}));  // a NaN would spread through the weight 0
  const Correlation<T> refused{{4, 4}, {4, 4}, {3, 3}, laplacian};
  CHECK_THROWS_AS(make_cpu_filter(FilterPlan<T>{refused, FilterMethod::separable}, 1), ConfigError);
}
