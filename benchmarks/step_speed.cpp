// Compares the engines with the simplest loop (plain_loop.hpp). It compares the results, warms
// up, then lets the engines take turns, so that a machine that slows down slows all of them; it
// prints medians.
//
//   build/bin/lapl_step_speed [[PLANES] ROWS COLUMNS STEPS [BACKEND]]
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "benchmarks/plain_loop.hpp"
#include "kernels/backend.hpp"
#include "kernels/engines.hpp"

namespace {

using namespace lapl;

struct Contender {
  std::string name;
  std::function<void()> advance;
  std::vector<double> seconds = {};
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

template <class T>
void measure(Shape shape, std::int64_t steps, const std::string& backend) {
  const T coefficient = shape.axes == 3 ? T(0.125) : T(0.25);
  const auto problem = problem_of_stage<T>(shape, {}, diffusion_tree(shape.axes, coefficient));
  std::vector<T> field(static_cast<std::size_t>(shape.cells()));
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = static_cast<T>((i * 2654435761u >> 7) % 1000) / 1000;

  const int threads = omp_get_num_procs();
  std::vector<T> plain = field, plain_next(field.size());
  std::vector<std::unique_ptr<Backend<T>>> backends;
  std::vector<Contender> contenders;
  contenders.push_back({"plain OpenMP loop", [&] {
                          plain_steps(plain.data(), plain_next.data(), shape, coefficient, steps);
                        }});
  for (const EngineInfo& engine : engine_table) {
    if (engine.backend != backend || engine.name == "reference") continue;
    backends.push_back(make_backend(backend, std::string(engine.name), problem, threads));
    backends.back()->set_state(field);
    contenders.push_back({std::string(engine.name), [made = backends.back().get(), steps] {
                            made->advance(steps);
                            made->stepping_seconds();  // waits for the device
                          }});
  }
  // This also warms up.
  for (Contender& contender : contenders) contender.advance();
  for (std::size_t i = 0; i < backends.size(); ++i) {
    if (!std::ranges::equal(backends[i]->capture().wait().state, plain)) {
      fmt::print("{}: differs from the plain loop\n", contenders[i + 1].name);
      std::exit(1);
    }
  }
  for (int repeat = 0; repeat < 7; ++repeat)
    for (Contender& contender : contenders) {
      const auto start = std::chrono::steady_clock::now();
      contender.advance();
      contender.seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  const double cells = static_cast<double>(shape.cells()) * static_cast<double>(steps);
  for (const Contender& contender : contenders)
    fmt::print("float{} {}, {} steps, {:<18} {:8.2f} GCells/s  {:.2f} of the plain loop\n",
               8 * sizeof(T), shape_text(shape), steps, contender.name,
               cells / median(contender.seconds) / 1e9,
               median(contenders.front().seconds) / median(contender.seconds));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::int64_t> numbers;
  int next = 1;
  for (; next < argc && std::atoll(argv[next]) > 0; ++next)
    numbers.push_back(std::atoll(argv[next]));
  if (numbers.size() < 3) numbers = {2000, 2000, 200};
  const std::int64_t steps = numbers.back();
  numbers.pop_back();
  const Shape shape = Shape::of(numbers);
  const std::string backend = next < argc ? argv[next] : "cpu";
  measure<float>(shape, steps, backend);
  measure<double>(shape, steps, backend);
}
