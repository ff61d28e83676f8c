// Equations in formulas on a GPU: CUDA kernels compiled at run time are bit-identical to the CPU's
// engines. LAPL_RANDOM_PROBLEMS and LAPL_RANDOM_SEED as in random_problems_test.cpp.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/error.hpp"
#include "tests/cuda/formula_steps.hpp"
#include "tests/cuda/need_cuda.hpp"
#include "tests/text.hpp"

using namespace lapl;
using test::formula_steps;
using test::gray_scott;
using test::has;
using test::values_near_one;

namespace {

// A face condition with a parameter of gray_scott.
SideCondition mixed_condition() {
  return {.axis = 2,
          .last = true,
          .array = "",
          .kind = ConditionKind::mixed,
          .value = "1",
          .factor = "0.5 + F"};
}

using Engines = std::vector<std::string>;

// Checks that engines that take many steps per launch give the right bits for each split of the
// steps (tiles take the remainder), and, if `others_refuse`, that engines that are not in `able`
// throw EngineUnsuitable.
template <class T>
void check_engines(const RunConfig& run, const Engines& able = {"streaming", "resident"},
                   const std::vector<std::vector<std::int64_t>>& splits = {{45}, {1, 32, 12}},
                   bool others_refuse = true) {
  const Problem<T> problem = make_problem<T>(Model(run), test::coefficient_fields(run));
  const std::vector<T> state = values_near_one(problem);
  const auto expected = formula_steps<T>("cpu", "interpreted", problem, state, splits.front());
  REQUIRE(std::ranges::all_of(expected.state, [](T value) { return std::isfinite(value); }));
  const auto tile = formula_steps<T>("cuda", "tile", problem, state, splits.back());
  CHECK(has(tile.how, "compiled for this run"));
  CHECK(tile.digest == expected.digest);
  for (const std::string engine : {"streaming", "resident"}) {
    CAPTURE(engine);
    if (std::ranges::count(able, engine) == 0) {
      if (others_refuse)
        CHECK_THROWS_AS(make_backend<T>("cuda", engine, problem, 1), EngineUnsuitable);
      continue;
    }
    for (const auto& split : splits) {
      const auto found = formula_steps<T>("cuda", engine, problem, state, split);
      CHECK(has(found.how, engine == "streaming" ? " a launch" : "between exchanges"));
      CHECK(found.digest == expected.digest);
    }
  }
}

}  // namespace

// Uses two warps, because racecheck (scripts/gpu-check) cannot follow barriers through four.
TEST_CASE_TEMPLATE("formulas on a small grid equal the CPU's engines" *
                       doctest::test_suite("sanitizer"),
                   T, float, double) {
  test::need_cuda();
  const Boundaries boundaries{Boundary::zero, Boundary::periodic};
  check_engines<T>(gray_scott({9, 512 / sizeof(T)}, boundaries), {"streaming", "resident"}, {{13}});
  const Shape volume{.rows = 32, .columns = 512 / sizeof(T), .planes = 3, .axes = 3};
  check_engines<T>(gray_scott(volume, boundaries), {"streaming"}, {{7}});
}

TEST_CASE_TEMPLATE("formulas stream with any boundaries", T, float, double) {
  test::need_cuda();
  for (const Boundary rows : {Boundary::periodic, Boundary::insulated, Boundary::zero})
    for (const Boundary columns : {Boundary::periodic, Boundary::insulated, Boundary::zero})
      for (const Shape shape : {Shape{67, 256}, Shape{130, 1040}, Shape{7, 512}}) {
        CAPTURE(static_cast<int>(rows));
        CAPTURE(static_cast<int>(columns));
        CAPTURE(shape.rows);
        check_engines<T>(gray_scott(shape, {rows, columns}));
      }
}

