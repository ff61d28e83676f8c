// Equations with noise: against the theory of the stochastic heat equation, and the same draws
// whoever takes the steps.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "kernels/evaluation.hpp"
#include "solver/equation/stages.hpp"
#include "solver/make_problem.hpp"
#include "tests/formula_run.hpp"

using namespace lapl;

namespace {

// The sums of |wave|^2 of rows of values, for each wave along a row.
std::vector<double> power_of_waves(const std::vector<double>& values, std::int64_t columns) {
  std::vector<double> power(static_cast<std::size_t>(columns));
  const auto rows = static_cast<std::int64_t>(values.size()) / columns;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t wave = 0; wave < columns; ++wave) {
      std::complex<double> sum = 0;
      for (std::int64_t i = 0; i < columns; ++i)
        sum += std::polar(values[row * columns + i], -2 * std::numbers::pi *
                                                         static_cast<double>(wave * i % columns) /
                                                         static_cast<double>(columns));
      power[wave] += std::norm(sum);
    }
  return power;
}

}  // namespace

// u' = D laplacian(u) - a u + s noise: a step multiplies each wave by g = 1 - dt (a + D l), with
// the Laplacian's symbol l, and adds noise of variance s^2 dt / h. So its variance becomes s^2 dt /
// h / (1 - g^2). The columns of a grid of two axes that do not touch are independent samples.
TEST_CASE("the spectrum of the stochastic heat equation is that of the theory") {
  constexpr std::int64_t samples = 1500, columns = 24;
  constexpr double h = 0.5, a = 1, D = 0.3, dt = 0.1, s = 0.7;
  RunConfig run =
      test::formula_run({samples, columns}, {{"u", "D * d2_dx2(u) - a * u + s * noise"}});
  run.spacing = h;
  run.time_step = dt;
  for (const auto& [name, value] : std::map<std::string, double>{{"D", D}, {"a", a}, {"s", s}})
    run.parameters[name] = test::number_parameter(value);
  const std::vector<double> rest(samples * columns);
  const std::vector<double> state = test::formula_stepped<double>(run, rest, 150);
  const std::vector<double> power = power_of_waves(state, columns);
  double variance = 0, mean = 0;
  for (const double value : state) {
    variance += value * value / static_cast<double>(state.size());
    mean += value / static_cast<double>(state.size());
  }
  double expected_variance = 0;
  for (std::int64_t wave = 0; wave < columns; ++wave) {
    const double symbol =
        (2 - 2 * std::cos(2 * std::numbers::pi * double(wave) / columns)) / (h * h);
    const double g = 1 - dt * (a + D * symbol);
    const double of_cell = s * s * dt / (h * h) / (1 - g * g);  // a cell's volume is h^2
    expected_variance += of_cell / columns;
    const double found = power[wave] / (samples * columns);
    CAPTURE(wave);
    // |wave|^2 has its mean as standard deviation, or sqrt(2) times it for real waves.
    const bool is_real = wave == 0 || 2 * wave == columns;
    CHECK(std::abs(found / of_cell - 1) < 4 * (is_real ? std::sqrt(2.) : 1) / std::sqrt(samples));
  }
  CHECK(std::abs(variance / expected_variance - 1) < 4 * std::sqrt(2. / samples));
  CHECK(std::abs(mean) < 4 * std::sqrt(expected_variance / samples));
}

// Both schemes for u' = s u noise, with one path a cell: Ito's mean stays, Stratonovich's grows as
// e^(s^2 t / 2).
TEST_CASE("euler takes noise as Ito does, heun as Stratonovich does") {
  constexpr double s = 0.5, dt = 0.01, end = 1;
  constexpr std::int64_t cells = 40'000;
  for (const Scheme scheme : {Scheme::euler, Scheme::heun}) {
    RunConfig run = test::formula_run({200, 200}, {{"u", "s * u * noise"}});
    run.parameters["s"] = test::number_parameter(s);
    run.time_step = dt;
    run.scheme = scheme;
    const auto state =
        test::formula_stepped<double>(run, std::vector<double>(cells, 1.), std::lround(end / dt));
    double mean = 0;
    for (const double value : state) mean += value / cells;
    const double expected = scheme == Scheme::euler ? 1 : std::exp(s * s * end / 2);
    const double deviation = expected * std::sqrt((std::exp(s * s * end) - 1) / cells);
    CHECK(std::abs(mean - expected) < 4 * deviation);
  }
}

