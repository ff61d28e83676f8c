// etdrk2 and etdrk4: their orders, accuracy, and bits.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "kernels/error.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/exponential_problem.hpp"
#include "tests/kernels/random_problems.hpp"
#include "tests/spectral_runs.hpp"

using namespace lapl;

namespace {

constexpr double pi = std::numbers::pi;
using test::exponential_schemes;

// An eigenmode between faces of a mixture (tests/spectral_runs.hpp) as a formula, and the
// eigenvalue of its second difference.
struct Mode {
  std::string text;
  double eigenvalue;
};
Mode make_mode(int mixture, std::int64_t nodes, const std::string& x) {
  const auto n = static_cast<double>(nodes);
  const double theta = mixture == 4   ? 2 * pi / n
                       : mixture == 3 ? pi / n
                       : mixture == 0 ? pi / (n + 1)
                                      : pi / (2 * n + 1);
  const std::string text = mixture == 4   ? fmt::format("cos({} * {})", x, theta)
                           : mixture == 3 ? fmt::format("cos(({} + 0.5) * {})", x, theta)
                           : mixture == 1 ? fmt::format("sin(({} - {}) * {})", n, x, theta)
                                          : fmt::format("sin(({} + 1) * {})", x, theta);
  return {text, 2 * std::cos(theta) - 2};
}

// u = q e^sin(t) between faces of these mixtures, of which the faces with values hold 0.
struct Manufactured {
  RunConfig run;
  std::string q;
};
Manufactured manufactured(const std::vector<std::int64_t>& extents, const std::vector<int>& faces) {
  Manufactured made{test::formula_run(Shape::of(extents), {{"u", "0"}}), "1"};
  double eigenvalue = 0;
  constexpr std::array names = {"z", "y", "x"};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t axis = 3 - extents.size() + i;
    test::set_faces(made.run, static_cast<int>(axis), faces[i]);
    const Mode mode = make_mode(faces[i], extents[i], names[axis]);
    made.q += " * " + mode.text;
    eigenvalue += mode.eigenvalue;
  }
  const std::string exact = "(" + made.q + ") * exp(sin(t))";
  made.run.equation.rates["u"] = fmt::format(
      "0.5 * laplacian(u) - 0.2 * u + cos(t) * u - 0.3 * u^3 + ({}) * {} + 0.3 * ({})^3",
      0.2 - 0.5 * eigenvalue, exact, exact);
  return made;
}

double step_error(const Manufactured& of, Scheme scheme, int steps) {
  RunConfig start = of.run;
  start.conditions.clear();
  const auto q = test::value_of_formula(start, of.q, std::vector<double>(of.run.shape.cells()));
  RunConfig run = of.run;
  run.scheme = scheme;
  run.time_step = 2.0 / steps;
  const auto found = test::formula_stepped(run, q, steps, "auto", 1);
  double error = 0;
  for (std::size_t i = 0; i < q.size(); ++i)
    error = std::max(error, std::abs(found[i] - q[i] * std::exp(std::sin(2.0))));
  return error;
}

void check_orders(const std::vector<std::int64_t>& extents, const std::vector<int>& faces) {
  const Manufactured made = manufactured(extents, faces);
  for (const Scheme scheme : exponential_schemes) {
    CAPTURE(shape_text(made.run.shape));
    CAPTURE(faces.front());
    CAPTURE(faces.back());
    CAPTURE(std::string(enum_name(scheme)));
    const int steps = scheme == Scheme::etdrk2 ? 160 : 40;
    const double coarse = step_error(made, scheme, steps),
                 fine = step_error(made, scheme, 2 * steps);
    CHECK(std::abs(std::log2(coarse / fine) - table_row(scheme).order) < 0.15);
    CHECK(fine < 1e-4);
  }
}

template <class T = double>
std::vector<T> stepped(RunConfig run, const std::vector<T>& state, std::int64_t steps,
                       int threads = 1) {
  return test::formula_stepped<T>(run, state, steps, "auto", threads);
}

RunConfig cahn_hilliard(Shape shape, double step) {
  RunConfig run = test::formula_run(shape, {{"u", "laplacian(u^3 - u - 0.5 * laplacian(u))"}});
  run.scheme = Scheme::etdrk2;
  run.linear_about = {1};
  run.time_step = step;
  return run;
}

}  // namespace

