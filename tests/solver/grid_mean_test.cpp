// Equations that read means, integrals and extremes of the grid.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "solver/diagnostics.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/outputs.hpp"
#include "solver/spectral_problem.hpp"
#include "solver/stable_step.hpp"
#include "tests/solver/config_run.hpp"
#include "tests/solver/gallery_run.hpp"
#include "tests/test_field.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

const std::string on_random =
    "grid: {shape: [40, 50], spacing: 0.5}\nboundary: {rows: insulated, columns: periodic}\n"
    "initial: {kind: formula, formula: random}\ntime: {step: 0.02, steps: 2000}\n";

}  // namespace

TEST_CASE("an Allen-Cahn equation with its mean force taken off keeps the mean to 1e-15") {
  const RunConfig run = test::config_run(
      on_random +
      "equation: {kind: formula, let: {f: field - field^3}, field: laplacian(field) + "
      "f - mean(f)}\n");
  const auto backend = test::started(run);
  const double before = test::mean_value(copy_of_state(*backend));
  backend->advance(run.steps);
  const std::vector<double> state = copy_of_state(*backend);
  CHECK(test::mean_value(state) == doctest::Approx(before).epsilon(1e-15));
  CHECK(*std::ranges::max_element(state) - *std::ranges::min_element(state) > 1);  // it separated
}

TEST_CASE(
    "gallery: conserving Allen-Cahn, the larger of two drops grows at the cost of the other") {
  const double R1 = 17, R2 = 12;
  test::GalleryRun run(
      "conserving-allen-cahn",
      {"grid.shape=[64, 120]", "parameters.epsilon=1", "time.step=0.15",
       fmt::format("initial={{kind: formula, formula: 'max(tanh(({} - sqrt((x - 33)^2 + (y - "
                   "32)^2)) / (sqrt(2) * epsilon)), tanh(({} - sqrt((x - 90)^2 + (y - 32)^2)) / "
                   "(sqrt(2) * epsilon)))'}}",
                   R1, R2)});
  const auto squares = [](const test::Values& u) {  // of the radii
    std::array<double, 2> found{};
    for (std::size_t i = 0; i < u.size(); ++i)
      found[i % 120 < 64 ? 0 : 1] += (u[i] + 1) / 2 / std::numbers::pi;
    return found;
  };
  const test::Values start = run.after(200);
  const auto before = squares(start);
  const test::Values end = run.after(500);
  const auto after = squares(end);
  double r1 = std::sqrt(before[0]), r2 = std::sqrt(before[1]);
  for (int step = 0; step < 500; ++step) {
    const double mean = 2 / (r1 + r2), dt = run.at_time(1);
    r1 += dt * (mean - 1 / r1);
    r2 += dt * (mean - 1 / r2);
  }
  CHECK(after[0] - before[0] == doctest::Approx(r1 * r1 - before[0]).epsilon(0.03));
  CHECK(after[1] - before[1] == doctest::Approx(r2 * r2 - before[1]).epsilon(0.03));
  CHECK(std::abs(test::mean_value(end) - test::mean_value(start)) < 1e-14);
}

TEST_CASE("a thermostat moves the mean as its own equation says") {
  for (const std::string gauge : {"mean(field)", "integral(field) / (Lx * Ly)"}) {
    const RunConfig run = test::config_run(
        on_random + "equation: {kind: formula, field: 0.5 * laplacian(field) - 2 * (" + gauge +
        " - 3)}\n");
    const auto backend = test::started(run);
    double expected = test::mean_value(copy_of_state(*backend));
    for (int step = 0; step < 100; ++step) expected += 0.02 * -2 * (expected - 3);
    backend->advance(100);
    CHECK(test::mean_value(copy_of_state(*backend)) == doctest::Approx(expected).epsilon(1e-13));
  }
}

TEST_CASE("cells outside the mask do not count") {
  const std::string masked =
      "grid: {shape: [9, 11], mask: {formula: x < 7}}\n"
      "boundary: {rows: insulated, columns: insulated}\n"
      "initial: {kind: formula, formula: 5 + x * y + random}\ntime: {step: 1, steps: 1}\n"
      "compute: {precision: float64}\nequation: {kind: formula, field: ";
  const RunConfig none = test::config_run(masked + "0 * laplacian(field)}\n");
  const std::vector<double> state = copy_of_state(*test::started(none));
  std::vector<double> inside;
  for (std::size_t i = 0; i < state.size(); ++i)
    if (i % 11 < 7) inside.push_back(state[i]);
  const auto value = [&](const std::string& formula) {
    const auto backend =
        test::started(test::config_run(masked + formula + " - field}\n"), "reference");
    backend->advance(1);
    const std::vector<double> made = copy_of_state(*backend);
    for (std::size_t i = 0; i < made.size(); ++i)
      CHECK(made[i] == doctest::Approx(i % 11 < 7 ? made[0] : 0).epsilon(1e-14));
    return made[0];
  };
  CHECK(value("mean(field)") == doctest::Approx(test::mean_value(inside)).epsilon(1e-14));
  CHECK(value("integral(field)") == doctest::Approx(63 * test::mean_value(inside)).epsilon(1e-14));
  CHECK(value("minimum(field)") == doctest::Approx(*std::ranges::min_element(inside)));
  CHECK(value("maximum(-field)") == doctest::Approx(-*std::ranges::min_element(inside)));
  CHECK(value("mean((field - mean(field))^2)") > 1);
}