TEST_CASE_TEMPLATE("every engine draws the same noise, on every shape, boundary and scheme" *
                       doctest::test_suite("slow"),
                   T, float, double) {
  const struct {
    Shape shape;
    Boundary boundary;
    Scheme scheme;
    bool varies;
  } rows[] = {{{23, 70}, Boundary::periodic, Scheme::euler, false},
              {{5, 19, 7, 3}, Boundary::periodic, Scheme::heun, true},
              {{1, 600, 1, 1}, Boundary::insulated, Scheme::euler, true},
              {{40, 3}, Boundary::periodic, Scheme::heun, false}};
  for (const auto& row : rows) {
    RunConfig run = test::formula_run(
        row.shape, {{"u", "0.1 * laplacian(u) + v * xi + 0.1 * noise(5)"}, {"v", "xi - noise"}});
    run.equation.quantities = {{"xi", "0.2 * noise"}};
    run.boundaries = {row.boundary, row.boundary, row.boundary};
    run.time_step = 0.3;
    run.scheme = {row.scheme};
    run.scheme.varies = row.varies;
    const std::vector<T> state(2 * row.shape.cells(), T(0.25));
    const Problem<T> problem = make_problem<T>(Model(run), {});
    const auto stepped = [&](const std::string& engine) {
      const auto backend = make_backend<T>("cpu", engine, problem, 2);
      backend->settle();
      backend->set_state(state, 3);
      backend->advance(5);
      return copy_of_state(*backend);
    };
    const std::vector<T> expected = stepped("reference");
    for (const char* const engine : {"interpreted", "threaded", "blocked"}) {
      CAPTURE(engine);
      CHECK(stepped(engine) == expected);
    }
  }
}

TEST_CASE("uses of noise are independent, but a quantity is one use") {
  const auto of = [](const NamedFormulas& rates, const NamedFormulas& quantities = {},
                     std::uint64_t seed = 1) {
    RunConfig run = test::formula_run({8, 9}, rates);
    run.equation.quantities = quantities;
    run.initial.fractal.seed = seed;
    return test::formula_stepped<double>(run, std::vector<double>(72 * rates.size()), 1);
  };
  const auto differs = [](const std::vector<double>& state) {
    return !std::equal(state.begin(), state.begin() + 72, state.begin() + 72);
  };
  CHECK(differs(of({{"u", "noise"}, {"v", "noise"}})));
  CHECK(differs(of({{"u", "noise(4)"}, {"v", "noise(4)"}})));
  CHECK(!differs(of({{"u", "xi"}, {"v", "xi"}}, {{"xi", "noise"}})));
  CHECK(of({{"u", "noise - noise"}}) != std::vector<double>(72));
  CHECK(of({{"u", "noise"}}) != of({{"u", "noise"}}, {}, 2));
  CHECK(of({{"u", "noise(7)"}}) == of({{"u", "noise(7)"}}, {}, 2));
  CHECK(of({{"u", "noise(1)"}}) == of({{"u", "noise"}}));
}

TEST_CASE("no two uses of noise cancel, whatever their seeds, and each mean is of its own noise") {
  const auto of = [](const NamedFormulas& rates, const NamedFormulas& quantities = {}) {
    RunConfig run = test::formula_run({8, 9}, rates);
    run.equation.quantities = quantities;
    return test::formula_stepped<double>(run, std::vector<double>(72 * rates.size()), 1);
  };
  const std::vector<double> rest(72);
  for (const char* const rate :
       {"noise(4294967296) - noise(0)", "noise(0) - noise(4294967296)",
        "noise(8589934592) - noise(4294967296)", "noise(0) - noise(0) - noise(8589934592)"})
    CHECK(of({{"u", rate}}) != rest);
  const std::vector<double> means = of({{"u", "mean(noise)"}, {"v", "mean(noise)"}});
  CHECK(means.front() != means.back());
  const std::vector<double> of_one = of({{"u", "mean(xi)"}, {"v", "mean(xi)"}}, {{"xi", "noise"}});
  CHECK(of_one.front() == of_one.back());
  CHECK(of_one.front() != 0);
}

TEST_CASE("noise has no part in rates without it") {
  RunConfig run =
      test::formula_run({8, 9}, {{"u", "laplacian(u) - 2 * u * noise + sqrt(u) * noise"}});
  const RunConfig plain = test::formula_run({8, 9}, {{"u", "laplacian(u)"}});
  CHECK(rate_stages(make_system(run)).stages.front().tree ==
        rate_stages(make_system(plain)).stages.front().tree);
  std::vector<double> state(72);
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = 1 + 0.1 * double(i % 7);
  const auto rates = [&](const RunConfig& of) {
    return Evaluation<double>(rates_problem(of, make_system(of), {}), 1, 1)(state);
  };
  CHECK(rates(run) == rates(plain));
}

TEST_CASE("a restart goes on with the noise of its step") {
  RunConfig run = test::formula_run({13, 21}, {{"u", "laplacian(u) + noise"}});
  run.time_step = 0.1;
  const Problem<float> problem = make_problem<float>(Model(run), {});
  const std::vector<float> rest(13 * 21);
  const auto stepped = [&](const std::vector<float>& from, std::int64_t first, std::int64_t steps) {
    const auto backend = make_backend<float>("cpu", "blocked", problem, 2);
    backend->settle();
    backend->set_state(from, first);
    backend->advance(steps);
    return copy_of_state(*backend);
  };
  const std::vector<float> whole = stepped(rest, 0, 7);
  CHECK(stepped(stepped(rest, 0, 3), 3, 4) == whole);
  CHECK(stepped(stepped(rest, 0, 3), 0, 4) != whole);
}
