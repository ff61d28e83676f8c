// Filters from config to result, compared with SciPy and NumPy, on every available backend.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "kernels/backend.hpp"
#include "kernels/error.hpp"
#include "kernels/filters/frame_filter.hpp"
#include "solver/filters/correlation.hpp"
#include "tests/backends.hpp"
#include "tests/reference_data.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

FilterConfig numbers(Shape shape, std::vector<double> weights) {
  FilterConfig config;
  config.kernel = KernelKind::numbers;
  config.shape = shape;
  config.weights = std::move(weights);
  return config;
}

template <class T>
std::vector<double> filtered(const FilterConfig& config, Shape shape,
                             const std::vector<double>& input, const std::string& backend) {
  const auto correlation = make_correlation<T>(config, shape);
  const auto method = choose_method(config, correlation, backend).method;
  std::vector<double> result;
  make_frame_filter<T>(backend, {correlation, method, 0, config.nan == NanCells::skip}, 2)
      ->run(
          1,
          [&](std::int64_t, T* values) {
            for (std::size_t i = 0; i < input.size(); ++i) values[i] = static_cast<T>(input[i]);
          },
          [&](std::int64_t, const T* values) {
            result.assign(values, values + correlation.output.cells());
          });
  return result;
}

// Error relative to the largest possible sum of |w| * |x|.
double relative_error(const std::vector<double>& found, const std::vector<double>& expected,
                      const std::vector<double>& weights, const std::vector<double>& input) {
  double sum = 0;
  for (const double weight : weights) sum += std::abs(weight);
  REQUIRE(found.size() == expected.size());
  return test::largest_difference(found, expected) / (sum * test::largest_magnitude(input));
}

}  // namespace

TEST_CASE_TEMPLATE("2-D filters equal scipy.ndimage and scipy.signal, whatever the method", T,
                   float, double) {
  const test::ReferenceData reference;
  const Shape image_shape{37, 53};
  const auto image = reference.values("/convolution/image");
  const std::pair<const char*, Shape> kernels[] = {
      {"3x3", {3, 3}}, {"13x13", {13, 13}}, {"5x3", {5, 3}}, {"4x6", {4, 6}}};
  for (const auto& [name, shape] : kernels) {
    const std::string group = std::string("/convolution/kernel_") + name;
    auto config = numbers(shape, reference.values(group + "/kernel"));
    for (const std::string& backend : test::backends())
      for (const char* method : {"direct", "fft"}) {
        config.method = method;
        CAPTURE(group);
        CAPTURE(backend);
        CAPTURE(method);
        const double gate = 16 * std::numeric_limits<T>::epsilon();
        const auto error = [&](const std::string& dataset) {
          return relative_error(filtered<T>(config, image_shape, image, backend),
                                reference.values(group + dataset), config.weights, image);
        };
        config.mode = FilterMode::same;
        for (const auto& edge : name_table<Edge>) {
          config.edge = edge.value;
          CAPTURE(edge.name);
          config.kind = FilterKind::convolve;
          CHECK(error(std::string("/convolve/") + edge.name) < gate);
          config.kind = FilterKind::correlate;
          CHECK(error(std::string("/correlate/") + edge.name) < gate);
        }
        config.kind = FilterKind::convolve;
        config.edge = Edge::constant;
        config.mode = FilterMode::full;
        CHECK(error("/convolve/full") < gate);
        config.mode = FilterMode::valid;
        CHECK(error("/convolve/valid") < gate);
      }
  }
}

TEST_CASE_TEMPLATE("1-D filters equal numpy.convolve in every mode", T, float, double) {
  const test::ReferenceData reference;
  const auto signal = reference.values("/convolution/one_dimensional/signal");
  auto config = numbers({1, 5}, reference.values("/convolution/one_dimensional/kernel"));
  config.one_dimensional = true;
  config.edge = Edge::constant;
  for (const std::string& backend : test::backends())
    for (const auto& mode : name_table<FilterMode>) {
      CAPTURE(mode.name);
      config.mode = mode.value;
      const auto found = filtered<T>(config, {1, std::ssize(signal)}, signal, backend);
      CHECK(relative_error(
                found, reference.values(std::string("/convolution/one_dimensional/") + mode.name),
                config.weights, signal) < 2 * std::numeric_limits<T>::epsilon());
    }
}

