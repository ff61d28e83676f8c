#include "solver/benchmark.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "kernels/error.hpp"
#include "kernels/fields/pcg64.hpp"
#include "kernels/filters/frame_filter.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/ranks/rank_rows.hpp"
#include "kernels/ranks/ranked_backend.hpp"
#include "kernels/stages/stage_code.hpp"
#include "solver/filters/correlation.hpp"

namespace lapl {
namespace {

template <class T>
std::vector<T> random_field(Shape shape, RowRange rows) {
  const std::int64_t first = rows.first * shape.columns, even = first - first % 2;
  std::vector<T> field(rows.count * shape.columns);
  draw_noise(numpy_generator(1), even, first - even + std::ssize(field),
             [&](std::int64_t index, float value) {
               if (index >= first) field[index - first] = static_cast<T>(value);
             });
  return field;
}

// The number of steps for about 2e9 cell updates, from 20 to 1000, and about `asked` at most if
// that is above 20. It is odd, so that engines with several steps per pass are also tested on a
// remainder.
std::int64_t steps_to_verify(Shape shape, std::int64_t asked) {
  const std::int64_t most = asked > 0 ? std::clamp<std::int64_t>(asked, 20, 1000) : 1000;
  return std::clamp<std::int64_t>(2'000'000'000 / shape.cells(), 20, most) | 1;
}

// Bound on the difference between stepped and spectral diffusion that rounding can cause
// (docs/numerics.md).
template <class T>
double rounding_gate(std::span<const T> field, std::int64_t steps) {
  double largest = 0;
  for (const T value : field) largest = std::max(largest, std::abs(static_cast<double>(value)));
  const double stepping =
      (8 + 0.1 * static_cast<double>(steps)) * std::numeric_limits<T>::epsilon();
  const double transforms = std::log2(static_cast<double>(field.size()) + 1) * 0x1p-52;
  return (stepping + transforms) / 2 * largest;
}

// The first of steps, steps / 2, steps / 4, ... after which the state is still finite.
template <class T>
std::int64_t finite_steps(Backend<T>& backend, const std::vector<T>& field, std::int64_t steps,
                          BenchmarkResult& result) {
  for (; steps > 0; steps /= 2) {
    backend.set_state(field);
    backend.advance(steps);
    if (!backend.capture().wait().first_not_finite) return steps;
    result.not_finite_after = steps;
  }
  throw NumericalError("the state is not finite after a step: there is nothing to measure");
}

// Throws NumericalError unless `backend` and `engine` compute the same bits from `field`. Values of
// the spectral engine need only agree within rounding_gate, those of etdrk2 and etdrk4, which one
// CPU thread repeats, within 100 times as much.
template <class T>
void verify(Backend<T>& backend, const std::string& engine, const Problem<T>& problem,
            const std::vector<T>& field, std::int64_t steps) {
  const bool is_exponential = problem.exponential != nullptr;
  const auto other = make_backend<T>("cpu", engine, problem, is_exponential ? 1 : 0);
  for (Backend<T>* const each : {other.get(), &backend}) {
    each->set_state(field);
    each->advance(steps);
  }
  const auto of_other = other->capture(), own = backend.capture();
  const auto expected = of_other.wait().state, found = own.wait().state;
  const double gate =
      is_exponential ? 100 * rounding_gate<T>(expected, steps) : rounding_gate<T>(field, steps);
  const auto near = [&](T a, T b) { return std::abs(a - b) <= gate; };
  if (is_exponential || problem.linear_rates
          ? !std::ranges::equal(expected, found, near)
          : std::memcmp(expected.data(), found.data(), expected.size_bytes()) != 0)
    throw NumericalError("engine {}: differs from engine {} after {} steps",
                         backend.description().engine, engine, steps);
}

// Does the same as verify for several ranks, by digests: the first rank steps the whole grid alone.
template <class T>
void verify_ranks(Backend<T>& backend, const Problem<T>& problem, const std::vector<T>& field,
                  std::int64_t steps, Ranks& ranks) {
  std::vector<T> whole;
  const std::size_t cells = field.size() / problem.state_fields();
  for (int i = 0; i < problem.state_fields(); ++i) {
    const auto part = gather_rows<T>(ranks, std::span(field).subspan(i * cells, cells));
    whole.insert(whole.end(), part.begin(), part.end());
  }
  std::uint64_t expected = 0;
  if (ranks.is_first()) {
    const bool by_modes = problem.exponential || problem.linear_rates;
    const auto other = make_backend<T>("cpu", by_modes ? "spectral" : "interpreted", problem, 0);
    other->set_state(whole);
    other->advance(steps);
    const auto capture = other->capture();
    expected = capture.wait().digest;
  }
  ranks.rest();
  backend.set_state(field);
  backend.advance(steps);
  if (backend.capture().wait().digest != of_first(ranks, expected))
    throw NumericalError("engine {} on {} ranks: differs from one rank after {} steps",
                         backend.description().engine, ranks.count(), steps);
}

// The seconds that the slowest rank takes for the steps.
template <class T>
double slowest_seconds(Backend<T>& backend, std::int64_t steps, Ranks& ranks) {
  ranks.any(false);
  const double before = backend.stepping_seconds();
  backend.advance(steps);
  return std::bit_cast<double>(
      ranks.reduce(Reduction::most, as_bits(backend.stepping_seconds() - before)));
}

// The number of steps that take about a fifth of a second. Finding it also warms the engine up.
template <class T>
std::int64_t steps_to_time(Backend<T>& backend, Ranks& ranks) {
  std::int64_t steps = 16;
  while (slowest_seconds(backend, steps, ranks) < 0.1) steps *= 2;
  return steps * 2;
}

// The filter's sum for one output cell, computed term by term in float64.
template <class T>
double plain_sum(const Correlation<T>& correlation, const std::vector<T>& input, Cell at) {
  double sum = 0;
  for (std::int64_t i = 0; i < correlation.window.cells(); ++i) {
    const Cell in_window = cell_at(correlation.window, i);
    const std::int64_t row = edge_index(
        correlation.edge, at.row + in_window.row - correlation.before_rows, correlation.input.rows);
    const std::int64_t column =
        edge_index(correlation.edge, at.column + in_window.column - correlation.before_columns,
                   correlation.input.columns);
    const T value = row < 0 || column < 0 ? correlation.constant
                                          : input[row * correlation.input.columns + column];
    sum += static_cast<double>(correlation.weights[i]) * static_cast<double>(value);
  }
  return sum;
}

// Compares about 2000 cells, evenly spread over the result, with plain_sum; returns their number.
template <class T>
std::int64_t verify_filter(const Correlation<T>& correlation, const std::vector<T>& input,
                           const T* found, const std::string& name) {
  const std::int64_t cells = correlation.output.cells(), every = cells / 2000 + 1;
  // A bound on the rounding of all terms, for inputs from 0 to 1.
  double weights = 0;
  for (const T weight : correlation.weights) weights += std::abs(static_cast<double>(weight));
  const double gate = static_cast<double>(16 + correlation.weights.size()) *
                      std::numeric_limits<T>::epsilon() * weights;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < cells; i += every, ++count)
    if (const double sum = plain_sum(correlation, input, cell_at(correlation.output, i));
        !(std::abs(sum - static_cast<double>(found[i])) <= gate))
      throw NumericalError("filter {}: cell {} is {} (expected {} within {:.2g})", name, i,
                           found[i], sum, gate);
  return count;
}

}  // namespace

template <class T>
BenchmarkResult benchmark(const BenchmarkCase& of, const CoefficientFields& coefficients,
                          std::int64_t steps, int repeats, Ranks& ranks) {
  RunConfig config;
  config.boundaries = of.boundaries;
  config.equation.coefficient = largest_stable_coefficient(of.shape.axes);
  if (of.config) config = *of.config;
  config.is_sample = config.shape != of.shape;
  config.shape = of.shape;
  config.engine = of.engine;
  const auto problem = make_problem<T>(Model(config), coefficients);
  const auto backend = ranks.count() == 1 ? make_backend(of.backend, of.engine, problem, of.threads)
                                          : make_ranked_backend(ranks, of.backend, of.engine,
                                                                problem, {}, of.threads);
  std::vector<T> field;
  if (of.config) {
    set_initial_state(*backend, config, coefficients, of.initial);
    field = copy_of_state(*backend);
  } else {
    field = random_field<T>(of.shape, backend->rows());
  }
  backend->settle();
  BenchmarkResult result;
  result.description = backend->description();
  // The reference engine is slow, so it verifies only as many steps as take a few seconds. The
  // interpreted engine, as simple but faster, verifies all of them.
  result.verified_steps = finite_steps(*backend, field, steps_to_verify(of.shape, steps), result);
  constexpr std::int64_t most_cells = 40'000'000;
  if (problem.exponential) result.verified_steps = 3;
  const std::int64_t plain = problem.exponential
                                 ? result.verified_steps
                                 : std::min(most_cells / of.shape.cells(), result.verified_steps);
  if (ranks.count() > 1)
    verify_ranks(*backend, problem, field, result.verified_steps, ranks);
  else if (plain > 0)
    verify(*backend, problem.exponential ? "auto" : "reference", problem, field, plain);
  if (ranks.count() == 1 && plain < result.verified_steps)
    verify(*backend, "interpreted", problem, field, result.verified_steps);
  constexpr std::int64_t of_spectral = 10'000;  // steps; any number costs the same
  result.steps = steps > 0             ? steps
                 : is_spectral(config) ? of_spectral
                                       : steps_to_time(*backend, ranks);
  result.steps = finite_steps(*backend, field, result.steps, result);
  result.repeats = repeats;
  std::vector<double> seconds;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    // Each repeat starts from the same state, because a growing state may not stay finite.
    backend->set_state(field);
    seconds.push_back(slowest_seconds(*backend, result.steps, ranks));
  }
  std::ranges::sort(seconds);
  result.seconds = seconds[seconds.size() / 2];
  result.fastest = seconds.front();
  result.slowest = seconds.back();
  result.updates_per_second =
      static_cast<double>(of.shape.cells()) * static_cast<double>(result.steps) / result.seconds;
  int arithmetic = 0;
  for (const Stage& stage : problem.stages) arithmetic += stage_layout(stage.tree).arithmetic;
  result.ceilings = measure_ceilings<T>(result.description, arithmetic);
  result.bytes_a_cell = 2 * sizeof(T) * static_cast<std::size_t>(problem.step_fields);
  return result;
}
LAPL_FOR_FLOATS(benchmark);