TEST_CASE("means are taken anew in every stage of a step") {
  // du/dt = mean(u) has e^t; rk4 is of order four only if each stage has its own mean.
  const RunConfig run = test::config_run(
      "grid: {shape: [3, 4]}\nequation: {kind: formula, field: mean(field)}\n"
      "initial: {kind: formula, formula: 1 + 0 * x}\ncompute: {precision: float64}\n"
      "time: {step: 0.1, steps: 10, scheme: rk4}\n");
  for (const std::string engine : {"reference", "interpreted", "blocked"}) {
    const auto backend = test::started(run, engine);
    backend->advance(10);
    CHECK(std::abs(copy_of_state(*backend)[5] - std::exp(1)) < 3e-6);
  }
}

TEST_CASE("a mean of one long row") {
  const RunConfig run = test::config_run(
      "grid: {shape: [200001]}\nequation: {kind: formula, field: mean(field) - field}\n"
      "initial: {kind: formula, formula: x}\ntime: {step: 1, steps: 1}\n");
  for (const std::string engine : {"reference", "blocked"}) {
    const auto backend = test::started(run, engine);
    backend->advance(1);
    const std::vector<double> state = copy_of_state(*backend);
    CHECK(state.front() == 100000);
    CHECK(state.back() == doctest::Approx(100000).epsilon(1e-15));
  }
}

TEST_CASE("derived outputs and integrals read means") {
  const RunConfig run = test::config_run(
      on_random +
      "equation: {kind: formula, field: laplacian(field)}\n"
      "output: {fields: [field, w], derived: {w: {formula: field - mean(field)}}, integrals: "
      "{variance: (field - mean(field))^2}}\n");
  const Model model(run);
  const Problem<double> problem = make_problem<double>(model, {});
  const auto backend = make_backend<double>("cpu", "auto", problem, 2);
  backend->set_derived(planned_outputs(model, problem));
  set_initial_state(*backend, run, {}, {});
  const auto capture = backend->capture(true);
  const Captured<double> captured = capture.wait();
  const double mean = test::mean_value(copy_of_state(*test::started(run)));
  double squares = 0;
  for (std::size_t i = 0; i < captured.state.size(); ++i) {
    CHECK(captured.derived[0][i] == doctest::Approx(captured.state[i] - mean).epsilon(1e-12));
    squares += captured.derived[0][i] * captured.derived[0][i];
  }
  CHECK(compute_diagnostics(captured, run).integrals[0] ==
        doctest::Approx(squares * 0.25).epsilon(1e-12));
}

TEST_CASE("the mean of a complex field is taken of both parts") {
  const RunConfig run = test::config_run(
      "grid: {shape: [6, 7]}\nfields: {psi: complex}\ncompute: {precision: float64}\n"
      "equation: {kind: formula, psi: i * mean(psi) - psi}\n"
      "initial: {psi: {kind: formula, formula: random + i * (2 + x)}}\n"
      "time: {step: 1, steps: 1}\n");
  const auto backend = test::started(run);
  const std::vector<double> before = copy_of_state(*backend);
  backend->advance(1);
  const std::vector<double> after = copy_of_state(*backend);
  const double re = test::mean_value({before.begin(), before.begin() + 42});
  const double im = test::mean_value({before.begin() + 42, before.end()});
  CHECK(after[3] == doctest::Approx(-im).epsilon(1e-13));
  CHECK(after[50] == doctest::Approx(re).epsilon(1e-13));
}

TEST_CASE("an equation with a mean has an estimated step, and no spectral one") {
  const RunConfig run = test::config_run(
      on_random + "equation: {kind: formula, field: laplacian(field) - mean(field)}\n");
  const StableStep stable =
      stable_step_finder(run, make_system(run), [&] { return load_state_fields(run); })(run.scheme);
  REQUIRE(stable.largest);
  CHECK(*stable.largest == doctest::Approx(0.0625).epsilon(0.05));
  CHECK(test::has(why_not_spectral(run, make_system(run)), "reads a mean"));
}
