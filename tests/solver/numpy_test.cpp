// Equations in formulas compared with NumPy: tests/data/equations.py states each equation as a
// config and in NumPy, and NumPy computed the fields in tests/data/equations.h5. conditions.py and
// conditions.h5 have equations whose conditions read fields or hold nodes; SciPy solved `fin`.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "solver/equation/formula.hpp"
#include "tests/formula_run.hpp"
#include "tests/reference_data.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

const test::ReferenceData& numpy() {
  static const test::ReferenceData data(LAPL_SOURCE_DIR "/tests/data/equations.h5");
  return data;
}

const test::ReferenceData& conditions_of_numpy() {
  static const test::ReferenceData data(LAPL_SOURCE_DIR "/tests/data/conditions.h5");
  return data;
}

const test::ReferenceData& numpy_with(const std::string& equation) {
  return std::ranges::count(numpy().groups(), equation) > 0 ? numpy() : conditions_of_numpy();
}

std::string config_text(const std::string& equation) {
  return numpy_with(equation).text(equation + "/config");
}

// Largest difference from NumPy of any field after the last step, relative to the field's largest
// magnitude.
double difference_from_numpy(const std::string& equation, const std::string& config,
                             const std::string& engine) {
  const RunConfig run = parse_config(config, equation, ".", {"compute.precision=float64"}).run;
  const CoefficientFields coefficients = load_coefficients(run);
  const auto backend =
      make_backend<double>("cpu", engine, make_problem<double>(Model(run), coefficients), 2);
  backend->settle();
  set_initial_state(*backend, run, coefficients, {});
  backend->advance(run.steps);
  const auto capture = backend->capture();
  double largest = 0;
  for (std::size_t field = 0; field < run.fields.size(); ++field) {
    const auto expected = numpy_with(equation).values(equation + "/" + run.fields[field]);
    const auto found = capture.wait().field(static_cast<std::int64_t>(field));
    REQUIRE(found.size() == expected.size());
    const double difference =
        test::largest_difference(found, expected) / test::largest_magnitude(expected);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

void compare_with_numpy(const std::string& engine) {
  CHECK(numpy().groups().size() >= 10);
  for (const std::string& equation : numpy().groups()) {
    CAPTURE(equation);
    CHECK(difference_from_numpy(equation, config_text(equation), engine) <= 1e-12);
  }
  for (const std::string& equation : conditions_of_numpy().groups()) {
    CAPTURE(equation);
    CHECK(difference_from_numpy(equation, config_text(equation), engine) <=
          (equation == "fin" ? 1e-9 : 1e-12));
  }
}

}  // namespace

TEST_CASE("equations equal NumPy's: engine reference") { compare_with_numpy("reference"); }
TEST_CASE("equations equal NumPy's: engine interpreted") { compare_with_numpy("interpreted"); }
TEST_CASE("equations equal NumPy's: engine blocked, compiled" * doctest::test_suite("slow")) {
  compare_with_numpy("blocked");
}

TEST_CASE("equations of NumPy's hold every function and every scheme") {
  // convolution_test.cpp, stencils_test.cpp and tensor_test.cpp
  constexpr std::string_view with_own_tests[] = {"convolve", "shift", "harmonic", "tensor"};
  std::string configs;
  for (const std::string& equation : numpy().groups()) configs += config_text(equation);
  for (const std::string& equation : conditions_of_numpy().groups())
    configs += config_text(equation);
  for (const FormulaFunction& function : formula_functions) {
    CAPTURE(std::string(function.name));
    if (function.kind == FormulaFunction::Kind::defined) continue;  // given by the other functions
    if (std::ranges::count(with_own_tests, function.name) > 0) continue;
    CHECK(configs.find(std::string(function.name) + "(") != std::string::npos);
  }
  for (const SchemeRow& scheme : test::schemes_of_stages())
    if (scheme.value != Scheme::euler)
      CHECK(configs.find("scheme: " + std::string(scheme.name)) != std::string::npos);
}

TEST_CASE("equations differ from NumPy's where a sign is wrong") {
  const struct {
    std::string equation, right, wrong;
  } rows[] = {
      {"heat", "factor: 0.4", "factor: -0.4"},
      {"heat", "2 + sin", "2 - sin"},
      {"conductivity", "0.1 * cos(t) + ", "0.1 * cos(t) - "},
      {"gray_scott", "- u * v^2 + F", "- u * v^2 - F"},
      {"wave", "- 0.05 * v", "+ 0.05 * v"},
      {"advection", "-0.2, dye^2", "0.2, dye^2"},
      {"burgers", "exp(-t)", "exp(t)"},
      {"cahn_hilliard", "mu: {value: 0.1", "mu: {value: -0.1"},
      {"kuramoto_sivashinsky", "- 0.5 *", "+ 0.5 *"},
      {"anisotropic", "b: -0.2", "b: 0.2"},
      {"crystal", "+ d_dx(fx)", "- d_dx(fx)"},
      {"functions", "u <= v", "u >= v"},
      {"thaw", "- u * v", "- 1.01 * u * v"},
      {"box_mixture", "[0.5, 1.0, 0.25]", "[0.5, 1.0, 0.26]"},
      {"box_conditions", "derivative: 0.2", "derivative: -0.2"},
      {"box_operators", "+ 0.05 * d2_dxdz", "- 0.05 * d2_dxdz"},
      {"plane_transport", "u: -advect(c", "u: -advect(-c"},
      {"box_transport", "u - 0.4, u)", "u - 0.5, u)"},
      {"line_front", "value: 1", "value: 0.9"},
      {"radiation", "-e * excess", "e * excess"},
      {"potential", "0.1 * c}", "-0.1 * c}"},
      {"absorbed", "absorbing: 2", "absorbing: 3"},
      {"implicit", "-0.2 * u^2", "0.2 * u^2"},
      {"long_steps", "-0.2 * u^2", "0.2 * u^2"},
      {"held", "0.05 * x * t", "0.06 * x * t"},
      {"held", "sin(2 * t), at: node", "sin(2 * t), at: face"},
      {"held_long", "k * cos(3 * t)", "k * sin(3 * t)"},
      {"fin", "-tip", "tip"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.wrong);
    std::string config = config_text(row.equation);
    const auto at = config.find(row.right);
    REQUIRE(at != std::string::npos);
    config.replace(at, row.right.size(), row.wrong);
    CHECK(difference_from_numpy(row.equation, config, "interpreted") > 1e-4);
  }
}