TEST_CASE("etdrk2 and etdrk4 have their orders with every mixture of faces, on one to three axes") {
  for (int faces = 0; faces < test::face_mixtures; ++faces) {
    check_orders({9}, {faces});
    for (int other = 0; other < test::face_mixtures; ++other) check_orders({5, 6}, {faces, other});
    check_orders({4, 3, 5}, {faces, (faces + 2) % 5, (faces + 3) % 5});
  }
}

TEST_CASE("etdrk2 and etdrk4 are exact where the rates are linear, with steps of any size") {
  RunConfig run = test::formula_run({30, 41}, {{"u", "-laplacian(laplacian(u)) - 0.1 * u"}});
  run.boundaries = {Boundary::insulated, Boundary::periodic};
  const double row_theta = pi * 3 / 30, column_theta = 2 * pi * 2 / 41;
  const double lambda = 4 - 2 * std::cos(row_theta) - 2 * std::cos(column_theta);
  const std::vector<double> start = test::at_nodes(run, [&](double x, double y) {
    return std::cos((y + 0.5) * row_theta) * std::cos(x * column_theta);
  });
  for (const Scheme scheme : exponential_schemes)
    for (const double step : {1e-3, 1.0, 50.0}) {
      run.scheme = scheme;
      run.time_step = step;
      std::vector<double> expected = start;
      for (double& value : expected) value *= std::exp(-3 * step * (lambda * lambda + 0.1));
      CHECK(test::largest_difference(stepped(run, start, 3), expected) < 2e-14);
    }
}

TEST_CASE("etdrk2 and etdrk4 are exact where fields are coupled: waves with friction") {
  RunConfig run = test::formula_run({1, 32}, {{"u", "v"}, {"v", "9 * laplacian(u) - 0.2 * v"}});
  const double theta = 2 * pi * 3 / 32, square = 9 * (2 - 2 * std::cos(theta));
  const double w = std::sqrt(square - 0.01);
  std::vector<double> start =
      test::at_nodes(run, [&](double x, double) { return std::cos(x * theta); });
  start.resize(64);
  for (const Scheme scheme : exponential_schemes) {
    run.scheme = scheme;
    run.time_step = 0.7;
    const auto found = stepped(run, start, 10);
    for (std::size_t i = 0; i < 32; ++i)
      CHECK(found[i] == doctest::Approx(start[i] * std::exp(-0.7) *
                                        (std::cos(7 * w) + 0.1 / w * std::sin(7 * w)))
                            .epsilon(1e-12));
  }
}

TEST_CASE("etdrk2 and etdrk4 couple fields with other faces on the grid") {
  for (const Scheme scheme : exponential_schemes) {
    RunConfig run = test::formula_run(
        {6, 9}, {{"u", "laplacian(u) - u + 0.3 * v"}, {"v", "0.5 * laplacian(v) + 0.4 * u - v^2"}});
    run.boundaries = {Boundary::insulated, Boundary::insulated};
    run.conditions.push_back({.axis = 2,
                              .last = true,
                              .array = "v",
                              .kind = ConditionKind::value,
                              .value = "0.5 + 0.1 * y"});
    const std::vector<double> start = test::random_field<double>({12, 9});
    RunConfig plain = run;
    run.scheme = scheme;
    plain.scheme = Scheme::rk4;
    plain.time_step = 0.005;
    const auto exact = test::formula_stepped(plain, start, 400);
    const auto error = [&](double step, std::int64_t steps) {
      run.time_step = step;
      return test::largest_difference(stepped(run, start, steps), exact);
    };
    const double coarse = error(0.1, 20), fine = error(0.05, 40);
    CHECK(std::abs(std::log2(coarse / fine) - table_row(scheme).order) < 0.5);
    CHECK(fine < 0.01);
  }
}

TEST_CASE("etdrk2 keeps the mass of Cahn-Hilliard, and lets its energy fall, in long steps") {
  RunConfig run = cahn_hilliard({48, 40}, 2);  // 100 times that of euler in the gallery
  std::vector<double> state = test::random_field<double>(run.shape);
  for (double& value : state) value = 0.2 * (value - 0.5);
  const auto mass = [](const std::vector<double>& of) {
    long double sum = 0;
    for (const double value : of) sum += value;
    return static_cast<double>(sum);
  };
  const auto energy = [&](const std::vector<double>& of) {
    const auto cells =
        test::value_of_formula(run, "0.25 * (v^2 - 1)^2 + 0.25 * gradient_squared(v)", of);
    return mass(cells);
  };
  const double first = mass(state);
  double before = energy(state);
  for (int i = 0; i < 60; ++i) {
    state = stepped(run, state, 4);
    const double now = energy(state);
    CHECK(now <= before);
    before = now;
  }
  CHECK(std::abs(mass(state) - first) < 1e-10);
  CHECK(test::largest_magnitude(state) > 0.8);
  CHECK(test::largest_magnitude(state) < 1.1);
}

