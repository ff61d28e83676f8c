#include "solver/initial_field.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "tests/solver/computed_field.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

RunConfig make_config(InitialKind kind, Shape shape) {
  RunConfig config;
  config.shape = shape;
  config.initial.kind = kind;
  return config;
}

double at(const std::vector<double>& field, Shape shape, std::int64_t row, std::int64_t column) {
  return field[static_cast<std::size_t>(row * shape.columns + column)];
}

}  // namespace

TEST_CASE("uniform has one value everywhere") {
  auto config = make_config(InitialKind::uniform, {3, 5});
  config.initial.value = -2.5;
  CHECK(test::computed_field(config) == std::vector<double>(15, -2.5));
}

TEST_CASE("gaussian is symmetric, with the peak at the center and exp(-1/2) one width away") {
  const Shape shape{41, 61};
  auto config = make_config(InitialKind::gaussian, shape);
  config.initial.amplitude = 3;
  config.initial.width = 4.0 / 41;  // a width of four cells
  const auto field = test::computed_field(config);
  CHECK(at(field, shape, 20, 30) == 3);
  CHECK(at(field, shape, 24, 30) == doctest::Approx(3 * std::exp(-0.5)).epsilon(1e-14));
  CHECK(at(field, shape, 20, 34) == at(field, shape, 24, 30));
  CHECK(at(field, shape, 17, 33) == at(field, shape, 23, 27));
}

TEST_CASE("gaussian on one row or one column is as wide as the line is long") {
  for (const Shape shape : {Shape{1, 201}, Shape{201, 1}}) {
    const auto field = test::computed_field(make_config(InitialKind::gaussian, shape));
    CHECK(field[100] == 1);
    CHECK(field[120] == doctest::Approx(std::exp(-0.5 * 20 * 20 / (20.1 * 20.1))).epsilon(1e-14));
    CHECK(field[80] == field[120]);
  }
}

TEST_CASE("checkerboard has squares of the tile size, the first one positive") {
  const Shape shape{9, 9};
  auto config = make_config(InitialKind::checkerboard, shape);
  config.initial.tile = 3;
  const auto field = test::computed_field(config);
  for (std::int64_t row = 0; row < 9; ++row)
    for (std::int64_t column = 0; column < 9; ++column)
      CHECK(at(field, shape, row, column) == ((row / 3 + column / 3) % 2 == 0 ? 1 : -1));
}

TEST_CASE("sine: each mode is an eigenvector of the second difference with its boundary") {
  for (const Boundary boundary : test::all_boundaries)
    for (const std::int64_t size : {1, 2, 7, 12})
      for (std::int64_t mode = boundary == Boundary::zero; mode <= size / 2; ++mode) {
        const auto value = [&](std::int64_t index) {
          const AxisFaces<double> faces(boundary);
          const AxisSource from = source_at(faces, index, size);
          const double inside = eigenmode(boundary, mode, from.index, size);
          return from.ghost ? faces.at(index).ghost(inside) : inside;
        };
        for (std::int64_t i = 0; i < size; ++i)
          CHECK(value(i - 1) - 2 * value(i) + value(i + 1) ==
                doctest::Approx(-test::eigenvalue(boundary, mode, size) * value(i)).epsilon(1e-13));
      }
}

TEST_CASE("sine: no digits are lost at high modes") {
  const auto exact = [](Boundary boundary, std::int64_t mode, std::int64_t i, std::int64_t size) {
    const long double pi = std::numbers::pi_v<long double>;
    const auto m = static_cast<long double>(mode), x = static_cast<long double>(i),
               n = static_cast<long double>(size);
    return boundary == Boundary::zero        ? std::sin((x + 1) * m * pi / (n + 1))
           : boundary == Boundary::insulated ? std::cos((x + 0.5L) * m * pi / n)
                                             : std::cos(2 * x * m * pi / n);
  };
  for (const Boundary boundary : test::all_boundaries)
    for (const auto& pair : {std::pair{2000, 999}, {2000, 1}, {1999, 998}, {30, 15}}) {
      const int size = pair.first, mode = pair.second;
      double worst = 0;
      for (std::int64_t i = 0; i < size; ++i)
        worst = std::max(worst, std::abs(static_cast<double>(eigenmode(boundary, mode, i, size) -
                                                             exact(boundary, mode, i, size))));
      CAPTURE(size);
      CAPTURE(mode);
      CHECK(worst < 1e-15);  // long double has an error of 5e-16
    }
  // mode * size exceeds 64 bits; the last node is the mirror image of the first.
  constexpr std::int64_t size = (std::int64_t{1} << 40) - 1, mode = size - 1;
  CHECK(eigenmode(Boundary::zero, mode, size - 1, size) ==
        -eigenmode(Boundary::zero, mode, 0, size));
}

TEST_CASE_TEMPLATE("the initial field is rounded once", T, float, double) {
  auto config = make_config(InitialKind::uniform, {2, 2});
  config.initial.value = 0.1;
  const auto backend = make_backend<T>(
      "cpu", "auto", test::diffusion<T>(config.shape, config.boundaries, T(0.2)), 1);
  set_initial_state<T>(*backend, config, {}, {});
  CHECK(test::stepped_state(*backend).field[3] == T(0.1));
  config.initial.kind = InitialKind::hdf5;
  set_initial_state<T>(*backend, config, {}, {{"field", {1, 2, 3, 4.1}}});
  CHECK(test::stepped_state(*backend).field[3] == T(4.1));
}