TEST_CASE(
    "1-D filters with an even kernel, one longer than the signal, and a batch equal "
    "numpy.convolve") {
  auto config = numbers({1, 4}, {1, 2, 3, 4});
  config.one_dimensional = true;
  config.edge = Edge::constant;
  const std::vector<double> signal = {1, 10, 100};
  config.mode = FilterMode::same;
  CHECK(filtered<double>(config, {1, 3}, signal, "cpu") == std::vector<double>{12, 123, 234, 340});
  config.mode = FilterMode::valid;
  CHECK(filtered<double>(config, {1, 3}, signal, "cpu") == std::vector<double>{123, 234});
  config.mode = FilterMode::full;
  CHECK(filtered<double>(config, {2, 3}, {1, 10, 100, 0, 1, 0}, "cpu") ==
        std::vector<double>{1, 12, 123, 234, 340, 400, 0, 1, 2, 3, 4, 0});
}

TEST_CASE("1-D correlation with kernels longer than the signal equals numpy.correlate") {
  auto config = numbers({1, 4}, {1, 2, 3, 4});
  config.kind = FilterKind::correlate;
  config.one_dimensional = true;
  config.edge = Edge::constant;
  const auto found = [&](const std::vector<double>& signal) {
    return filtered<double>(config, {1, std::ssize(signal)}, signal, "cpu");
  };
  CHECK(found({1, 10, 100}) == std::vector<double>{43, 432, 321, 210});
  config.mode = FilterMode::full;
  CHECK(found({1, 10, 100}) == std::vector<double>{4, 43, 432, 321, 210, 100});
  config.mode = FilterMode::valid;
  CHECK(found({1, 10, 100}) == std::vector<double>{432, 321});
  config.mode = FilterMode::same;
  config.weights.push_back(5);
  config.shape.columns = 5;
  CHECK(found({1, 10}) == std::vector<double>{54, 43, 32, 21, 10});
  CHECK(found({1, 10, 100, 1000}) == std::vector<double>{543, 5432, 4321, 3210, 2100});
}

TEST_CASE("10^6 samples by 5 taps are within 4 ulp of the sum's magnitude on every backend") {
  const auto signal = test::random_field<double>({1, 1'000'000});
  auto config = numbers({1, 5}, {0.1, -0.7, 1.3, 0.4, -0.2});
  config.one_dimensional = true;
  config.mode = FilterMode::valid;
  for (const std::string& backend : test::backends()) {
    const auto found = filtered<double>(config, {1, 1'000'000}, signal, backend);
    REQUIRE(found.size() == 999'996);
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      long double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < 5; ++k) {
        const long double term = static_cast<long double>(config.weights[4 - k]) * signal[i + k];
        sum += term;
        magnitude += std::abs(term);
      }
      const double ulp = std::numeric_limits<double>::epsilon() * static_cast<double>(magnitude) +
                         std::numeric_limits<double>::denorm_min();
      worst = std::max(worst, static_cast<double>(std::abs(sum - found[i])) / ulp);
    }
    CHECK(worst <= 4);
  }
}

TEST_CASE("named kernels have their sums, signs and directions") {
  FilterConfig config;
  const Shape shape{9, 11};
  std::vector<double> ramp(99);
  for (std::size_t i = 0; i < 99; ++i)
    ramp[i] = 3. * static_cast<double>(i / 11) + static_cast<double>(i % 11);
  const auto centre = [&](KernelKind kernel, FilterKind kind) {
    config.kernel = kernel;
    config.kind = kind;
    return filtered<double>(config, shape, ramp, "cpu")[4 * 11 + 5];
  };
  for (const auto& kind : name_table<FilterKind>) {
    CHECK(centre(KernelKind::sobel_rows, kind.value) == 8 * 3);
    CHECK(centre(KernelKind::sobel_columns, kind.value) == 8);
    CHECK(centre(KernelKind::laplacian, kind.value) == 0);
    CHECK(centre(KernelKind::box, kind.value) == doctest::Approx(4 * 3 + 5));
  }
  config.kernel = KernelKind::gaussian;
  config.sigma = {1.5, 0.7};
  const auto gaussian = make_correlation<double>(config, shape);
  CHECK(gaussian.window == Shape{13, 7});  // 2 * floor(4 * sigma + 1/2) + 1
  CHECK(std::accumulate(gaussian.weights.begin(), gaussian.weights.end(), 0.) ==
        doctest::Approx(1).epsilon(1e-15));
}

TEST_CASE("a NaN spreads to where a nonzero weight touches it, by every method that auto takes") {
  const Shape shape{120, 130};
  std::vector<double> field(120 * 130, 1.);
  field[60 * 130 + 65] = std::numeric_limits<double>::quiet_NaN();
  auto config = numbers({45, 45}, std::vector<double>(45 * 45));
  for (std::size_t i = 0; i < config.weights.size(); ++i)
    config.weights[i] = i % 7 == 0 ? 0. : 1. / static_cast<double>(1 + i);
  REQUIRE(choose_method(config, make_correlation<double>(config, shape), "cpu").method ==
          FilterMethod::fft);
  const auto found = filtered<double>(config, shape, field, "cpu");
  const auto count = std::ranges::count_if(config.weights, [](double w) { return w != 0; });
  CHECK(std::ranges::count_if(found, [](double v) { return std::isnan(v); }) == count);
}

