// Steps whose last stage is cut in two have the bits of the uncut step.
#include "kernels/stages/cut_stage.hpp"

#include <doctest/doctest.h>

#include "kernels/backend.hpp"
#include "solver/make_problem.hpp"
#include "tests/formula_run.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

TEST_CASE_TEMPLATE("a step whose last stage is cut in two has the same bits", T, float, double) {
  for (const Scheme scheme : {Scheme::bs23, Scheme::dopri5}) {
    RunConfig run =
        test::formula_run({9, 17}, {{"u", "0.16 * laplacian(u) - u * v^2 + 0.03 * (1 - u)"},
                                    {"v", "0.08 * laplacian(v) + u * v^2 - 0.1 * v"}});
    run.boundaries = {Boundary::periodic, Boundary::zero};
    run.scheme = scheme;
    run.scheme.tolerance = Tolerance{.relative = 1e-4, .absolute = 1e-5};
    run.scheme.varies = true;
    const auto problem = make_problem<T>(Model(run), {});
    const auto cut = with_last_stage_cut(problem);
    REQUIRE(cut);
    CHECK(cut->stages.size() == problem.stages.size() + 1);
    CHECK(cut->arrays() == problem.arrays());
    const StageTree &first = cut->stages.end()[-2].tree, &second = cut->stages.back().tree;
    for (const StageOperation& node : second.operations)
      CHECK((node.operation != Operation::value || node.at == Offset{}));
    CHECK(first.results.size() <= 3);  // values that are handed on
    CHECK(instruction_count(second) * 2 > instruction_count(first));
    CHECK(instruction_count(first) * 2 > instruction_count(second));
    std::vector<T> state = test::random_field<T>({18, 17});
    std::vector<double> errors;
    std::vector<std::uint64_t> digests;
    for (const Problem<T>* const of : {&problem, &*cut}) {
      const auto backend = make_backend<T>("cpu", "reference", *of, 1);
      backend->set_state(state);
      backend->set_clock({.step = 0.5});
      backend->advance(2);
      errors.push_back(largest_error(*backend, 2));
      digests.push_back(backend->capture().wait().digest);
    }
    CHECK(errors[0] > 0);
    CHECK(errors[0] == errors[1]);
    CHECK(digests[0] == digests[1]);
  }
}

TEST_CASE("a step without arrays to hand values on in is not cut") {
  const auto euler = make_problem<float>(
      Model(test::formula_run({9, 17}, {{"u", "laplacian(u) / (1 + u^2)"}})), {});
  CHECK(!with_last_stage_cut(euler));
}
