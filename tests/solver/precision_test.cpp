// Losses by rounding to float32 are found, and the user is warned.
#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/initial_field.hpp"
#include "solver/make_problem.hpp"
#include "solver/precision_watch.hpp"
#include "tests/formula_run.hpp"
#include "tests/solver/computed_field.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

// The share of values of a state, field after field, that are stuck.
double stuck_share(const RunConfig& run, const std::vector<float>& state,
                   std::optional<Part> part = {}) {
  const auto cells = static_cast<std::size_t>(run.shape.cells());
  std::vector<std::span<const float>> fields;
  for (std::size_t field = 0; field < run.fields.size(); ++field)
    fields.push_back(std::span(state).subspan(field * cells, cells));
  const WatchedPart in(run, rates_problem(run, make_system(run), unread_coefficients(run)),
                       part.value_or(Part::all(run.shape)), test::coefficient_fields(run));
  return static_cast<double>(stuck_values(in, fields, 0, step_seconds(run))) /
         static_cast<double>(in.cells * std::ssize(fields));
}

}  // namespace

TEST_CASE("a diffusion that float32 freezes is warned of") {
  RunConfig config;
  config.shape = {1, 8192};
  config.boundaries.rows = Boundary::insulated;
  config.initial.kind = InitialKind::sine;
  config.initial.mode = {1, 0, 1};
  config.equation.coefficient = 0.1;
  const auto made = test::computed_field(config);
  const std::vector<float> field(made.begin(), made.end());
  const auto after =
      test::stepped<float>("cpu", "reference", make_problem<float>(Model(config), {}), field, 100);
  CHECK(after.field == field);  // a step changes no value
  PrecisionWatch watch(config, make_system(config), {}, RowRange::all(config.shape));
  const Statistics statistics{.min = 0, .max = 1, .mean = 0.6, .mass = 5000, .l2 = 60};
  const std::span<const float> values = field;
  const auto warnings =
      watch.check(0, 0, step_seconds(config), std::span(&statistics, 1), std::span(&values, 1));
  REQUIRE(warnings.size() == 1);
  CHECK_MESSAGE(warnings.front().starts_with("98% of the values stand still"), warnings.front());
}

TEST_CASE("boxes of a large grid are watched, from the rows of one rank if it has no more") {
  const auto all = [](Shape shape) { return RowRange::all(shape); };
  const Shape small{1000, 1000};
  CHECK(watched_parts(small, 1, all(small), 2).size() == 1);
  CHECK(watched_parts(small, 1, all(small), 2).front().cells() == small.cells());
  for (const auto& [shape, rows] :
       {std::pair(Shape{.rows = 1, .columns = 1 << 22, .axes = 1}, RowRange{0, 1}),
        {Shape{1500, 1400}, {0, 1500}},
        {Shape{1500, 1400}, {0, 40}},
        {Shape{1 << 21, 2}, {0, 1 << 21}},
        {Shape{.rows = 120, .columns = 130, .planes = 150, .axes = 3}, {0, 150 * 120}},
        {Shape{.rows = 20, .columns = 20, .planes = 40, .axes = 3}, {0, 13 * 20}}}) {
    const auto parts = watched_parts(shape, 2, rows, 3);
    CHECK(parts.size() == 8);
    std::int64_t watched = 0;
    for (const Part& part : parts) {
      watched += 2 * part.cells();
      const auto whole = by_axis(shape);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        CHECK(part.first[axis] - part.before[axis] >= 0);
        CHECK(part.first[axis] + part.own[axis] + part.after[axis] <= whole[axis]);
        CHECK(part.before[axis] == (part.own[axis] < whole[axis] ? 3 : 0));
      }
      const std::int64_t last = part.row_in_grid(part.shape().rows * part.shape().planes - 1);
      CHECK(last / shape.columns < rows.end());
    }
    CHECK(watched > 0);
    CHECK(watched <= 1 << 18);
  }
  CHECK(watched_parts(Shape{40, 20}, 1, {0, 6}, 3).empty());
  CHECK(watched_parts(Shape{40, 20}, 1, {}, 0).empty());
}

