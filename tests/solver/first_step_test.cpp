// The first step by error, where the state or the rates at the start say little.
#include <doctest/doctest.h>

#include <cmath>

#include "solver/automatic_steps.hpp"
#include "solver/equation/formula_system.hpp"
#include "tests/formula_run.hpp"

using namespace lapl;

namespace {

RunConfig make_run(const std::string& rate, double start, double tolerance, double end) {
  RunConfig run = test::formula_run({1, 8}, {{"u", rate}});
  run.scheme = Scheme::bs23;
  run.scheme.varies = true;
  run.scheme.tolerance = {tolerance, tolerance};
  run.time_step.reset();
  run.end = end;
  run.initial.kind = InitialKind::uniform;
  run.initial.value = start;
  return run;
}

double first_step(const RunConfig& run) {
  return automatic_first_step(run, make_system(run),
                              [](const RunConfig&) { return StateFields{}; });
}

}  // namespace

TEST_CASE("the first step from 0 is as short as the tolerance asks for, whatever the interval") {
  // The error of the first step of u = sin(20 t) is below the tolerance, and not by far.
  for (const double tolerance : {1e-2, 1e-5, 1e-9})
    for (const double end : {1.0, 1e3, 1e9}) {
      CAPTURE(tolerance);
      CAPTURE(end);
      const double step =
          first_step(make_run("laplacian(u) + 20 * cos(20 * t)", 0, tolerance, end));
      CHECK(std::pow(20 * step, 4) < tolerance);
      CHECK(step > 1e-3 * std::cbrt(tolerance));
      // Without t, the rate alone says it.
      CHECK(first_step(make_run("20 - u^2", 0, tolerance, end)) < std::cbrt(tolerance));
    }
}

TEST_CASE("the first step sees that rates of t become large, or that there are none at the start") {
  // At time 0 all of these are at rest.
  for (const char* const rate : {"20 * sin(20 * t)", "u * sin(20 * t)", "t - t * u"}) {
    CAPTURE(rate);
    CHECK(first_step(make_run(rate, 1, 1e-5, 100)) <= 1);
    CHECK(first_step(make_run(rate, 0, 1e-5, 100)) <= 1);
  }
  CHECK(first_step(make_run("20 * sin(20 * t)", 1, 1e-5, 100)) < 0.01);
  CHECK(first_step(make_run("20 * sin(20 * t)", 0, 1e-5, 100)) < 0.01);
  // At rest for ever.
  CHECK(first_step(make_run("1 - u", 1, 1e-5, 100)) == 90);
}

TEST_CASE("the first step of states that have values is a hundredth of the time of their change") {
  CHECK(first_step(make_run("-4 * u", 3, 1e-5, 100)) == doctest::Approx(0.9 * 0.01 / 4));
  CHECK(first_step(make_run("-4 * u", 3, 1e-12, 100)) == doctest::Approx(0.9 * 0.01 / 4));
}

TEST_CASE("where the rates of a trial step are not finite, the first step is shorter than it") {
  const double step = first_step(make_run("1 + sqrt(1e-9 - u)", 0, 1e-3, 100));
  CHECK(step > 0);
  CHECK(step < 1e-3);
}