TEST_CASE("weights that cannot be used are refused") {
  auto config = numbers({1, 2}, {1, -1});
  config.normalize = true;
  CHECK_THROWS_WITH_AS(make_correlation<float>(config, {5, 5}),
                       doctest::Contains("the weights add up to 0"), ConfigError);
  config = numbers({1, 1}, {1e300});
  CHECK_THROWS_WITH_AS(make_correlation<float>(config, {5, 5}),
                       doctest::Contains("a weight is 1e+300"), ConfigError);
  config = numbers({7, 1}, std::vector<double>(7, 1.));
  config.mode = FilterMode::valid;
  CHECK_THROWS_WITH_AS(make_correlation<float>(config, {5, 5}),
                       doctest::Contains("a window of 7 cells along an axis does not fit"),
                       ConfigError);
  config = numbers({2, 2}, {1, 2, 3, 4});
  config.method = "separable";
  CHECK_THROWS_WITH_AS(choose_method(config, make_correlation<float>(config, {5, 5}), "cpu"),
                       doctest::Contains("no product of a column and a row"), ConfigError);
}

TEST_CASE_TEMPLATE("a run takes filters whose results have the grid's shape, and refuses others", T,
                   float, double) {
  std::mt19937 random(1);
  const auto between = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  int taken = 0;
  for (int n = 0; n < 600; ++n) {
    const Shape grid{between(1, 12), between(1, 12)};
    const bool line = between(0, 1) == 0;
    const Shape window{line ? 1 : between(1, 15), between(1, 15)};
    auto config =
        numbers(window, std::vector<double>(static_cast<std::size_t>(window.cells()), 1.));
    config.one_dimensional = line;
    config.mode = name_table<FilterMode>[static_cast<std::size_t>(between(0, 2))].value;
    CAPTURE(n);
    try {
      const auto correlation = correlation_on_grid<T>(config, grid);
      REQUIRE(correlation.output == grid);
      ++taken;
    } catch (const ConfigError& error) {
      CHECK(std::string(error.what()).starts_with("filter filtered: "));
      const bool shrinks = config.mode == FilterMode::valid && window.cells() > 1;
      const bool grows = config.mode == FilterMode::full && window.cells() > 1;
      const bool longer = line && window.columns > grid.columns;
      CHECK((shrinks || grows || longer));
    }
  }
  CHECK(taken > 100);
}

