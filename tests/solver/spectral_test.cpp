// The spectral engine compared with stepping engines and closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "kernels/error.hpp"
#include "solver/spectral_problem.hpp"
#include "tests/spectral_runs.hpp"

using namespace lapl;

namespace {

template <class T>
std::vector<T> spectral(RunConfig run, const std::vector<T>& state, std::int64_t steps,
                        int threads = 2) {
  run.engine = "spectral";
  return test::formula_stepped(run, state, steps, "spectral", threads);
}

}  // namespace

TEST_CASE_TEMPLATE("engine spectral equals stepping within the gate, whatever the faces" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  for (const Shape shape : test::spectral_shapes())
    for (int faces = 0; faces < test::face_pairs; ++faces) {
      const RunConfig run = test::mixed_run(shape, faces);
      const std::vector<T> start = test::random_field<T>(shape);
      for (const std::int64_t steps : {1, 2, 15, 400}) {
        CAPTURE(shape_text(shape));
        CAPTURE(faces);
        CAPTURE(steps);
        const std::vector<T> stepped = test::formula_stepped(run, start, steps);
        CHECK(test::largest_difference(spectral(run, start, steps), stepped) <=
              test::spectral_gate(start, steps));
      }
    }
}

TEST_CASE("engine spectral takes decay, sources, conditions of values and every scheme" *
          doctest::test_suite("moderate")) {
  for (const Shape shape :
       {test::make_shape({41}), test::make_shape({14, 23}), test::make_shape({5, 8, 6})})
    for (const SchemeRow& scheme : test::schemes_of_stages())
      for (int faces = 0; scheme.value != Scheme::imex && faces < test::face_mixtures; ++faces) {
        const RunConfig run = test::source_run(shape, scheme.value, faces);
        const std::vector<double> start = test::random_field<double>(shape);
        CAPTURE(shape_text(shape));
        CAPTURE(scheme.name);
        CAPTURE(faces);
        CHECK(test::largest_difference(spectral(run, start, 300),
                                       test::formula_stepped(run, start, 300)) < 1e-12);
      }
}

TEST_CASE("engine spectral takes quantities with the faces of the field" *
          doctest::test_suite("moderate")) {
  RunConfig run = test::formula_run({20, 33}, {{"u", "-0.05 * laplacian(laplacian(u)) - 0.1 * u"}});
  run.time_step = 0.2;
  run.boundaries = {Boundary::insulated, Boundary::periodic};
  const std::vector<double> start = test::random_field<double>(run.shape);
  CHECK(test::largest_difference(spectral(run, start, 200),
                                 test::formula_stepped(run, start, 200)) < 1e-13);
  run.boundaries.rows = Boundary::zero;  // but the inner Laplacian is insulated
  CHECK(why_not_spectral(run, make_system(run)) ==
        "an operator reads a quantity of u whose boundary conditions differ from those of u");
}

TEST_CASE("engine spectral is exact for a thousand million steps of an eigenmode" *
          doctest::test_suite("moderate")) {
  constexpr std::int64_t steps = 1'000'000'000;
  constexpr double pi = std::numbers::pi;
  const Shape shape = {150, 211};
  for (const double decay : {0.01, 2.0, 30.0}) {
    RunConfig run = test::diffusion_run(shape);
    run.boundaries = {Boundary::zero, Boundary::insulated};
    const double row_theta = pi * 3 / 151, column_theta = pi * 2 / 211;
    const double lambda =
        4 * std::pow(std::sin(row_theta / 2), 2) + 4 * std::pow(std::sin(column_theta / 2), 2);
    const double c = decay / static_cast<double>(steps) / lambda;
    run.equation.coefficient = c;
    const std::vector<double> start = test::at_nodes(run, [&](double x, double y) {
      return std::sin((y + 1) * row_theta) * std::cos((x + 0.5) * column_theta);
    });
    const long double factor = std::exp(static_cast<long double>(steps) *
                                        std::log1p(-static_cast<long double>(c) * lambda));
    std::vector<double> expected = start;
    for (double& value : expected) value *= static_cast<double>(factor);
    CHECK(test::largest_difference(spectral(run, start, steps), expected) <
          1e-13 * static_cast<double>(factor) + 1e-17);
  }
  // The mean of an insulated field is conserved, and a source accumulates.
  RunConfig run = test::formula_run({31, 40}, {{"u", "0.1 * laplacian(u) + 1e-9"}});
  run.boundaries = {Boundary::insulated, Boundary::insulated};
  const std::vector<double> after =
      spectral(run, std::vector<double>(static_cast<std::size_t>(run.shape.cells()), 2.0), steps);
  for (const double value : after) CHECK(value == doctest::Approx(3).epsilon(1e-14));
}

