// Losses by rounding to float32 are found, and the user is warned.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "kernels/fields/frozen.hpp"
#include "solver/equation/equation.hpp"
#include "solver/frozen_warning.hpp"
#include "solver/initial_field.hpp"
#include "solver/precision_watch.hpp"
#include "tests/formula_run.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

TEST_CASE("frozen cells are those that a step leaves unchanged although their Laplacian is not 0") {
  RunConfig config;
  config.shape = {1, 8192};
  config.boundaries.rows = Boundary::insulated;
  config.initial.kind = InitialKind::sine;
  config.initial.mode = {1, 0, 1};
  config.equation.parameters = {{"coefficient", 0.1}};
  const auto made = computed_field(config);
  const std::vector<float> field(made.begin(), made.end());
  const auto problem = problem_of<float>(Model(config), {});
  const auto after = test::stepped<float>("cpu", "reference", problem, field, 100);
  CHECK(after.field == field);  // a step changes no value
  const auto before = test::stepped<float>("cpu", "reference", problem, field, 0);
  const auto moving = std::ranges::count_if(before.laplacian, [](float v) { return v != 0; });
  CHECK(frozen_cells<float>(problem, field) == moving);
  Captured<float> captured;
  captured.rows = RowRange::all(config.shape);
  captured.state = field;
  captured.cells = config.shape.cells();
  CHECK(frozen_warning(Model(config), captured).starts_with("62% of the cells stand still"));
  CHECK(frozen_cells<double>(problem_of<double>(Model(config), {}), made) == 0);
  for (const Boundary boundary : test::all_boundaries) {
    config.shape = {17, 23};
    config.boundaries = {boundary, boundary};
    const auto random = test::random_field<float>(config.shape);
    const auto one =
        test::stepped<float>("cpu", "reference", problem_of<float>(Model(config), {}), random, 1);
    const auto none =
        test::stepped<float>("cpu", "reference", problem_of<float>(Model(config), {}), random, 0);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < random.size(); ++i)
      count += none.laplacian[i] != 0 && one.field[i] == random[i];
    CHECK(frozen_cells<float>(problem_of<float>(Model(config), {}), random) == count);
  }
}

TEST_CASE("float32: values of any equation that stand still are counted, except in balance") {
  const auto share_of = [](const RunConfig& config, float value) {
    const std::vector<float> state(config.shape.cells() * config.fields.size(), value);
    return static_cast<double>(stuck_values(config, test::coefficient_fields(config), state, 0,
                                            time_step_of(config))) /
           static_cast<double>(state.size());
  };
  const auto of = [](const NamedFormulas& rates) { return test::formula_run({8, 9}, rates); };
  CHECK(share_of(of({{"u", "0.1 * laplacian(u) + 1e-6"}}), 300) == 1);
  CHECK(share_of(of({{"u", "0.1 * laplacian(u) + 1e-3"}}), 300) == 0);
  CHECK(share_of(of({{"u", "1e-6"}, {"v", "0"}}), 300) == 0.5);
  CHECK(share_of(of({{"u", "-1e-9 * u"}}), 1) == 1);
  // close to the balance u = 1
  CHECK(share_of(of({{"u", "u - u^3"}}), std::nextafter(1.0f, 0.0f)) == 0);
  // A straight line, which only rounding curves, and a curve.
  const auto share_of_line = [](const std::string& line) {
    RunConfig run = test::formula_run({60, 70}, {{"u", "0.1 * laplacian(u)"}});
    run.boundaries = {Boundary::periodic, Boundary::insulated};
    const auto values = values_of_formula("u", line, run, {}, only_rank());
    const std::vector<float> state(values.begin(), values.end());
    return static_cast<double>(stuck_values(run, {}, state, 0, time_step_of(run))) / 4200;
  };
  CHECK(share_of_line("300 + 0.1 * x") < 0.01);
  CHECK(share_of_line("300 + 5e-5 * x^2") > 0.5);
  RunConfig slow = of({{"u", "K * u"}});
  slow.parameters["K"] = test::formula_parameter("where(x < 3, 1e-9, 1)");
  CHECK(share_of(slow, 5) == doctest::Approx(3.0 / 9));
  slow.time_step = 1e-9;
  CHECK(share_of(slow, 5) == 1);
}

TEST_CASE("the means that an equation keeps are known, and their drift is warned of once") {
  const auto keeps = [](RunConfig run,
                        const Boundaries& boundaries = {Boundary::periodic, Boundary::periodic}) {
    run.boundaries = boundaries;
    return keeps_means(run);
  };
  const auto of = [](const NamedFormulas& rates) { return test::formula_run({20, 30}, rates); };
  using Kept = std::vector<bool>;
  const Boundaries insulated{Boundary::insulated, Boundary::insulated};
  const RunConfig heat = of({{"u", "laplacian(u)"}});
  CHECK(keeps(heat) == Kept{true});
  CHECK(keeps(heat, insulated) == Kept{true});
  CHECK(keeps(heat, {Boundary::zero, Boundary::periodic}) == Kept{false});
  CHECK(keeps(of({{"u", "laplacian(u) + 1e-6"}})) == Kept{false});
  CHECK(keeps(of({{"u", "laplacian(u^3 - u - laplacian(u))"}}), insulated) == Kept{true});
  CHECK(keeps(of({{"u", "v"}, {"v", "laplacian(u)"}})) == Kept{false, true});
  CHECK(keeps(of({{"u", "d_dx(u^2)"}})) == Kept{true});
  CHECK(keeps(of({{"u", "d_dx(u^2)"}}), insulated) == Kept{false});
  RunConfig varying = of({{"u", "divergence(K * gradient(u))"}, {"v", "K * laplacian(v)"}});
  varying.parameters["K"] = test::formula_parameter("x");
  CHECK(keeps(varying) == Kept{true, false});
  RunConfig diffusion;
  diffusion.shape = {7, 8};
  diffusion.equation.parameters = {{"coefficient", 0.1}};
  CHECK(keeps(diffusion, insulated) == Kept{true});
  CHECK(keeps(diffusion, {Boundary::zero, Boundary::zero}) == Kept{false});

  PrecisionWatch watch(heat, {}, false);
  Statistics statistics{.min = 0, .max = 1, .mean = 0.5, .mass = 300, .l2 = 15};
  CHECK(watch.look(0, 0, 1, std::span(&statistics, 1), {}).empty());
  CHECK(!watch.good_steps(100, std::span(&statistics, 1)));
  statistics.mean = 0.5 * (1 + 1e-6);
  CHECK(watch.look(100, 0, 1, std::span(&statistics, 1), {}).empty());
  CHECK(*watch.good_steps(100, std::span(&statistics, 1)) == doctest::Approx(1000));
  statistics.mean = 0.5 * (1 - 1.1e-5);
  const auto warnings = watch.look(1100, 0, 1, std::span(&statistics, 1), {});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front() ==
        "the mean of u was 0.5 at step 0 and is 0.4999945: the equation keeps it, but float32 "
        "rounds each step (compute.precision float64 keeps it)");
  CHECK(watch.look(1200, 0, 1, std::span(&statistics, 1), {}).empty());
}
