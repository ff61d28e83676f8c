// Steps of several ranks together are bit-identical to the reference on one rank.
#include <doctest/doctest.h>

#include <cstdlib>

#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/digest.hpp"
#include "kernels/ranks/local_problem.hpp"
#include "kernels/ranks/ranked_backend.hpp"
#include "kernels/ranks/ranks.hpp"
#include "tests/cuda/need_cuda.hpp"
#include "tests/kernels/random_problems.hpp"
#include "tests/ranks/ranks.hpp"

using namespace lapl;

namespace {

/// The rows `rows` of a state, field after field.
template <class T>
std::vector<T> some_rows(const std::vector<T>& state, Shape shape, RowRange rows) {
  std::vector<T> part;
  for (std::size_t field = 0; field < state.size() / shape.cells(); ++field) {
    const auto first = state.begin() + static_cast<std::int64_t>(field) * shape.cells() +
                       rows.first * shape.columns;
    part.insert(part.end(), first, first + rows.count * shape.columns);
  }
  return part;
}

/// Divisions of a problem into as many blocks as there are ranks, along all axes, with halos of one
/// step and of several.
template <class T>
std::vector<Decomposition> decompositions(const Problem<T>& problem) {
  const Faces<T>& faces = problem.faces.front();
  const std::int64_t reach = std::max<std::int64_t>(stages_reach(problem.stages), 1);
  const int ranks = test::ranks().count();
  std::vector<Decomposition> all;
  for (const RankCosts& costs :
       {costs_of_cores, costs_of_gpus, costs_between_machines, costs_through_host})
    for (const std::string backend : {"cpu", "cuda"})
      all.push_back(decompose(problem_division(problem, {}, backend, "auto", ranks, costs)));
  for (int planes = 1; planes <= ranks; ++planes)
    for (int rows = 1; planes * rows <= ranks; ++rows)
      for (int columns = 1; planes * rows * columns <= ranks; ++columns)
        for (const std::int64_t steps : {1, 3}) {
          Decomposition by{
              .grid = problem.shape,
              .endless = {faces.planes.wrap(), faces.rows.wrap(), faces.columns.wrap()},
              .ranks = ranks,
              .counts = {planes, rows, columns},
              .depth = steps * reach};
          bool fits = true;
          for (std::size_t axis = 0; axis < 3; ++axis)
            fits = fits &&
                   (!by.is_cut(axis) || by_axis(problem.shape)[axis] / by.counts[axis] >= by.depth);
          if (fits && by.stepping() > 1) all.push_back(by);
        }
  return all;
}

struct BackendAndEngine {
  std::string backend, engine;
};

template <class T>
int compare(test::RandomProblem& random, std::uint64_t seed,
            const std::vector<BackendAndEngine>& steppers) {
  Problem<T> problem;
  std::vector<DerivedOutput<T>> derived;
  try {
    const CoefficientFields fields = test::coefficient_fields(random.run);
    problem = make_problem<T>(Model(random.run), fields);
    derived = test::derived_plans<T>(random.run, fields, random.derived());
  } catch (const FormulaError&) {
    return 0;
  }
  const std::vector<T> state = random.state<T>();
  const auto reference = make_backend<T>("cpu", "reference", problem, 1);
  reference->set_derived(derived);
  reference->set_state(state, 5);
  try {
    reference->advance(random.steps);
  } catch (const FormattedError&) {  // a solve without a solution, or not linear
    return 0;
  }
  const auto of_whole = reference->capture(true);
  const Captured<T> whole = of_whole.wait();
  const std::vector<T> expected(whole.state.begin(), whole.state.end());
  const std::vector<Decomposition> all = decompositions(problem);
  int compared = 0;
  for (const BackendAndEngine& stepper : steppers) {
    const Decomposition& by = all[seed % all.size()];
    CAPTURE(stepper.backend);
    CAPTURE(stepper.engine);
    CAPTURE(by.counts[0]);
    CAPTURE(by.counts[1]);
    CAPTURE(by.counts[2]);
    CAPTURE(by.depth);
    Problem<T> given = problem;  // the first rank alone has the coefficients
    if (!test::ranks().is_first()) {
      std::ranges::fill(given.coefficients, nullptr);
      std::ranges::fill(given.systems, nullptr);
    }
    const auto backend = make_ranked_backend<T>(test::ranks(), stepper.backend, stepper.engine,
                                                given, derived, 1, by);
    // Here NCCL sees as many machines as ranks, and the ranks share a GPU.
    if (std::getenv("NCCL_HOSTID") != nullptr && stepper.backend == "cuda")
      CHECK(backend->description().reason.find("by NCCL") != std::string::npos);
    // Otherwise GPUs take single steps until the code for several steps is compiled.
    if (random.compiled || (stepper.backend == "cuda" && seed % 4 == 1)) backend->settle();
    backend->set_state(some_rows(state, problem.shape, backend->rows()), 5);
    const std::int64_t first_call = seed % 3 == 0 ? random.steps / 2 : 0;
    backend->advance(first_call);
    backend->advance(random.steps - first_call);
    const auto capture = backend->capture(true);
    const Captured<T> found = capture.wait();
    const std::vector<T> own(found.state.begin(), found.state.end());
    CHECK(test::same_but_for_kinds_of_nan(own, some_rows(expected, problem.shape, found.rows)));
    const auto values = found.derived.front(), of_one = whole.derived.front();
    CHECK(test::same_but_for_kinds_of_nan<T>(
        {values.begin(), values.end()},
        some_rows<T>({of_one.begin(), of_one.end()}, problem.shape, found.rows)));
    CHECK(found.first_not_finite == whole.first_not_finite);
    if (!whole.first_not_finite) CHECK(found.digest == whole.digest);
    ++compared;
  }
  return compared;
}

/// Each number of ranks gets different problems.
void compare_random(std::uint64_t count, const std::vector<BackendAndEngine>& steppers) {
  const std::uint64_t first =
      test::number_from("LAPL_RANDOM_SEED", 1 + 1000 * test::ranks().count());
  count = test::number_from("LAPL_RANDOM_PROBLEMS", count);
  int compared = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const bool on_gpus = steppers.front().backend == "cuda";
    test::RandomProblem random(seed, on_gpus && seed % 2 == 0);
    random.compiled = !on_gpus && seed % 16 == 0;
    const std::string text = random.text();
    CAPTURE(seed);
    CAPTURE(text);
    compared += random.run.precision == Precision::float32
                    ? compare<float>(random, seed, steppers)
                    : compare<double>(random, seed, steppers);
  }
  MESSAGE("compared ", compared, " on ", test::ranks().count(), " ranks");
  CHECK(compared > static_cast<int>(count) / 2);
}

}  // namespace

TEST_CASE("random equations on ranks equal the reference on one to the bit" *
          doctest::test_suite("each_number")) {
  // Fewer problems if more ranks share the cores.
  compare_random(60 / test::ranks().count(), {{"cpu", "interpreted"}, {"cpu", "blocked"}});
}

TEST_CASE("random equations on ranks with GPUs equal the reference on one to the bit" *
          doctest::test_suite("cuda")) {
  test::need_cuda();
  compare_random(20, {{"cuda", "auto"}, {"cuda", "tile"}});
}
