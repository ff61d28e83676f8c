// Random equations on every engine that supports them are bit-identical to the reference.
// LAPL_RANDOM_PROBLEMS=10000 sets the number of equations, LAPL_RANDOM_SEED=N the first seed,
// LAPL_RANDOM_SOLVES=100 the percentage of those with a solve over the grid.
#include "random_problems.hpp"

#include <doctest/doctest.h>

#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "tests/backends.hpp"

using namespace lapl;

namespace {

template <class T>
std::vector<T> random_stepped(const std::string& backend_name, const std::string& engine,
                              const Problem<T>& problem, const test::RandomProblem& of,
                              const std::vector<T>& state) {
  const auto backend = make_backend<T>(backend_name, engine, problem, of.threads);
  if (of.compiled) backend->settle();
  backend->set_state(state, 5);
  backend->advance(of.steps);
  return copy_of_state(*backend);
}

struct RandomCounts {
  int tried = 0, refused = 0, compared = 0, not_finite = 0, solved = 0;
};

template <class T>
void compare_engines(test::RandomProblem& random, RandomCounts& counts) {
  Problem<T> problem;
  try {
    problem = make_problem<T>(Model(random.run), test::coefficient_fields(random.run));
  } catch (const FormulaError&) {  // such as a division by 0 or an operator on a number
    ++counts.refused;
    return;
  }
  const std::vector<T> state = random.state<T>();
  std::vector<T> expected;
  try {
    expected = random_stepped<T>("cpu", "reference", problem, random, state);
  } catch (const FormattedError&) {  // a solve without a solution, or not linear
    ++counts.refused;
    return;
  }
  counts.solved += problem.systems.empty() ? 0 : 1;
  counts.not_finite += std::ranges::any_of(expected, [](T v) { return !std::isfinite(v); });
  for (const std::string& backend : test::backends())
    for (const EngineInfo& engine : engine_table) {
      if (engine.backend != backend || engine.name == "reference") continue;
      CAPTURE(engine.name);
      try {
        const auto found =
            random_stepped<T>(backend, std::string(engine.name), problem, random, state);
        ++counts.compared;
        CHECK(test::same_but_for_kinds_of_nan(found, expected));
      } catch (const EngineUnsuitable&) {  // the engine does not support this problem
      }
    }
}

}  // namespace

TEST_CASE("random equations: every engine that takes one equals the reference to the bit" *
          doctest::test_suite("slow")) {
  const std::uint64_t first = test::number_from("LAPL_RANDOM_SEED", 1);
  const std::uint64_t count = test::number_from("LAPL_RANDOM_PROBLEMS", 250);
  RandomCounts counts;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const bool on_gpu = std::ranges::count(test::backends(), "cuda") > 0;
    test::RandomProblem random(seed, on_gpu && seed % 4 == 0);  // wide: for engine streaming
    random.compiled = seed % 8 == 0 || count != 250;            // compiling takes time
    const std::string text = random.text();
    CAPTURE(seed);
    CAPTURE(text);
    ++counts.tried;
    if (random.run.precision == Precision::float32)
      compare_engines<float>(random, counts);
    else
      compare_engines<double>(random, counts);
  }
  MESSAGE("tried ", counts.tried, ", refused ", counts.refused, ", engines compared ",
          counts.compared, ", with values that are not finite ", counts.not_finite,
          ", with solves ", counts.solved);
  CHECK(counts.compared > counts.tried / 2);
}

// GCC turns -fma(2, v, 0) into fnms(2, v, 0), which is +0 instead of -0 if v is 0.
TEST_CASE("the sign of a sum that is 0 is changed in code compiled at run time too") {
  const RunConfig run =
      test::formula_run({3, 40}, {{"u", "min(-(2 * v + abs(v)), 1)"}, {"v", "0"}});
  const auto problem = make_problem<float>(Model(run), {});
  std::vector<float> state(problem.values(), -0.0f);
  std::fill_n(state.begin() + 120, 120, 0.0f);
  for (const EngineInfo& engine : engine_table) {
    if (engine.backend != "cpu") continue;
    CAPTURE(engine.name);
    const auto backend = make_backend<float>("cpu", std::string(engine.name), problem, 1);
    backend->settle();
    backend->set_state(state);
    backend->advance(1);
    const auto capture = backend->capture();
    CHECK(std::ranges::all_of(capture.wait().field(0), [](float u) { return std::signbit(u); }));
  }
}

// A piece of a row without a huge angle or quotient is computed by functions without branches.
TEST_CASE_TEMPLATE("functions that branch for few cells have the reference's bits on every engine",
                   T, float, double) {
  RunConfig run = test::formula_run(
      {5, 700}, {{"u", "sin(u) + cos(2 * u) - tan(v) + 0.1 * floor(v)"},
                 {"v", "mod(v, 0.7) + mod(0.3, u) + sin(100 * cos(u)) + laplacian(sin(v))"}});
  run.precision = sizeof(T) == 4 ? Precision::float32 : Precision::float64;
  const auto problem = make_problem<T>(Model(run), {});
  std::vector<T> state(problem.values());
  for (std::size_t i = 0; i < state.size(); ++i)
    state[i] = static_cast<T>(std::sin(static_cast<double>(i)) * 20);
  state[20] = T(1e30), state[1450] = T(-1e9), state[2000] = std::numeric_limits<T>::infinity();
  state[2900] = T(-0.0), state[3700] = T(4e7), state[5600] = T(1e20);
  test::RandomProblem of(1, false);
  of.steps = 2, of.compiled = true;
  int compared = 0;
  const std::vector<T> expected = random_stepped<T>("cpu", "reference", problem, of, state);
  for (const std::string& backend : test::backends())
    for (const EngineInfo& engine : engine_table) {
      if (engine.backend != backend || engine.name == "reference") continue;
      CAPTURE(engine.name);
      try {
        const auto found = random_stepped<T>(backend, std::string(engine.name), problem, of, state);
        CHECK(test::same_but_for_kinds_of_nan(found, expected));
        ++compared;
      } catch (const EngineUnsuitable&) {
      }
    }
  CHECK(compared >= 3);
}

// Such a choice is an argument of the code, and so are not its operands.
TEST_CASE("a choice that is the same along rows is compiled") {
  std::string branch = "-5 + y";
  for (int i = 1; i < 14; ++i) branch += fmt::format(" + y / (y + {})", i);
  const RunConfig run =
      test::formula_run({40, 300}, {{"u", "where(y < 3, " + branch + ", 0) * u"}});
  const auto problem = make_problem<float>(Model(run), {});
  test::RandomProblem of(1, false);
  of.steps = 2, of.compiled = true;
  const std::vector<float> state(problem.values(), 0.7f);
  const auto backend = make_backend<float>("cpu", "threaded", problem, 1);
  backend->settle();
  CHECK(backend->description().setback == "");
  CHECK(random_stepped<float>("cpu", "threaded", problem, of, state) ==
        random_stepped<float>("cpu", "reference", problem, of, state));
}