TEST_CASE_TEMPLATE("etdrk2 and etdrk4 have the same bits on any number of threads and if split" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  for (const Scheme scheme : exponential_schemes)
    for (const bool measures : {false, true}) {
      RunConfig run = test::formula_run({37, 50}, {{"u", "laplacian(u) - u^3 + v * sin(t)"},
                                                   {"v", "u - v + 0.2 * laplacian(v)"}});
      run.boundaries = {Boundary::periodic, Boundary::insulated};
      run.scheme = scheme;
      run.scheme.varies = measures;
      run.time_step = 0.3;
      if (measures) run.scheme.tolerance = {1e-3, 1e-3};
      const std::vector<T> start = test::random_field<T>({74, 50});
      const auto of_threads = [&](int threads, std::vector<std::int64_t> parts) {
        std::vector<T> state = start;
        std::int64_t step = 0;
        for (const std::int64_t part : parts) {
          const auto backend =
              make_backend<T>("cpu", "auto", make_problem<T>(Model(run), {}), threads);
          backend->settle();
          backend->set_state(state, step);
          for (std::int64_t i = 0; i < part; ++i) backend->advance(1);
          if (measures) CHECK(largest_error(*backend, static_cast<int>(run.fields.size())) > 0);
          state = copy_of_state(*backend);
          step += part;
        }
        return state;
      };
      const std::vector<T> one = of_threads(1, {7});
      for (const int threads : {2, 3}) CHECK(test::same_bits<T>(of_threads(threads, {7}), one));
      CHECK(test::same_bits<T>(of_threads(2, {2, 4, 1}), one));
    }
}

TEST_CASE("a rejected step of etdrk2 and etdrk4 leaves the bits of one that was not tried") {
  for (const Scheme scheme : exponential_schemes) {
    RunConfig run = test::formula_run({12, 20}, {{"u", "laplacian(u) + cos(t) * u - u^3"}});
    run.scheme = scheme;
    run.scheme.varies = true;
    run.scheme.tolerance = {1e-3, 1e-3};
    const std::vector<double> start = test::random_field<double>(run.shape);
    const auto last = [&](bool tries) {
      const auto backend =
          make_backend<double>("cpu", "auto", make_problem<double>(Model(run), {}), 1);
      backend->set_state(start);
      backend->set_clock({.step = 0.1});
      backend->advance(1);
      backend->set_clock({.step = 0.2, .start = 0.1, .start_step = 1});
      if (tries) {
        backend->set_clock({.step = 0.9, .start = 0.1, .start_step = 1});
        backend->advance(1);
        backend->undo_step();
        backend->set_clock({.step = 0.2, .start = 0.1, .start_step = 1});
      }
      backend->advance(1);
      const double error = largest_error(*backend, 1);
      CHECK(error > 0);
      std::vector<double> state = copy_of_state(*backend);
      state.push_back(error);
      return state;
    };
    CHECK(test::same_bits<double>(last(true), last(false)));
  }
}

TEST_CASE(
    "the errors that etdrk2 and etdrk4 measure have their orders, and the size of the error") {
  for (const Scheme scheme : exponential_schemes) {
    RunConfig run = test::formula_run({8, 9}, {{"u", "0.2 * laplacian(u) + u - u^3"}});
    const std::vector<double> start = test::random_field<double>(run.shape);
    const auto error_at = [&](double step) {
      return test::measured_step(run, scheme, step, start).error;
    };
    const int order = scheme == Scheme::etdrk2 ? 3 : 4;
    CHECK(std::abs(std::log2(error_at(0.02) / error_at(0.01)) - order) < 0.2);
    RunConfig fine = run;
    fine.scheme = Scheme::dopri5;
    fine.time_step = 0.001;
    RunConfig one = run;
    one.scheme = scheme;
    one.time_step = 0.02;
    const double true_error =
        test::largest_difference(stepped(one, start, 1), test::formula_stepped(fine, start, 20));
    CHECK(error_at(0.02) > 0.3 * true_error);
  }
}

