// Steps of equations in formulas, which tests compare between backends.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/kernels/random_problems.hpp"
#include "tests/test_field.hpp"

namespace lapl::test {

inline RunConfig gray_scott(Shape shape, Boundaries boundaries) {
  RunConfig run = formula_run(shape, {{"u", "0.16 * laplacian(u) - u * v^2 + F * (1 - u)"},
                                      {"v", "0.08 * laplacian(v) + u * v^2 - 0.1 * v"}});
  run.boundaries = boundaries;
  run.time_step = 0.1;
  run.parameters["F"] = number_parameter(0.035);
  return run;
}

/// A state after steps by `how`, with its digest.
template <class T>
struct FormulaSteps {
  std::vector<T> state;
  std::uint64_t digest = 0;
  std::string how;
};
/// Steps from `state`, the one after three steps, by code that is compiled: once for each of
/// `steps`.
template <class T>
FormulaSteps<T> formula_steps(const std::string& backend_name, const std::string& engine,
                              const Problem<T>& problem, const std::vector<T>& state,
                              const std::vector<std::int64_t>& steps) {
  const auto backend = make_backend<T>(backend_name, engine, problem, 2);
  backend->settle();
  backend->set_state(state, 3);
  for (const std::int64_t some : steps) backend->advance(some);
  const auto capture = backend->capture();
  const Captured<T> after = capture.wait();
  return {{after.state.begin(), after.state.end()}, after.digest, backend->description().reason};
}

template <class T>
std::vector<T> values_near_one(const Problem<T>& problem) {
  std::mt19937_64 generator(7);
  std::vector<T> values(problem.values());
  for (T& value : values)
    value = static_cast<T>(0.5 + static_cast<double>(generator() >> 11) * 0x1p-53);
  return values;
}

}  // namespace lapl::test
