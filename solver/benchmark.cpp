#include "solver/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/error.hpp"
#include "kernels/pcg64.hpp"

namespace lapl {
namespace {

template <class T>
std::vector<T> random_field(Shape shape) {
  std::vector<T> field(static_cast<std::size_t>(shape.cells()));
  draw_noise(numpy_generator(1), 0, shape.cells(), [&](std::int64_t index, float value) {
    field[static_cast<std::size_t>(index)] = static_cast<T>(value);
  });
  return field;
}

// About two thousand million updates of the reference engine, but at least 20 steps; odd, so that
// engines which block time have a rest.
std::int64_t steps_to_verify(Shape shape) {
  return std::clamp<std::int64_t>(2'000'000'000 / shape.cells(), 20, 1000) | 1;
}

// Throws unless `backend`, which starts from `field`, has the reference engine's bits.
template <class T>
void verify(Backend<T>& backend, const Problem<T>& problem, const std::vector<T>& field,
            std::int64_t steps) {
  const auto reference = make_backend<T>("cpu", "reference", problem, 0);
  reference->set_state(field);
  reference->advance(steps);
  reference->capture(false);
  backend.advance(steps);
  backend.capture(false);
  const auto expected = reference->captured().field, found = backend.captured().field;
  if (std::memcmp(expected.data(), found.data(), expected.size_bytes()) != 0)
    throw NumericalError(fmt::format("engine {}: differs from the reference engine after {} steps",
                                     backend.description().engine, steps));
}

template <class T>
double seconds_of(Backend<T>& backend, std::int64_t steps) {
  const double before = backend.stepping_seconds();
  backend.advance(steps);
  return backend.stepping_seconds() - before;
}

// Steps that take about a fifth of a second; finding them warms the engine up.
template <class T>
std::int64_t steps_to_time(Backend<T>& backend) {
  std::int64_t steps = 16;
  while (seconds_of(backend, steps) < 0.1) steps *= 2;
  return steps * 2;
}

}  // namespace

template <class T>
BenchmarkResult benchmark(const BenchmarkCase& of, std::int64_t steps, int repeats) {
  const Problem<T> problem{of.shape, of.boundaries, T(0.25), T(1)};
  const auto backend = make_backend(of.backend, of.engine, problem, of.threads);
  const std::vector<T> field = random_field<T>(of.shape);
  backend->set_state(field);
  BenchmarkResult result;
  result.description = backend->description();
  result.verified_steps = steps_to_verify(of.shape);
  verify(*backend, problem, field, result.verified_steps);
  const std::int64_t enough = steps_to_time(*backend);
  result.steps = steps > 0 ? steps : enough;
  result.repeats = repeats;
  std::vector<double> seconds;
  for (int repeat = 0; repeat < repeats; ++repeat)
    seconds.push_back(seconds_of(*backend, result.steps));
  std::ranges::sort(seconds);
  result.seconds = seconds[seconds.size() / 2];
  result.fastest = seconds.front();
  result.slowest = seconds.back();
  result.updates_per_second =
      static_cast<double>(of.shape.cells()) * static_cast<double>(result.steps) / result.seconds;
  result.ceilings = backend->ceilings();
  return result;
}
template BenchmarkResult benchmark<float>(const BenchmarkCase&, std::int64_t, int);
template BenchmarkResult benchmark<double>(const BenchmarkCase&, std::int64_t, int);

}  // namespace lapl
