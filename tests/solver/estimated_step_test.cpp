// Estimates of the largest stable step compared with closed forms and stepping; time.step: auto.
#include "solver/estimated_step.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kernels/fields/pcg64.hpp"
#include "kernels/spectral/step_change.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/growth.hpp"
#include "solver/stable_step.hpp"
#include "tests/solver/wave_rows.hpp"

namespace lapl::test {

namespace {

double estimated_limit(const RunConfig& run) {
  return largest_step_of_modes(
      equivalent_scheme(run.scheme, run.fields.size()),
      modes_at(run, explicit_part(make_system(run), run.scheme.kind), coefficient_fields(run), {})
          .fastest);
}

StableStep stable_step_at_start(const RunConfig& run) {
  return find_stable_step(run, make_system(run), [&] {
    return StateFields{coefficient_fields(run), {}};
  });
}

InitialConfig initial_formula(const std::string& formula) {
  InitialConfig initial;
  initial.kind = InitialKind::formula;
  initial.formula = formula;
  return initial;
}

}  // namespace

TEST_CASE("the estimate of linear equations is near the largest step by waves") {
  for (const WaveRow& row : wave_rows) {
    if (!(row.largest > 0)) continue;
    RunConfig run = with_parameters(wave_run(row));
    run.initial = initial_formula("random");
    CAPTURE(row.rates.front().second);
    CAPTURE(row.rates.back().second);
    CAPTURE(std::string(enum_name(row.scheme.kind)));
    const double estimate = estimated_limit(run);
    if (row.largest == infinite) {
      CHECK(estimate == infinite);
      continue;
    }
    const bool by_slow_waves = row.rates.front().second.text().starts_with("0.1 *");
    if (!by_slow_waves) CHECK(estimate > 0.9 * row.largest);
    if (!by_slow_waves) CHECK(estimate < 1.1 * row.largest);
  }
}

TEST_CASE("the estimate agrees with stepping where coefficients or the state limit the step") {
  struct Row {
    NamedFormulas rates;
    std::vector<std::string> initial;
    TimeScheme scheme;
    std::int64_t steps;
  };
  for (const Row& row : {
           Row{{{"u", "divergence(K * gradient(u))"}}, {"random"}, Scheme::euler, 2000},
           Row{{{"u", "K * laplacian(u) - 3 * u^3"}}, {"0.1 * random"}, Scheme::rk4, 2000},
           Row{{{"u", "divergence(K * gradient(u)) - u^3"}}, {"random"}, {Scheme::rkl2, 9}, 2000},
           Row{{{"u", "-laplacian(K * laplacian(u))"}}, {"random"}, Scheme::ssprk3, 2000},
           Row{{{"u", "-upwind(K, 1 - K, u)"}}, {"random"}, Scheme::euler, 2000},
           Row{{{"u", "v"}, {"v", "K * laplacian(u)"}}, {"random", "0"}, Scheme::leapfrog, 2000},
           Row{{{"u", "v"}, {"v", "1e6 * K * laplacian(u) - sin(u)"}},
               {"random", "0"},
               Scheme::leapfrog,
               2000},
           Row{{{"u", "-laplacian(v) + K * v"}, {"v", "laplacian(u) - K * u"}},
               {"random", "random"},
               Scheme::leapfrog,
               2000},
           Row{{{"u", "0.16 * laplacian(u) - u * v^2 + 0.037 * (1 - u)"},
                {"v", "0.08 * laplacian(v) + u * v^2 - 0.097 * v"}},
               {"1 - 0.5 * where((x - 10)^2 + (y - 12)^2 < 16, 1, 0)",
                "where((x - 10)^2 + (y - 12)^2 < 16, 0.25, 0) + 0.02 * random"},
               Scheme::euler,
               2000},
       }) {
    RunConfig run = formula_run({24, 20}, row.rates);
    run.scheme = row.scheme;
    run.parameters["K"] = formula_parameter("where((x - 7)^2 + (y - 9)^2 < 20, 2, 0.5)");
    run = with_parameters(run);
    for (std::size_t field = 0; field < row.initial.size(); ++field)
      run.initials[run.fields[field]] = initial_formula(row.initial[field]);
    CAPTURE(row.rates.front().second);
    CAPTURE(row.rates.back().second);
    REQUIRE(!stable_limit(run, make_system(run)).has_value());
    const double estimate = estimated_limit(run);
    CAPTURE(estimate);
    CHECK(*stable_step_at_start(run).largest <= estimate);
    const auto backend = make_backend<double>(
        "cpu", "reference", make_problem<double>(Model(run), coefficient_fields(run)), 1);
    set_initial_state(*backend, run, coefficient_fields(run), {});
    const std::vector<double> state = copy_of_state(*backend);
    const double units = row.rates.size() > 1 ? 1e5 : 100;
    CHECK(after_steps(run, 0.9 * estimate, row.steps, state) < units);
    CHECK(after_steps(run, 1.1 * estimate, row.steps, state) > 1e3 * units);
    for (const int threads : {1, 3}) {
      run.threads = threads;
      CHECK(estimated_limit(run) == estimate);
    }
  }
}

TEST_CASE("estimates are right on the smallest grids, and refused for rates that are not finite") {
  for (const Shape shape : {Shape{1, 1}, Shape{1, 2}, Shape{2, 1}, Shape{3, 3}}) {
    RunConfig run = formula_run(shape, {{"u", "laplacian(u) - 3 * u^3"}});
    run.initial = initial_formula("1");
    CAPTURE(shape.rows);
    CAPTURE(shape.columns);
    // The rate at which diffusion damps the fastest wave.
    const double waves = shape.cells() == 1 ? 0 : shape.cells() == 9 ? 6 : 4;
    CHECK(estimated_limit(run) == doctest::Approx(2 / (waves + 9)).epsilon(1e-4));
  }
  RunConfig run = formula_run({4, 4}, {{"u", "log(u)"}});
  run.initial = initial_formula("x - 1");
  const StableStep stable = stable_step_at_start(run);
  CHECK(!stable.largest);
  CHECK(stable.not_finite == 0);
  CHECK(stable_step_text(run, stable) ==
        "not known (the rates are not finite at this state, so that no step can be "
        "estimated)");
}

TEST_CASE("the step is estimated where rates are nearly a multiple of the state") {
  Pcg64 generator = numpy_generator(3);
  const auto uniform = [&] { return static_cast<double>(generator.next() >> 11) * 0x1p-53; };
  for (int i = 0; i < 100; ++i) {
    const double k = std::pow(10, 3 * uniform()), d = std::pow(10, -3 + 2 * uniform());
    CAPTURE(k);
    CAPTURE(d);
    RunConfig run =
        formula_run(i % 2 == 0 ? Shape{1, 32} : Shape{6, 7},
                    {{"u", fmt::format("{} * laplacian(u) - {} * u - 1e-9 * u^3", d, k)}});
    run.scheme = {Scheme::rkl2, 7};
    run.initial = initial_formula("random");
    const StateModes modes = modes_at(run, explicit_part(make_system(run), run.scheme.kind),
                                      coefficient_fields(run), {});
    for (const Complex rate : modes.fastest) {
      CHECK(rate.real() < -0.999 * k);
      CHECK(rate.real() > -1.001 * (k + 8 * d));
      CHECK(std::abs(rate.imag()) < 1e-4 * k);
    }
    const StableStep stable = stable_step_at_start(run);
    REQUIRE_MESSAGE(stable.largest.has_value(), stable.why_unknown);
    CHECK(*stable.largest > 0.999 * damping_end(7) / (k + 8 * d));
    CHECK(*stable.largest < 1.05 * damping_end(7) / k);  // an odd number of stages reaches further
  }
}

TEST_CASE("an estimate for times ahead looks at those with no result again, in shorter steps") {
  RunConfig run = formula_run({1, 12}, {{"u", "laplacian(u) - u^3 + 0 * log(5 - t)"}});
  run.initial = initial_formula("1");
  run.end = 20;
  const auto at = [&](double time, std::int64_t steps) {
    return find_stable_step(run, make_system(run), [&] {
      return StateFields{coefficient_fields(run), {}, {time, steps}};
    });
  };
  const double now = *at(0, 0).largest;
  CHECK(*at(0, 2).largest == now);       // does not meet 5
  CHECK(*at(4, 100).largest * 100 < 1);  // steps that end before
  CHECK(*at(4, 100).largest * 100 > 0.2);
  CHECK(!at(5, 1).largest);
  CHECK_MESSAGE(at(5, 1).why_unknown.find("not finite") != std::string::npos, at(5, 1).why_unknown);
  // A rate that is 0 now, and is not later.
  run.equation.rates["u"] = "t * laplacian(u)";
  CHECK(*at(0, 0).largest == infinite);
  const double step = *at(0, 10).largest;
  CHECK(4 * (10 * step) * step <= 2.02);  // stable with D = t after 10 steps
  CHECK(4 * (10 * step) * step > 0.4);
}

TEST_CASE("the worst of all cells' coefficients limits the step") {
  // Friction in only a part of the grid, given by a parameter, the position or the time.
  for (const char* const friction : {"s", "where(x > 15, 1, 0)", "where(t < 5, s, 1)"}) {
    CAPTURE(friction);
    RunConfig run =
        formula_run({24, 20}, {{"u", "v"}, {"v", fmt::format("laplacian(u) - {} * v", friction)}});
    run.parameters["s"] = formula_parameter("where(x > 15, 1, 0)");
    run.initial = initial_formula("random");
    const StableStep stable = stable_step_at_start(run);
    CHECK(stable.largest == 0);
    CHECK(stable.estimated);
    CHECK(!automatic_step(stable));
    run.scheme = Scheme::rk4;
    CHECK(*stable_step_at_start(run).largest == doctest::Approx(1).epsilon(0.02));  // sqrt(8 / 8)
  }
  // A single cell with little friction; all others have at least 0.5.
  for (const double least : {0.5, 0.1}) {
    RunConfig run = formula_run({80, 90}, {{"u", "v"}, {"v", "laplacian(u) - s * v"}});
    run.parameters["s"] = formula_parameter(
        fmt::format("where((x - 31)^2 + (y - 17)^2 < 1, {}, 0.5 + (x + y) / 1000)", least));
    run.initial = initial_formula("random");
    CHECK(*stable_step_at_start(run).largest == doctest::Approx(least / 8).epsilon(1e-6));
  }
}

TEST_CASE("time.stages auto takes the fewest that are stable") {
  RunConfig run = wave_run({heat, plane, {Scheme::rkl2, most_stages}, 0});
  const auto none = [] { return StateFields{}; };
  for (const double times : {0.001, 1.0, 1.01, 3.0, 100.0, 104.5, 104.6, 4127.5}) {
    CAPTURE(times);
    run.time_step = times * 0.25 / (4 * 3);
    const auto stable = stable_step_finder(run, make_system(run), none);
    const auto stages = automatic_stages(run, stable);
    REQUIRE(stages.has_value());
    CHECK(*run.time_step <= *stable({Scheme::rkl2, *stages}).largest);
    if (*stages > least_stages)
      CHECK(*run.time_step > *stable({Scheme::rkl2, *stages - 1}).largest);
  }
  run.time_step = 4128 * 0.25 / (4 * 3);
  CHECK(!automatic_stages(run, stable_step_finder(run, make_system(run), none)));

  // Estimated steps are multiplied by 0.9. The rates are -96 for the fastest wave and -3 at u = 1.
  run.equation.rates["u"] = "D * laplacian(u) - u^3";
  run.initial = initial_formula("1");
  run.time_step = 5;
  const auto stages = automatic_stages(run, stable_step_finder(run, make_system(run), none));
  REQUIRE(stages.has_value());
  // An estimate finds rates that are up to a tenth too small.
  const double least = 5 / 0.9 * 99 * 0.9, most = 5 / 0.9 * 99;
  CHECK(*stages * (*stages + 1) / 2.0 > least);
  CHECK(*stages * (*stages - 1) / 2.0 < most);
}

TEST_CASE("time.step auto takes 0.9 of the largest stable step, where there is one") {
  const auto of = [](double largest, bool estimated) {
    return automatic_step({.largest = largest, .estimated = estimated});
  };
  CHECK(of(0.25, false) == 0.225);
  CHECK(of(0.03125, false) == 0.028125);
  CHECK(of(1.0 / 3, false) == 0.3);
  CHECK(of(1.454321, true) == 1.308);
  CHECK(of(3e-17, false) == 2.7e-17);
  CHECK(!of(0, false));
  CHECK(!of(infinite, true));
  CHECK(!automatic_step({.why_unknown = "for a test"}));
}

}  // namespace lapl::test