// Widths with one to three values in a row's last 16 bytes, and more lanes than those of a strip.
TEST_CASE_TEMPLATE("formulas stream on rows of any width", T, float, double) {
  test::need_cuda();
  using enum Boundary;
  for (const Boundary rows : {periodic, zero})
    for (const Boundary columns : {periodic, insulated, zero})
      for (const std::int64_t width : {509, 510, 511, 1027, 2052}) {
        CAPTURE(width);
        RunConfig run = gray_scott({70, width}, {rows, columns});
        check_engines<T>(run);
        run.equation.rates["u"] = "0.16 * laplacian(u) + 0.02 * d2_dxdy(v) - u * v + x / 10000";
        if (columns == zero) run.conditions.push_back(mixed_condition());
        check_engines<T>(run);
      }
  for (const Boundary rows : {periodic, zero})
    for (const Boundary columns : {periodic, zero})
      for (const std::int64_t width : {129, 131, 254}) {
        RunConfig run =
            gray_scott({.rows = 34, .columns = width, .planes = 9, .axes = 3}, {rows, columns});
        run.boundaries.planes = insulated;
        CAPTURE(width);
        check_engines<T>(run, {"streaming"}, {{13}, {1, 12}});
        run.equation.rates["u"] =
            "0.1 * laplacian(u) + 0.02 * d2_dxdy(v) + 0.02 * d2_dxdz(u) + x / 10000";
        check_engines<T>(run, {"streaming"}, {{7}, {1, 6}});
        // of the planes beside, only the cells beside are read
        run.equation.rates["u"] = "0.1 * d2_dx2(u) + 0.1 * d2_dxdz(u)";
        run.equation.rates["v"] = "0.1 * d2_dy2(v)";
        check_engines<T>(run, {"streaming"}, {{7}, {1, 6}});
      }
}

TEST_CASE_TEMPLATE("formulas stream with every scheme, coefficients, quantities and the time", T,
                   float, double) {
  test::need_cuda();
  for (const SchemeRow& scheme : test::schemes_of_stages()) {
    CAPTURE(scheme.name);
    RunConfig run = gray_scott({90, 520}, {Boundary::insulated, Boundary::periodic});
    run.scheme = scheme.value;
    check_engines<T>(run);
    run = gray_scott({90, 509}, {Boundary::zero, Boundary::zero});
    run.scheme = scheme.value;
    run.equation.rates["v"] = "0.08 * laplacian(v) + u * v^2 - 0.1 * v * sin(t)";
    run.conditions.push_back(
        {.axis = 1, .last = true, .array = "u", .kind = ConditionKind::value, .value = "sin(t)"});
    // a lane of float32 has twice as many cells, too many for the stages of these
    const bool most = scheme.value == Scheme::dopri5 || scheme.value == Scheme::imex;
    check_engines<T>(run, most && sizeof(T) == 4 ? Engines{} : Engines{"streaming"});
  }
  RunConfig run = gray_scott({80, 264}, {Boundary::zero, Boundary::zero});
  run.time_step = 0.02;
  run.parameters["a"] = test::formula_parameter("1 + 0.1 * sin(x) * cos(y)");
  run.equation.quantities.emplace_back("mu", "u^3 - u - 0.1 * laplacian(u)");
  run.equation.rates["u"] = "0.01 * laplacian(mu) + a * sin(t) * v * x / 264 - u * v^2";
  run.conditions.push_back(
      {.axis = 1, .last = false, .array = "u", .kind = ConditionKind::value, .value = "sin(t)"});
  run.conditions.push_back(mixed_condition());
  check_engines<T>(run, {"streaming"});  // resident does not support time dependence
  RunConfig at_rest = run;
  at_rest.conditions.front().value = "0.25";
  at_rest.equation.rates["u"] = "0.01 * laplacian(mu) + a * v * x / 264 - u * v^2";
  check_engines<T>(at_rest);
  run.conditions.push_back({.axis = 2,
                            .last = false,
                            .array = "v",
                            .kind = ConditionKind::value,
                            .value = "cos(t) + y / 80"});
  check_engines<T>(run, {"streaming"});
}

