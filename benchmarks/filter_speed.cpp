// Measures the filters: compares each result with the plain sum, warms up, then prints median
// times.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kernels/filters/cpu/cpu_filter.hpp"
#ifdef LAPL_HAS_CUDA
#include "benchmarks/filter_speed_cuda.hpp"
#endif

namespace {

using namespace lapl;

struct Options {
  bool cuda = false;
  bool json = false;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Pseudo-random values in [-1, 1).
double scattered(std::size_t i) {
  return static_cast<double>((i * 2654435761u >> 7) % 1999) / 999.5 - 1;
}

// True if `found` is bit-identical to `expected`, or equal within rounding.
template <class T>
bool agrees(const std::vector<T>& found, const std::vector<T>& expected, bool to_the_bit,
            double weights) {
  const double bound = to_the_bit ? 0 : 16 * std::numeric_limits<T>::epsilon() * weights;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])) <= bound))
      return false;
  return true;
}

template <class T>
std::vector<double> cpu_seconds(const Correlation<T>& correlation, FilterMethod method,
                                const std::vector<T>& input, std::vector<T>& output) {
  const auto filter = make_cpu_filter(FilterPlan<T>{correlation, method}, omp_get_num_procs());
  filter->apply(input.data(), output.data());
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 15; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    filter->apply(input.data(), output.data());
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return seconds;
}

template <class T>
Correlation<T> example(Shape shape, Shape window, bool rank_one) {
  Correlation<T> correlation{shape, shape, window, {}, window.rows / 2, window.columns / 2};
  const double share = 1 / static_cast<double>(window.cells());
  for (std::int64_t i = 0; i < window.cells(); ++i) {
    const auto place = static_cast<std::size_t>(i + cell_at(window, i).row + 17);
    correlation.weights.push_back(static_cast<T>(rank_one ? share : share * scattered(place)));
  }
  return correlation;
}

template <class T>
void measure(const Options& options, Shape shape, Shape window, bool rank_one) {
  const auto correlation = example<T>(shape, window, rank_one);
  double weights = 0;
  for (const T weight : correlation.weights) weights += std::abs(static_cast<double>(weight));
  std::vector<T> input(static_cast<std::size_t>(shape.cells())), expected(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<T>(scattered(i));
  make_cpu_filter(FilterPlan<T>{correlation, FilterMethod::direct}, omp_get_num_procs())
      ->apply(input.data(), expected.data());

  std::vector<std::pair<const char*, FilterMethod>> methods = {{"direct", FilterMethod::direct}};
  if (rank_one) methods.emplace_back("separable", FilterMethod::separable);
  if (window.cells() > 100) methods.emplace_back("fft", FilterMethod::fft);
  for (const auto& [name, method] : methods) {
    std::vector<T> output(input.size(), std::numeric_limits<T>::quiet_NaN());
#ifdef LAPL_HAS_CUDA
    const auto seconds = options.cuda ? device_seconds(correlation, method, input, output)
                                      : cpu_seconds(correlation, method, input, output);
#else
    const auto seconds = cpu_seconds(correlation, method, input, output);
#endif
    if (!agrees(output, expected, method == FilterMethod::direct, weights)) {
      fmt::print(stderr, "{} {} x {}: differs from the sum as it stands\n", name, window.rows,
                 window.columns);
      std::exit(1);
    }
    const double taken = median(seconds), least = *std::ranges::min_element(seconds);
    fmt::print(
        fmt::runtime(
            options.json
                ? "{{\"precision\": \"{}\", \"shape\": [{}, {}], \"window\": [{}, {}], "
                  "\"method\": \"{}\", \"rank_one\": {}, \"microseconds\": {:.3f}, \"least\": "
                  "{:.3f}}}\n"
                : "{:<8} {:>6} x {:<8} {:>3} x {:<3} {:<10} rank one: {:<6} {:>10.2f} us  (least "
                  "{:.2f})\n"),
        sizeof(T) == 4 ? "float32" : "float64", shape.rows, shape.columns, window.rows,
        window.columns, name, rank_one, 1e6 * taken, 1e6 * least);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--json")
      options.json = true;
    else if (argument == "cuda" || argument == "cpu")
      options.cuda = argument == "cuda";
    else
      return fmt::print(stderr, "{}: expected cpu, cuda or --json\n", argument), 2;
  }
#ifndef LAPL_HAS_CUDA
  if (options.cuda) return fmt::print(stderr, "CUDA was not compiled in\n"), 5;
#endif
  const Shape image = options.cuda ? Shape{4096, 4096} : Shape{2000, 2000};
  measure<float>(options, {1000, 2000}, {3, 3}, false);
  measure<float>(options, {200, 200}, {13, 13}, false);
  for (const std::int64_t size : {3, 13, 31}) {
    measure<float>(options, image, {size, size}, false);
    measure<float>(options, image, {size, size}, true);
  }
  measure<double>(options, {1, 1'000'000}, {1, 5}, false);
#ifdef LAPL_HAS_CUDA
  if (!options.cuda) return 0;
  const auto [filter, copy] = sequence_seconds(example<float>({1080, 1920}, {13, 13}, false), 1000);
  fmt::print(stderr,
             "1000 frames of 1080 x 1920, 13 x 13: {:.1f} us a frame; copying one in: {:.1f} us "
             "({:.0f}% of that bandwidth)\n",
             1e6 * filter, 1e6 * copy, 100 * copy / filter);
#endif
}