TEST_CASE_TEMPLATE("engine spectral is nearer to exact steps than stepping is" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  RunConfig run = test::diffusion_run({64, 48});
  run.equation.coefficient = 0.25;  // exact in both precisions
  const std::vector<T> start = test::random_field<T>(run.shape);
  const std::vector<double> exact =
      spectral(run, std::vector<double>(start.begin(), start.end()), 2000);
  const auto error = [&](const std::vector<T>& found) {
    return test::largest_difference(std::vector<double>(found.begin(), found.end()), exact);
  };
  if (sizeof(T) == 4)
    CHECK(error(spectral(run, start, 2000)) < 0.5 * error(test::formula_stepped(run, start, 2000)));
  CHECK(error(spectral(run, start, 2000)) <= 1e-7);
}

TEST_CASE("engine spectral has the same bits on any number of threads" *
          doctest::test_suite("moderate")) {
  RunConfig run = test::diffusion_run({37, 50});
  run.boundaries = {Boundary::periodic, Boundary::insulated};
  const std::vector<float> start = test::random_field<float>(run.shape);
  const std::vector<float> one = spectral(run, start, 77, 1);
  for (const int threads : {2, 3, 8})
    CHECK(test::same_bits<float>(spectral(run, start, 77, threads), one));
}

TEST_CASE("engine spectral refuses each equation that it cannot step, with the reason" *
          doctest::test_suite("moderate")) {
  const auto why = [](const std::string& rate, auto change) {
    RunConfig run = test::formula_run({8, 9}, {{"u", rate}});
    run.parameters["s"] = test::formula_parameter("x");
    change(run);
    return why_not_spectral(run, make_system(run));
  };
  const auto as_it_is = [](RunConfig&) {};
  const auto faced = [](ConditionKind kind, const std::string& value) {
    return [=](RunConfig& run) {
      run.boundaries = {Boundary::insulated, Boundary::insulated};
      run.conditions.push_back(
          {.axis = 1, .last = true, .array = "", .kind = kind, .value = value, .factor = "1"});
    };
  };
  const std::string heat = "laplacian(u)";
  CHECK(why(heat, as_it_is).empty());
  CHECK(why(heat + " + s", as_it_is).empty());
  CHECK(why(heat, faced(ConditionKind::value, "x")).empty());
  CHECK(why(heat + " - u^3", as_it_is) == "the rate of u is not linear in it");
  CHECK(why(heat + " - s * u", as_it_is) ==
        "what the rate of u multiplies it by is not the same everywhere");
  CHECK(why(heat + " + sin(t)", as_it_is) == "the rate of u depends on t");
  CHECK(why(heat + " - d_dx(u)", as_it_is).starts_with("the rate of u is not the same when"));
  CHECK(why(heat + " - d2_dxdy(u)", as_it_is).starts_with("the rate of u is not the same when"));
  std::string deep = "u";
  for (int i = 0; i < 91; ++i) deep = "laplacian(" + deep + ")";
  CHECK(why(deep, as_it_is) == "the rate of u has too many operators upon one another (91)");
  CHECK(why(heat, faced(ConditionKind::mixed, "1"))
            .starts_with("the last face of the rows has a mixed condition"));
  CHECK(why(heat, faced(ConditionKind::value, "t")) == "the condition of a face depends on t");
  CHECK(why(heat, [](RunConfig& run) {
          run.fields.emplace_back("v");
          run.equation.rates["v"] = "u";
        }) == "it takes one field, and there are more");
}