TEST_CASE("random problems: short steps of etdrk2 and etdrk4 are those of rk4") {
  const std::uint64_t first = test::number_from("LAPL_RANDOM_SEED", 1);
  const std::uint64_t count = test::number_from("LAPL_RANDOM_PROBLEMS", 300);
  int taken = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    test::RandomProblem problem(seed);
    CAPTURE(seed);
    problem.run.scheme = exponential_schemes[seed % 2];
    problem.run.equation.maps.clear();
    problem.run.equation.after.clear();
    problem.run.linear_about = {seed % 3 == 0 ? 0.5 : 0};
    problem.run.time_step = 1e-5;
    try {
      if (!why_not_exponential(problem.run, make_system(problem.run)).empty()) continue;
    } catch (const std::runtime_error&) {
      continue;  // not a valid problem
    }
    std::vector<double> state = test::random_field<double>(
        {problem.run.shape.cells(), static_cast<std::int64_t>(problem.run.fields.size())});
    // Where comparisons with 0 jump, also those of squares that underflow.
    std::ranges::replace_if(
        state, [](double value) { return std::abs(value) < 1e-30; }, 0.25);
    RunConfig plain = problem.run;
    plain.scheme = Scheme::rk4;
    const auto expected = test::formula_stepped(plain, state, 2, "interpreted", 1);
    const auto found = test::formula_stepped(problem.run, state, 2, "auto", 1);
    plain.scheme = Scheme::midpoint;
    const auto other = test::formula_stepped(plain, state, 2, "interpreted", 1);
    const double change = test::largest_difference(expected, state);
    const bool finite =
        std::ranges::all_of(expected, [](double value) { return std::isfinite(value); });
    if (!finite || change > 1e-3 || test::largest_difference(expected, other) > 1e-5 * change)
      continue;  // not smooth there
    CAPTURE(problem.text());
    CHECK(test::largest_difference(found, expected) <= 1e-3 * change + 1e-13);
    CHECK(test::same_bits<double>(
        test::formula_stepped(problem.run, state, 2, "auto", problem.threads), found));
    ++taken;
  }
  CHECK(taken * 25 >= static_cast<int>(count) - 20);
}

TEST_CASE("etdrk2 and etdrk4 refuse what they cannot step, with the reason") {
  const auto why = [](const std::string& rate, auto change) {
    RunConfig run = test::formula_run({8, 9}, {{"u", rate}});
    run.parameters["s"] = test::formula_parameter("x");
    run.scheme = Scheme::etdrk2;
    change(run);
    return why_not_exponential(run, make_system(run));
  };
  const auto as_it_is = [](RunConfig&) {};
  const auto between_faces = [](RunConfig& run) {
    run.boundaries = {Boundary::insulated, Boundary::zero};
  };
  const std::string heat = "laplacian(u)";
  for (const char* const rest :
       {"", " + s * u", " - u^3", " + sin(t) * u", " - u * d_dx(u)", " - y * d_dx(u)",
        " + laplacian(u^3)", " + divergence(u^2 * gradient(u))", " + d2_dxdy(u)", " + s * u^2"})
    CHECK(why(heat + rest, as_it_is).empty());
  CHECK(why("divergence(s * gradient(u))", as_it_is) ==
        "the rate of u multiplies u and its neighbours by a factor that depends on s, which is not "
        "the same everywhere (rkl2, bs23 and dopri5 take such factors)");
  CHECK(why("(2 + sin(y)) * laplacian(u) + s * u", as_it_is).find("depends on y") !=
        std::string::npos);
  CHECK(why("cos(t) * laplacian(laplacian(u))", as_it_is).find("depends on t") !=
        std::string::npos);
  CHECK(why("d_dx(s * d_dx(u))", as_it_is).find("depends on s") != std::string::npos);
  CHECK(why("-laplacian(laplacian(u))", between_faces) ==
        "an operator reads a quantity of u whose boundary conditions differ from those of u");
  CHECK(why("d_dx(d_dx(u))", [](RunConfig& run) {
          run.boundaries = {Boundary::insulated, Boundary::insulated};
        }).find("is not the same when an axis between faces is turned round") != std::string::npos);
  CHECK(why(heat,
            [](RunConfig& run) {
              run.boundaries = {Boundary::insulated, Boundary::insulated};
              run.conditions.push_back({.axis = 1,
                                        .last = true,
                                        .array = "",
                                        .kind = ConditionKind::mixed,
                                        .value = "1",
                                        .factor = "1"});
            }) ==
        "the last face of the rows has a mixed condition, or a value at: face (values one cell "
        "outside "
        "and derivatives have modes)");
}