TEST_CASE("a box counts as the whole grid does") {
  RunConfig run = test::formula_run({60, 96}, {{"u", "K * (u + laplacian(u))"}, {"v", "K"}});
  run.parameters["K"] = test::formula_parameter("where(y < 30, 1e-9, 1)");
  std::vector<float> state;
  for (std::int64_t cell = 0; cell < 2 * run.shape.cells(); ++cell)
    state.push_back(5 + 1e-3f * static_cast<float>(cell % 96 * (cell % 96)));
  Part box = Part::all(run.shape);
  box.own = {1, 30, 32};  // a row is a neighbourhood
  box.first = {0, 11, 17};
  box.before = box.after = {0, 2, 2};
  CHECK(stuck_share(run, state, box) == 19.0 / 30);
  CHECK(stuck_share(run, state) == 30.0 / 60);
}

TEST_CASE("float32: values of any equation that stand still are counted, except in balance") {
  const auto still_share = [](const RunConfig& config, float value) {
    return stuck_share(config,
                       std::vector<float>(config.shape.cells() * config.fields.size(), value));
  };
  const auto of = [](const NamedFormulas& rates) { return test::formula_run({8, 9}, rates); };
  CHECK(still_share(of({{"u", "0.1 * laplacian(u) + 1e-6"}}), 300) == 1);
  CHECK(still_share(of({{"u", "0.1 * laplacian(u) + 1e-3"}}), 300) == 0);
  CHECK(still_share(of({{"u", "1e-6"}, {"v", "0"}}), 300) == 0.5);
  CHECK(still_share(of({{"u", "-1e-9 * u"}}), 1) == 1);
  // close to the balance u = 1
  CHECK(still_share(of({{"u", "u - u^3"}}), std::nextafter(1.0f, 0.0f)) == 0);
  // A straight line, which only rounding curves, and a curve.
  const auto share_of_line = [](const std::string& line) {
    RunConfig run = test::formula_run({60, 70}, {{"u", "0.1 * laplacian(u)"}});
    run.boundaries = {Boundary::periodic, Boundary::insulated};
    const auto values = values_of_formula("u", line, run, {}, only_rank());
    return stuck_share(run, {values.begin(), values.end()});
  };
  CHECK(share_of_line("300 + 0.1 * x") < 0.01);
  CHECK(share_of_line("300 + 5e-5 * x^2") > 0.5);
  RunConfig slow = of({{"u", "K * u"}});
  slow.parameters["K"] = test::formula_parameter("where(x < 3, 1e-9, 1)");
  CHECK(still_share(slow, 5) == doctest::Approx(3.0 / 9));
  slow.time_step = 1e-9;
  CHECK(still_share(slow, 5) == 1);
  RunConfig masked = test::formula_run({8, 8}, {{"u", "1e-6"}});  // of 64 cells, 32 count
  masked.mask = test::formula_parameter("y < 4");
  std::vector<float> inside(32, 300);
  inside.resize(64);
  CHECK(stuck_share(masked, inside) == 1);
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
  diffusion.equation.coefficient = 0.1;
  CHECK(keeps(diffusion, insulated) == Kept{true});
  CHECK(keeps(diffusion, {Boundary::zero, Boundary::zero}) == Kept{false});

  PrecisionWatch watch(heat, make_system(heat), {}, RowRange::all(heat.shape));
  Statistics statistics{.min = 0, .max = 1, .mean = 0.5, .mass = 300, .l2 = 15};
  CHECK(watch.check(0, 0, 1, std::span(&statistics, 1), {}).empty());
  CHECK(!watch.good_steps(100, std::span(&statistics, 1)));
  statistics.mean = 0.5 * (1 + 1e-6);
  CHECK(watch.check(100, 0, 1, std::span(&statistics, 1), {}).empty());
  CHECK(*watch.good_steps(100, std::span(&statistics, 1)) == doctest::Approx(1000));
  statistics.mean = 0.5 * (1 - 1.1e-5);
  const auto warnings = watch.check(1100, 0, 1, std::span(&statistics, 1), {});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front() ==
        "the mean of u was 0.5 at step 0 and is 0.4999945: the equation keeps it, but float32 "
        "rounds each step (compute.precision float64 keeps it)");
  CHECK(watch.check(1200, 0, 1, std::span(&statistics, 1), {}).empty());
}
