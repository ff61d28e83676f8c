// How fast the CPU's filters are. Verifies, warms up, then takes turns, so that a machine that gets
// slower gets slower for all; prints medians.
//
//   build/bin/lapl_filter_speed [ROWS COLUMNS]
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

#include "kernels/cpu/filter.hpp"

namespace {

using namespace lapl;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Values in [-1, 1) that look random.
double scattered(std::size_t i) {
  return static_cast<double>((i * 2654435761u >> 7) % 1999) / 999.5 - 1;
}

template <class T>
struct Contender {
  std::string name;
  std::unique_ptr<CpuFilter<T>> filter;
  std::vector<double> seconds = {};
};

// Whether `found` is `expected`, to the bit or as rounding allows it.
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
void measure(Shape shape, Shape window, bool rank_one) {
  Correlation<T> correlation{shape, shape, window, {}, window.rows / 2, window.columns / 2};
  double weights = 0;
  for (std::int64_t i = 0; i < window.cells(); ++i) {
    const Cell at = cell_at(window, i);
    const double weight = rank_one ? 1 / static_cast<double>(window.cells())
                                   : scattered(static_cast<std::size_t>(i + at.row + 17)) /
                                         static_cast<double>(window.cells());
    correlation.weights.push_back(static_cast<T>(weight));
    weights += std::abs(weight);
  }
  std::vector<T> input(static_cast<std::size_t>(shape.cells())), expected(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<T>(scattered(i));
  apply_reference(correlation, input.data(), expected.data());

  const int threads = omp_get_num_procs();
  std::vector<Contender<T>> contenders;
  const auto enter = [&](const char* name, FilterMethod method) {
    contenders.push_back({name, make_cpu_filter(correlation, method, threads)});
  };
  enter("direct", FilterMethod::direct);
  if (separate(correlation)) enter("separable", FilterMethod::separable);
  enter("fft", FilterMethod::fft);

  std::vector<T> output(input.size());
  for (const auto& [name, filter, seconds] : contenders) {
    std::ranges::fill(output, std::numeric_limits<T>::quiet_NaN());
    filter->apply(input.data(), output.data());
    if (!agrees(output, expected, name == "direct", weights)) {
      fmt::print("{} {} x {}: differs from the reference\n", name, window.rows, window.columns);
      std::exit(1);
    }
  }
  for (int repeat = 0; repeat < 15; ++repeat)
    for (auto& [name, filter, seconds] : contenders) {
      const auto start = std::chrono::steady_clock::now();
      filter->apply(input.data(), output.data());
      seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  const double cells = static_cast<double>(shape.cells());
  for (const auto& [name, filter, seconds] : contenders)
    fmt::print("{:<8} {:>12}  {:>8}  {:<10} {:8.3f} ms  (least {:8.3f})  {:7.3f} GCells/s\n",
               sizeof(T) == 4 ? "float32" : "float64",
               fmt::format("{} x {}", shape.rows, shape.columns),
               fmt::format("{} x {}", window.rows, window.columns), name, 1e3 * median(seconds),
               1e3 * *std::ranges::min_element(seconds), cells / median(seconds) / 1e9);
}

}  // namespace

int main(int argc, char** argv) {
  const Shape shape =
      argc > 2 ? Shape{std::atoll(argv[1]), std::atoll(argv[2])} : Shape{2000, 2000};
  for (const std::int64_t size : {3, 13, 31}) {
    measure<float>(shape, {size, size}, false);
    measure<float>(shape, {size, size}, true);
  }
  measure<double>({1, 1'000'000}, {1, 5}, false);
  measure<float>({1, 1'000'000}, {1, 5}, false);
}