template <class T>
FilterBenchmark benchmark_filter(const std::string& backend, const FilterConfig& filter,
                                 Shape shape, int repeats, int threads) {
  const auto correlation = make_correlation<T>(filter, shape);
  const FilterMethod method = choose_method(filter, correlation, backend).method;
  const auto filterer = make_frame_filter<T>(backend, {correlation, method}, threads);
  const std::vector<T> input = random_field<T>(shape, RowRange::all(shape));
  FilterBenchmark result{.device = filterer->device(), .method = enum_name(method)};
  std::vector<double> seconds;
  // Repeat -1 warms up and is compared with plain_sum.
  for (int repeat = -1; repeat < repeats; ++repeat) {
    const double before = filterer->seconds();
    filterer->run(
        1, [&](std::int64_t, T* values) { std::ranges::copy(input, values); },
        [&](std::int64_t, const T* values) {
          if (repeat < 0)
            result.verified_cells = verify_filter(correlation, input, values, filter.name);
        });
    if (repeat >= 0) seconds.push_back(filterer->seconds() - before);
  }
  std::ranges::sort(seconds);
  result.seconds = seconds[seconds.size() / 2];
  result.fastest = seconds.front();
  result.slowest = seconds.back();
  return result;
}
LAPL_FOR_FLOATS(benchmark_filter);

}  // namespace lapl