// Each side of u has a condition of its own, which d2_dxdy reads in corners too.
TEST_CASE_TEMPLATE("formulas stream where conditions differ along sides", T, float, double) {
  test::need_cuda();
  using enum Boundary;
  for (const char* const time : {"0", "t"})
    for (const Scheme scheme : {Scheme::euler, Scheme::rk4})
      for (const Boundary rows : {insulated, periodic})
        for (const Boundary columns : {insulated, periodic})
          for (const std::int64_t width : {512, 509, 1027}) {
            if (rows == periodic && columns == periodic) continue;
            RunConfig run = gray_scott({width == 509 ? 90 : 7, width}, {rows, columns});
            run.scheme = scheme;
            run.equation.rates["u"] = "0.16 * laplacian(u) + 0.02 * d2_dxdy(u) - u * v^2";
            for (const bool last : {false, true}) {
              const std::string value = fmt::format("cos({} + {})", last ? 1 : 2, time);
              if (rows != periodic)
                run.conditions.push_back({.axis = 1,
                                          .last = last,
                                          .array = "u",
                                          .kind = ConditionKind::value,
                                          .value = "sin(x / 9) * " + value});
              if (columns != periodic)
                run.conditions.push_back({.axis = 2,
                                          .last = last,
                                          .array = last ? "u" : "",
                                          .kind = ConditionKind::mixed,
                                          .value = "sin(y / 7) + " + value,
                                          .factor = "0.5 + F"});
            }
            check_engines<T>(run, {"streaming"}, {{45}, {1, 32, 12}}, false);
          }
}

TEST_CASE_TEMPLATE("formulas stream where blocks share out long strips", T, float, double) {
  test::need_cuda();
  check_engines<T>(gray_scott({10007, 512}, {Boundary::zero, Boundary::insulated}), {"streaming"});
  check_engines<T>(gray_scott({2503, 1296}, {Boundary::periodic, Boundary::periodic}),
                   {"streaming"});
}

TEST_CASE_TEMPLATE("formulas stay on the chip on one axis, and on grids of any size", T, float,
                   double) {
  test::need_cuda();
  for (const Boundary boundary : {Boundary::periodic, Boundary::insulated, Boundary::zero}) {
    CAPTURE(static_cast<int>(boundary));
    RunConfig run = test::formula_run({.rows = 1, .columns = 1001, .planes = 1, .axes = 1},
                                      {{"u", "0.1 * d2_dx2(u) - 0.2 * u * d_dx(u) + x / 5000"}});
    run.boundaries = {boundary, boundary};
    run.time_step = 0.1;
    check_engines<T>(run, {"resident"});
    for (const Shape shape :
         {Shape{1, 1}, Shape{2, 3}, Shape{13, 1}, Shape{1, 71}, Shape{131, 67}, Shape{257, 509}}) {
      CAPTURE(shape.rows);
      CAPTURE(shape.columns);
      for (const Boundaries& both :
           {Boundaries{Boundary::periodic, boundary}, Boundaries{boundary, Boundary::zero}})
        check_engines<T>(gray_scott(shape, both), {"resident"}, {{45}, {1, 32, 12}}, false);
    }
  }
}

TEST_CASE_TEMPLATE("formulas stream on three axes", T, float, double) {
  test::need_cuda();
  using enum Boundary;
  const Boundaries turns[] = {
      {periodic, zero, insulated}, {zero, insulated, periodic}, {insulated, periodic, zero}};
  const Shape shapes[] = {{.rows = 33, .columns = 132, .planes = 37, .axes = 3},
                          {.rows = 67, .columns = 516, .planes = 2, .axes = 3},
                          {.rows = 50, .columns = 128, .planes = 1, .axes = 3}};
  for (const int i : {0, 1, 2}) {
    CAPTURE(i);
    RunConfig diffusion = test::formula_run(shapes[i], {{"u", "0.1 * laplacian(u)"}});
    diffusion.boundaries = turns[(i + 1) % 3];
    check_engines<T>(diffusion, {"streaming"}, {{13}, {1, 12}});
    check_engines<T>(gray_scott(shapes[i], turns[i]), {"streaming"}, {{13}, {1, 12}});
  }
  RunConfig run = gray_scott({.rows = 40, .columns = 200, .planes = 23, .axes = 3}, {zero, zero});
  run.boundaries.planes = insulated;
  run.time_step = 0.01;
  run.scheme = Scheme::heun;
  run.parameters["a"] = test::formula_parameter("1 + 0.1 * sin(x) * cos(y) + 0.01 * z");
  run.equation.rates["u"] =
      "a * laplacian(u) + sin(t) * v * x / 100 + 0.1 * d2_dxdy(u) + 0.1 * d2_dxdz(v) + z / 100";
  run.conditions.push_back(
      {.axis = 0, .last = false, .array = "u", .kind = ConditionKind::value, .value = "sin(t)"});
  run.conditions.push_back(
      {.axis = 1, .last = true, .array = "v", .kind = ConditionKind::derivative, .value = "0.3"});
  run.conditions.push_back(mixed_condition());
  check_engines<T>(run, {"streaming"}, {{7}, {1, 6}});
  run.boundaries = {periodic, periodic, periodic};
  run.conditions.clear();
  check_engines<T>(run, {"streaming"}, {{7}, {1, 6}});
  run.equation.rates["u"] = "laplacian(u) + d2_dydz(u)";
  check_engines<T>(run, {}, {{3}});
}