TEST_CASE_TEMPLATE("origin moves the window as scipy.ndimage's does", T, float, double) {
  // x = arange(20).reshape(4, 5)**2 % 17; scipy.ndimage.correlate(x, [[1, 2, 0], [-3, 5, 7]], ...)
  std::vector<double> x(20);
  for (int i = 0; i < 20; ++i) x[i] = i * i % 17;
  struct Case {
    FilterKind kind;
    std::array<std::int64_t, 2> origin;
    Edge edge;
    std::vector<double> expected;
  };
  const Case cases[] = {
      {FilterKind::correlate, {0, -1}, Edge::reflect, {35,  89,  167, 206, 143, 93,  169,
                                                       133, 158, 165, 33,  178, 160, 99,
                                                       169, 12,  22,  73,  79,  42}},
      {FilterKind::correlate, {-1, 1}, Edge::wrap, {123, 31, 93, 169, 133, 141, 91,  33, 178, 160,
                                                    79,  54, 12, 22,  73,  62,  -29, 39, 81,  147}},
      {FilterKind::convolve, {0, -1}, Edge::reflect, {31, 15,  12, 43, 64,  75, 122, 33, 82, 172,
                                                      56, 183, 93, 7,  115, 27, 54,  35, 5,  -1}}};
  auto config = numbers({2, 3}, {1, 2, 0, -3, 5, 7});
  for (const std::string& backend : test::backends())
    for (const Case& known : cases)
      for (const char* method : {"direct", "fft"}) {
        config.kind = known.kind;
        config.origin = known.origin;
        config.edge = known.edge;
        config.method = method;
        CAPTURE(method);
        CHECK(test::largest_difference(filtered<T>(config, {4, 5}, x, backend), known.expected) <
              (config.method == "direct" ? 1e-30 : 500 * std::numeric_limits<T>::epsilon()));
      }
  // A window of two passes equals the same window in one.
  FilterConfig box;
  box.kernel = KernelKind::box;
  box.size = {3, 5};
  box.origin = {-1, 2};
  box.method = "direct";
  const auto one = filtered<T>(box, {4, 5}, x, "cpu");
  box.method = "separable";
  CHECK(test::largest_difference(filtered<T>(box, {4, 5}, x, "cpu"), one) <
        200 * std::numeric_limits<T>::epsilon());
  const auto refused = [&](const FilterConfig& wrong) {
    try {
      make_correlation<T>(wrong, {4, 5});
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto with = [&](FilterConfig changed, std::array<std::int64_t, 2> origin) {
    changed.origin = origin;
    return refused(changed);
  };
  CHECK(with(box, {2, 0}) ==
        "filter filtered: origin: found 2 with a window of 3 cells (expected -1 to 1)");
  CHECK(with(config, {1, 0}).ends_with("found 1 with a window of 2 cells (expected -1 to 0)"));
  CHECK(with(config, {-1, 0}).empty());
  box.mode = FilterMode::full;
  CHECK(
      with(box, {0, 1}).starts_with("filter filtered: origin: found 1 (expected 0, or mode same"));
  auto line = numbers({1, 3}, {1, 2, 3});
  line.one_dimensional = true;
  CHECK(with(line, {1, -1}) ==
        "filter filtered: origin: found [1, -1] (expected one number: the window is a row)");
  CHECK(with(line, {1, 1}).empty());
}

TEST_CASE_TEMPLATE("nan: skip leaves NaN out and scales the sum of the others", T, float, double) {
  const Shape shape{9, 11};
  const double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> x(99), marked(99);
  for (int i = 0; i < 99; ++i) x[i] = std::sin(i * i);
  marked = x;
  for (const int hole : {0, 14, 15, 16, 17, 18, 25, 26, 27, 28, 29, 36, 37, 38, 39, 40, 98})
    marked[hole] = none;
  FilterConfig config;
  config.kernel = KernelKind::gaussian;
  config.sigma = {1, 1};
  config.size = {3, 5};
  config.nan = NanCells::skip;
  for (const std::string& backend : test::backends())
    for (const char* method : {"direct", "separable"})
      for (const auto& edge : name_table<Edge>) {
        config.method = method;
        config.edge = edge.value;
        config.constant = 0.5;
        CAPTURE(method);
        CAPTURE(edge.name);
        const auto correlation = make_correlation<double>(config, shape);
        const auto found = filtered<T>(config, shape, marked, backend);
        FilterConfig plain = config;
        plain.nan = NanCells::spread;
        const auto of_all = filtered<T>(plain, shape, x, backend);
        CHECK(filtered<T>(config, shape, x, backend) == of_all);
        for (std::int64_t row = 0; row < 9; ++row)
          for (std::int64_t column = 0; column < 11; ++column) {
            double sum = 0, present = 0, weights = 0;
            for (std::int64_t a = 0; a < 3; ++a)
              for (std::int64_t b = 0; b < 5; ++b) {
                const std::int64_t i = edge_index(edge.value, row + a - 1, 9),
                                   j = edge_index(edge.value, column + b - 2, 11);
                const double value = i < 0 || j < 0 ? 0.5 : marked[i * 11 + j];
                const double weight = correlation.weights[a * 5 + b];
                weights += weight;
                if (std::isnan(value)) continue;
                sum += weight * value;
                present += weight;
              }
            const double result = found[row * 11 + column];
            CAPTURE(row);
            CAPTURE(column);
            CHECK(std::isnan(result) == (present == 0));
            if (present == 0) continue;
            CHECK(std::abs(result - sum / present * weights) <
                  100 * std::numeric_limits<T>::epsilon());
            if (present == weights) CHECK(result == of_all[row * 11 + column]);
          }
        CHECK(std::isnan(found[2 * 11 + 5]));
      }
  config.method = "fft";
  CHECK_THROWS_WITH_AS(
      filtered<T>(config, shape, x, "cpu"),
      "filter filtered: nan: skip: found method fft, whose sums over NaN alone are "
      "not 0 (expected auto, direct or separable)",
      ConfigError);
  for (const auto& [kernel, least] :
       {std::pair(KernelKind::laplacian, "-4"), {KernelKind::sobel_rows, "-2"}}) {
    config.kernel = kernel;
    CHECK_THROWS_WITH_AS(make_correlation<T>(config, shape),
                         fmt::format("filter filtered: nan: skip: found the weight {} (expected "
                                     "weights of 0 and more, some of them above 0)",
                                     least)
                             .c_str(),
                         ConfigError);
  }
}