TEST_CASE("random draws from left to right, and from one generator for each seed") {
  auto config = make_config(InitialKind::formula, {5, 7});
  using Initials = std::vector<std::pair<std::string, std::uint64_t>>;
  const auto make_fields = [&](const Initials& initials) {
    config.fields.clear();
    for (const auto& [formula, seed] : initials) {
      InitialConfig& initial =
          config.initials[config.fields.emplace_back(1, "uvw"[config.fields.size()])];
      initial.kind = InitialKind::formula;
      initial.formula = formula;
      initial.fractal.seed = seed;
    }
    Problem<double> problem = test::diffusion<double>(config.shape, config.boundaries, 0.2);
    problem.step_fields = static_cast<int>(initials.size());
    problem.faces.resize(initials.size(), problem.faces.front());
    problem.stages.front().targets = {0};
    const auto backend = make_backend<double>("cpu", "interpreted", problem, 1);
    set_initial_state(*backend, config, {}, {});
    const auto state = test::stepped_state(*backend).field;
    std::vector<std::vector<double>> fields;
    for (auto at = state.begin(); at != state.end(); at += 35) fields.emplace_back(at, at + 35);
    return fields;
  };
  const auto draws = make_fields({{"random", 1}, {"random", 1}, {"random", 1}});
  CHECK(draws[0] != draws[1]);
  struct Row {
    const char* formula;
    double (*of)(double, double);
  };
  for (const Row& row : std::initializer_list<Row>{
           {"random + 2 * random", [](double a, double b) { return std::fma(2, b, a); }},
           {"random - random", [](double a, double b) { return a - b; }},
           {"random * (random - 0.5)", [](double a, double b) { return a * (b - 0.5); }},
           {"random / random", [](double a, double b) { return a / b; }},
           {"where(random < random, 1, 0)", [](double a, double b) { return a < b ? 1.0 : 0; }},
           {"max(random, 1 - random)", [](double a, double b) { return std::max(a, 1 - b); }}}) {
    CAPTURE(row.formula);
    const auto made = make_fields({{row.formula, 1}}).front();
    for (std::size_t i = 0; i < made.size(); ++i)
      CHECK(made[i] == row.of(draws[0][i], draws[1][i]));
  }
  const auto seeded = make_fields({{"random", 1}, {"random", 2}, {"random", 1}});
  CHECK(seeded[0] == draws[0]);
  CHECK(seeded[1] == make_fields({{"random", 2}}).front());
  CHECK(seeded[2] == draws[1]);
}

TEST_CASE("initial formulas read other fields of any kind, and quantities share one draw") {
  const auto initial_state = [](const std::string& initial,
                                std::vector<std::string> settings = {}) {
    settings.emplace_back("compute.precision=float64");
    const RunConfig run =
        parse_config(
            "grid: {shape: [5, 7]}\nfields: [u, v, w]\nequation: {kind: formula, u: '0', v: '0', "
            "w: '0'}\ntime: {step: 1, steps: 1}\nparameters: {p: {formula: x * y}}\ninitial: {" +
                initial + "}\noutput: {integrals: {used: p * u}}\n",
            "c.yaml", ".", settings)
            .run;
    const CoefficientFields coefficients = load_coefficients(run);
    const auto backend = make_backend<double>("cpu", "interpreted",
                                              make_problem<double>(Model(run), coefficients), 1);
    set_initial_state(*backend, run, coefficients, {});
    const auto state = test::stepped_state(*backend).field;
    std::vector<std::vector<double>> fields;
    for (auto at = state.begin(); at != state.end(); at += 35) fields.emplace_back(at, at + 35);
    return fields;
  };
  // Fields may read later ones; uses of `random` draw as if no field read another.
  const auto apart = initial_state(
      "u: {kind: formula, formula: random}, v: {kind: formula, formula: random}, w: {kind: "
      "fractal, crop_radius: null, percentile: null}");
  const auto read = initial_state(
      "u: {kind: formula, formula: random + v}, v: {kind: formula, formula: random - w}, w: {kind: "
      "fractal, crop_radius: null, percentile: null}");
  for (std::size_t i = 0; i < 35; ++i) {
    CHECK(read[1][i] == apart[1][i] - apart[2][i]);
    CHECK(read[0][i] == apart[0][i] + read[1][i]);
  }
  CHECK(read[2] == apart[2]);

  // A quantity draws once, before the fields; its seed is initial.seed.
  const auto shared = initial_state(
      "let: {r: random, s: q + w, q: r * p}, u: {kind: formula, formula: r + 0 * q}, v: {kind: "
      "formula, "
      "formula: 1 - r + 0 * random + 0 * s}, w: {kind: formula, formula: random + 0 * u}");
  const auto draws = initial_state(
      "u: {kind: formula, formula: random}, v: {kind: formula, formula: random}, w: {kind: "
      "formula, formula: random}");
  for (std::size_t i = 0; i < 35; ++i) {
    CHECK(shared[0][i] == draws[0][i]);
    CHECK(shared[1][i] == 1 - draws[0][i]);
    CHECK(shared[2][i] == draws[2][i]);
  }
  const auto seeded = initial_state(
      "seed: 5, let: {r: random}, u: {kind: formula, formula: r}, v: {kind: formula, formula: "
      "random, seed: 5}, w: {kind: formula, formula: random}");
  CHECK(seeded[2] == draws[0]);
  CHECK(seeded[0] != draws[0]);
  const auto same_seed = initial_state(
      "u: {kind: formula, formula: random, seed: 5}, v: {kind: formula, formula: random, seed: 5}, "
      "w: {kind: uniform}");
  CHECK(seeded[0] == same_seed[0]);
  CHECK(seeded[1] == same_seed[1]);
}