// 1 / (z * u - 0) is -infinity, as z is -0. ptxas 13.0 reads -(u < 1 ? 1 : 0) as an integer, whose
// zero has no sign.
TEST_CASE_TEMPLATE("the negative of a condition that does not hold is -0", T, float, double) {
  test::need_cuda();
  for (const std::string condition :
       {"(u < 1)", "(u <= 1)", "(u == x)", "(u != u)", "(u < 1 and u < 2)", "(u < 1 or u < 0)",
        "(not u)", "heaviside(1 - u)", "where(u < 1, 1, 0)", "((u < 1) * (x < u))"}) {
    CAPTURE(condition);
    RunConfig run = test::formula_run(
        {32, 512}, {{"u", fmt::format("0.1 + 0.1 * (1 / (z * u + -{}) < 0)", condition)}});
    run.boundaries = {Boundary::periodic, Boundary::zero};
    run.time_step = 0.1;
    run.parameters["z"] = test::number_parameter(-0.0);
    check_engines<T>(run);
  }
}

TEST_CASE("a run begins with tiles and goes on streaming, with the same bits") {
  test::need_cuda();
  const RunConfig run = gray_scott({1024, 1024}, {Boundary::periodic, Boundary::zero});
  const auto problem = make_problem<float>(Model(run), {});
  const auto state = values_near_one(problem);
  const auto expected = formula_steps<float>("cuda", "tile", problem, state, {3000});
  const auto backend = make_backend<float>("cuda", "auto", problem, 1);
  CHECK(backend->description().engine == "streaming");
  backend->set_state(state, 3);
  for (int i = 0; i < 300; ++i) backend->advance(10);
  CHECK(backend->capture().wait().digest == expected.digest);
}

TEST_CASE("random equations on grids that stream equal the reference") {
  test::need_cuda();
  const std::uint64_t first = test::number_from("LAPL_RANDOM_SEED", 1);
  const std::uint64_t count = test::number_from("LAPL_RANDOM_PROBLEMS", 40);
  int compared = 0, streamed = 0, stayed = 0;
  const auto compare = [&]<class T>(test::RandomProblem& random, T) {
    const auto problem = make_problem<T>(Model(random.run), test::coefficient_fields(random.run));
    const auto state = random.state<T>();
    const auto expected = formula_steps<T>("cpu", "reference", problem, state, {random.steps});
    for (const std::string engine : {"tile", "streaming", "resident"}) {
      CAPTURE(engine);
      try {
        const auto found = formula_steps<T>("cuda", engine, problem, state, {random.steps});
        ++compared;
        streamed += engine == "streaming" ? 1 : 0;
        stayed += engine == "resident" ? 1 : 0;
        CHECK(test::same_but_for_kinds_of_nan(found.state, expected.state));
      } catch (const EngineUnsuitable&) {
      }
    }
  };
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    test::RandomProblem random(seed, true);
    const std::string text = random.text();
    CAPTURE(seed);
    CAPTURE(text);
    try {
      if (random.run.precision == Precision::float32)
        compare(random, 0.0f);
      else
        compare(random, 0.0);
    } catch (const FormulaError&) {    // the random formula is invalid, such as a division by 0
    } catch (const NumericalError&) {  // a solve without a solution
    } catch (const ConfigError&) {     // or one that is not linear
    }
  }
  MESSAGE("compared ", compared, ", of which streaming ", streamed, " and resident ", stayed);
  CHECK(compared > 0);
}
