// The largest stable step of linear equations compared with closed forms, and with stepping just
// below and just above it.
#include <doctest/doctest.h>

#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/rate_symbol.hpp"
#include "tests/solver/wave_rows.hpp"

namespace lapl::test {

TEST_CASE("the largest stable step of linear equations is that of von Neumann's analysis") {
  for (const WaveRow& row : wave_rows) {
    const RunConfig run = with_parameters(wave_run(row));
    CAPTURE(row.rates.front().second);
    CAPTURE(row.rates.back().second);
    CAPTURE(std::string(enum_name(row.scheme.kind)));
    const auto largest = stable_limit(run, make_system(run));
    REQUIRE(largest.has_value());
    if (row.largest == 0 || row.largest == infinite)
      CHECK(*largest == row.largest);
    else
      CHECK(*largest == doctest::Approx(row.largest).epsilon(1e-7));
  }
}

TEST_CASE("diffusion as a formula has the largest step of equation.kind diffusion") {
  for (const double spacing : {1.0, 0.5, 0.1}) {
    RunConfig built_in;
    built_in.shape = plane;
    built_in.spacing = spacing;
    built_in.equation.diffusivity = 3;
    built_in.time_step = 1;
    RunConfig run = wave_run({heat, plane, Scheme::euler, 0});
    run.spacing = spacing;
    CHECK(*stable_limit(run, make_system(run)) ==
          doctest::Approx(*stable_limit(built_in, make_system(built_in))).epsilon(1e-14));
  }
}

TEST_CASE("rates that are not linear, or not the same everywhere, have no largest step by waves") {
  for (const char* rate :
       {"laplacian(u) - u^3", "gradient_squared(u)", "K * laplacian(u)", "x * u",
        "sin(t) * laplacian(u)", "divergence(K * gradient(u))", "upwind(K, 1, u)", "max(u, 0)",
        "where(x > 2, u, 0)", "u / (1 + K)", "1 / (u + 9)", "laplacian(K * laplacian(u))",
        "d_dx(u * laplacian(u))"}) {
    CAPTURE(rate);
    RunConfig run = formula_run(plane, {{"u", rate}});
    run.parameters["K"] = formula_parameter("1 + x");
    run = with_parameters(run);
    CHECK(!stable_limit(run, make_system(run)).has_value());
    CHECK(!find_step_problem(run, make_system(run)).has_value());
  }
}

TEST_CASE("work that several stages do on a wave is done once") {
  const auto operations = [](int quantities) {
    RunConfig run = formula_run(plane, {{"u", "q0"}});
    for (int i = 0; i < quantities; ++i) {
      const std::string next = i + 1 < quantities ? "q" + std::to_string(i + 1) : "u";
      run.equation.quantities.emplace_back("q" + std::to_string(i),
                                           "laplacian(" + next + ") + " + next);
    }
    const StepStages made = rate_stages(make_system(run));
    return RateSymbol(made.stages, 1, static_cast<int>(made.like.size())).operations();
  };
  const std::size_t each = (operations(80) - operations(40)) / 40;
  CHECK(each < 20);
  CHECK(operations(80) - operations(40) == 40 * each);
}

TEST_CASE("a run just below the largest stable step stays bounded, one just above it grows" *
          doctest::test_suite("moderate")) {
  for (const WaveRow& row : wave_rows) {
    // Only rows in which the fastest waves limit the step, because these grids have them.
    if (row.shape.axes == 3 || !(row.largest > 0) || row.largest == infinite) continue;
    const RunConfig run = with_parameters(wave_run(row));
    const bool by_slow_waves = row.rates.front().second.text().starts_with("0.1 *");
    if (by_slow_waves || row.rates.front().second.text().ends_with("5 * u")) continue;
    CAPTURE(row.rates.back().second);
    CAPTURE(std::string(enum_name(row.scheme.kind)));
    const std::vector<double> state = noise(run);
    const double before = largest_value(state);
    // If the speed is far from 1, u = 1 becomes a large v.
    const double units = row.rates.size() > 1 ? 100 * std::max(1.0, 1 / row.largest) : 100;
    CHECK(after_steps(run, 0.999 * row.largest, 2000, state) < units * before);
    CHECK(after_steps(run, 1.02 * row.largest, 2000, state) > 1e6 * units * before);
  }
}

TEST_CASE("a step that is too large is refused where it breaks a run, else warned of") {
  const auto problem = [](const NamedFormulas& rates, TimeScheme scheme, double step,
                          std::int64_t steps) {
    RunConfig run = with_parameters(wave_run({rates, plane, scheme, 0}));
    run.time_step = step;
    run.steps = steps;
    const auto found = find_step_problem(run, make_system(run));
    return !found ? std::string("right")
                  : (found->refused ? "refused: " : "warned: ") + found->what;
  };
  const double limit = 0.25 / (4 * 3);
  CHECK(problem(heat, Scheme::euler, limit, 10) == "right");
  CHECK(
      problem(heat, Scheme::euler, 1.0001 * limit, 10) ==
      "refused: found 0.020835416666666665, unstable: waves that the equation damps or keeps grow "
      "by a factor of 1.0002 in each step (expected at most 0.02083333)");
  CHECK(problem(heat, Scheme::rk4, 1.3 * limit, 10) == "right");
  CHECK(problem(heat, {Scheme::rkl2, 20}, 104.5 * limit, 10) == "right");
  CHECK(problem(heat, {Scheme::rkl2, 20}, 104.6 * limit, 10)
            .starts_with("refused: found 2.1791666666666663, unstable: waves that the"));
  // A step of euler multiplies the fastest-growing wave by abs(1 + i dt w), about
  // 1 + dt^2 w^2 / 2, with w = c / h = 6.
  CHECK(problem(advection, Scheme::euler, 0.01, 100) ==
        "warned: found 0.01, a little unstable, as any step of scheme euler is: waves that the "
        "equation damps or keeps grow by a factor of 1.0018 in each step (expected at most "
        "0.2886751 with time.scheme ssprk3, at most 0.4714045 with time.scheme rk4, at most "
        "0.2886751 with time.scheme bs23, at most 0.1661982 with time.scheme dopri5)");
  CHECK(problem(advection, Scheme::euler, 0.01, 2000).starts_with("refused: found 0.01, unstable"));
  CHECK(problem(advection, Scheme::euler, 0.3, 1).starts_with("refused: found 0.3, unstable, as"));
  CHECK(problem(wave, Scheme::leapfrog, 0.117, 1) == "right");
  CHECK(problem(wave, Scheme::leapfrog, 0.119, 1).starts_with("refused: found 0.119, unstable:"));
}

}  // namespace lapl::test
