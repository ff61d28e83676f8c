// Implicit steps and steady states (kernels/solve/implicit_system.hpp): orders against small steps
// of rk4, bits of all engines, what is kept, and states that are known.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "solver/equation/schemes.hpp"
#include "tests/solver/config_run.hpp"
#include "tests/test_field.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

std::vector<double> after(const std::string& equation, const std::string& scheme, int steps) {
  return test::stepped<double>(test::config_run(
      equation +
      fmt::format("time: {{scheme: {}, step: {}, steps: {}}}\n", scheme, 0.5 / steps, steps) +
      "compute: {precision: float64}\noutput: {every: 1000000}\nlimits: {unstable_step: warn}\n"));
}

// Each has derivatives of conditions, of other fields, or of t in its Newton matrix.
const std::string equations[] = {
    // nonlinear diffusion, a condition that reads its field, one of t
    "grid: {shape: [6, 7], spacing: 0.5}\nboundary: {left: {derivative: \"-0.3*u^4\"}, right: "
    "{value: \"1 + t\", at: face}, y: insulated}\nequation: {u: divergence((0.3 + "
    "u^2)*gradient(u)) "
    "+ sin(3*t)}\ninitial: {u: \"1 + 0.3*sin(x)*cos(y)\"}\n",
    // two fields, a periodic axis, advection, a node that is held at a value of t
    "grid: {shape: [7, 6], spacing: 0.5}\nboundary: {x: periodic, top: {u: {value: \"cos(t)\", at: "
    "node}, v: insulated}, bottom: {v: {mixed: {value: 1, factor: 2}}, u: insulated}}\nequation: "
    "{u: "
    "0.4*laplacian(u) - d_dx(u) - u*v^2, v: 0.2*laplacian(v) + u*v^2 - 3*v}\ninitial: {u: \"1 + "
    "0.2*sin(x)\", v: \"0.5 + 0.1*cos(y)\"}\n",
    // a mask with a flux, a coefficient that jumps
    "grid: {shape: [7, 8], spacing: 0.5, mask: {formula: \"where((x - 2)^2 + (y - 1.5)^2 < 0.6, 0, "
    "1)\"}}\nparameters: {k: {formula: \"where(x < 1.8, 0.2, 1)\"}}\nboundary: {x: {value: 0, at: "
    "face}, y: insulated, mask: {derivative: 0.5}}\nequation: {u: divergence(k*gradient(u))}\n"
    "initial: {u: \"x*(4 - x)\"}\n",
    // a field that an elliptic equation determines
    "grid: {shape: [8, 8], spacing: 0.25}\nboundary: {n: insulated, p: {value: \"0.1*t\", at: "
    "face}}\nequation: {let: {p: {solve: laplacian(p), equals: -n}}, n: 0.2*laplacian(n) + "
    "divergence(n*gradient(p))}\ninitial: {n: \"1 + 0.3*cos(2*x)*sin(3*y)\"}\n",
    // three axes
    "grid: {shape: [3, 4, 5], spacing: [0.5, 0.4, 0.6]}\nboundary: {x: insulated, y: periodic, z: "
    "{value: 0, at: face}}\nequation: {u: laplacian(u) + u - u^3}\ninitial: {u: \"0.5 + "
    "0.2*cos(x + z)\"}\n"};

}  // namespace

TEST_CASE("implicit steps: their solutions have the order of their schemes") {
  for (const std::string& equation : equations) {
    CAPTURE(equation);
    const std::vector<double> exact = after(equation, "rk4", 4000);
    for (const auto& row : {std::pair("backward-euler", 1.0), {"sdirk2", 2.0}}) {
      const char* const scheme = row.first;
      CAPTURE(scheme);
      const double coarse = test::largest_difference(after(equation, scheme, 40), exact);
      const double fine = test::largest_difference(after(equation, scheme, 80), exact);
      CHECK(std::log2(coarse / fine) == doctest::Approx(row.second).epsilon(0.1));
    }
  }
}

TEST_CASE_TEMPLATE("implicit steps: the bits are those of the reference engine", T, float, double) {
  for (const std::string& equation : equations)
    for (const std::string scheme :
         {"backward-euler, step: 0.1, steps: 3", "sdirk2, tolerance: 1e-3, step: 0.05, end: 0.3"}) {
      CAPTURE(equation);
      CAPTURE(scheme);
      const RunConfig run = test::config_run(equation + "time: {scheme: " + scheme +
                                             "}\noutput: {every: 1000000}\ncompute: {precision: " +
                                             (sizeof(T) == 8 ? "float64" : "float32") + "}\n");
      const auto steps = [&](const std::string& engine, int threads) {
        const auto backend = test::started<T>(run, engine, threads);
        backend->advance(3);
        return copy_of_state(*backend);
      };
      const std::vector<T> expected = steps("reference", 1);
      for (const char* const engine : {"interpreted", "blocked"})
        for (const int threads : {1, 3}) CHECK(steps(engine, threads) == expected);
    }
}

TEST_CASE("implicit steps: long ones keep the mean of what only flows") {
  const RunConfig run = test::config_run(
      "grid: {shape: [31, 17], spacing: 1}\nparameters: {k: {formula: "
      "\"10^(2*sin(x)*cos(2*y))\"}}\n"
      "boundary: {x: periodic, y: insulated}\nequation: {u: divergence((k + u^2)*gradient(u))}\n"
      "initial: {u: \"1 + where(x < 9, 1, 0)\"}\ntime: {scheme: sdirk2, step: 1, steps: 20}\n"
      "compute: {precision: float64}\n");
  const auto backend = test::started(run);
  const double before = test::mean_value(copy_of_state(*backend));
  backend->advance(run.steps);
  const std::vector<double> after = copy_of_state(*backend);
  CHECK(test::mean_value(after) == doctest::Approx(before).epsilon(1e-9));
  for (const double value : after) {
    CHECK(value > 1);
    CHECK(value < 2);
  }
}

TEST_CASE("steady: known states, both branches of one that has two, and none beyond") {
  const auto state = [](const std::string& text, const char* const time = "steady") {
    const RunConfig run =
        test::config_run(fmt::format("{}time: {}\ncompute: {{precision: float64}}\n", text, time));
    CHECK(run.steps == 1);
    return test::stepped<double>(run);
  };
  // Radiation at the left, a heated wall at the right: sigma T^4 = 1000 + sigma 300^4.
  const auto radiating = state(
      "grid: {shape: [16], spacing: 0.01}\nboundary: {left: {derivative: \"-5.67e-8*(T^4 - "
      "300^4)/50\"}, right: {derivative: 1000/50}}\nequation: {T: laplacian(T)}\ninitial: {T: "
      "300}\n");
  const double wall = std::pow(1000 / 5.67e-8 + std::pow(300, 4), 0.25);
  for (std::size_t i = 0; i < radiating.size(); ++i)
    CHECK(radiating[i] == doctest::Approx(wall + 20 * 0.01 * (static_cast<double>(i) + 0.5)));
  // u'' + L exp(u) = 0 has two solutions below L = 3.5138 (Bratu): in the middle u is 2
  // log(cosh(a)) with cosh(a) = 4 a / sqrt(2 L).
  const auto bratu = [&](double factor, double first, const char* const time = "steady") {
    return state(
        fmt::format("grid: {{shape: [255], spacing: 0.00390625}}\nboundary: zero\n"
                    "equation: {{u: laplacian(u) + {}*exp(u)}}\ninitial: {{u: \"{}*sin(pi*(x "
                    "+ 0.00390625))\"}}\n",
                    factor, first),
        time)[127];
  };
  const double loose = bratu(2, 4, "{scheme: steady, tolerance: 1e-2}") / bratu(2, 4) - 1;
  CHECK(std::abs(loose) < 1e-2);
  CHECK(std::abs(loose) > 1e-9);
  CHECK(bratu(2, 0) == doctest::Approx(0.3290).epsilon(1e-3));
  CHECK(bratu(2, 4) == doctest::Approx(2.8957).epsilon(1e-3));
  CHECK(test::has(test::text_thrown([&] { bratu(4, 0); }), "no state in which all rates are 0"));
  CHECK(test::has(test::text_thrown([&] {
                    state(
                        "grid: {shape: [16], spacing: 1}\nboundary: insulated\nequation: {T: "
                        "laplacian(T)}\ninitial: {T: x}\n");
                  }),
                  "the rates keep an integral"));
}

TEST_CASE("steady: a weak side far below the entries of the matrix decides on the mean") {
  // u'' = -1 on (0, 1), and u' = F u at the left: u = 1 / F + x - x^2 / 2.
  for (const double factor : {1e-3, 1e-6, 1e-8}) {
    const auto u = test::stepped<double>(test::config_run(fmt::format(
        "grid: {{shape: [50], spacing: 0.02}}\ninitial: {{u: 0}}\ntime: steady\nboundary: {{left: "
        "{{mixed: {{value: 0, factor: {}}}}}, right: insulated}}\nequation: {{u: laplacian(u) + "
        "1}}\ncompute: {{precision: float64}}\n",
        factor)));
    CAPTURE(factor);
    CHECK(std::abs(u[25] * factor - 1) < 2 * factor + 1e-13 / factor);
  }
}

TEST_CASE("implicit steps: what they cannot step is refused with its reason") {
  const auto refusal = [](const std::string& rest) {
    return test::text_thrown([&] { test::config_run("grid: {shape: [8, 8]}\n" + rest); });
  };
  const std::string step = "initial: {u: 1}\ntime: {scheme: sdirk2, step: 0.1, steps: 1}\n";
  CHECK(test::has(refusal("equation: {u: \"-laplacian(laplacian(u))\"}\n" + step),
                  "reads further than one cell away"));
  CHECK(test::has(refusal("equation: {u: \"laplacian(u) - mean(u)\"}\n" + step),
                  "a rate, or a condition in it, reads a number of the whole grid"));
  CHECK(test::has(refusal("equation: {u: laplacian(u) + noise}\n" + step), "a rate has noise"));
  CHECK(test::has(refusal("equation: {u: laplacian(u)}\ninitial: {u: 1}\n"
                          "time: {scheme: sdirk2, step: auto, steps: 1}\n"),
                  "no largest stable step, as it is implicit"));
  CHECK(test::has(refusal("equation: {u: laplacian(u)}\ninitial: {u: 1}\n"
                          "time: {scheme: backward-euler, tolerance: 1e-3, end: 1}\n"),
                  "estimates no error"));
  CHECK(test::has(refusal("equation: {u: laplacian(u)}\ninitial: {u: 1}\n"
                          "time: {scheme: steady, end: 1}\n"),
                  "given with time.scheme steady"));
}

TEST_CASE("implicit steps: fields of other sizes, at rounding, that decay, or without a value") {
  const auto state = [](const std::string& text) {
    return test::stepped<double>(test::config_run(text + "compute: {precision: float64}\n"));
  };
  const std::string cell = "grid: {shape: [2]}\nboundary: insulated\n";
  // A stiff field takes nothing from the tolerance of another one: v + v^3 = 1.
  const auto beside = state(cell +
                            "equation: {u: 1e15*(1 - u), v: -v^3}\ninitial: {u: 2, v: 1}\n"
                            "time: {scheme: backward-euler, step: 1, steps: 1}\n");
  CHECK(beside[2] == doctest::Approx(0.6823278038).epsilon(1e-9));
  // The diagonal of the matrix is 0: u = 1 + (u + v), v = -1 + (v - u).
  const auto without_diagonal = state(cell +
                                      "equation: {u: u + v, v: v - u}\ninitial: {u: 1, v: -1}\n"
                                      "time: {scheme: backward-euler, step: 1, steps: 1}\n");
  CHECK(without_diagonal[0] == doctest::Approx(-1));
  CHECK(without_diagonal[2] == doctest::Approx(-1));
  // The whole step of Newton's method would lead below 0: u + 10 sqrt(u) = 1.
  CHECK(state(cell + "equation: {u: -10*sqrt(u)}\ninitial: {u: 1}\n"
                     "time: {scheme: backward-euler, step: 1, steps: 1}\n")[0] ==
        doctest::Approx(std::pow(std::sqrt(26) - 5, 2)).epsilon(1e-8));
  // v becomes the rounding of u, and a all but 0.
  const auto ended = state(
      "grid: {shape: [16, 16], spacing: 0.1}\nboundary: insulated\nequation: {u: laplacian(u), v: "
      "laplacian(u) - v, a: -50*a}\ninitial: {u: \"1 + cos(3*x)*sin(2*y)\", v: 0, a: 1}\n"
      "time: {scheme: sdirk2, step: 1, steps: 200}\n");
  for (std::size_t i = 256; i < 768; ++i) CHECK(std::abs(ended[i]) < 1e-11);
  // Only derivatives of p are given, so its mean is 0.
  const auto mean_free = state(
      "grid: {shape: [12, 12], spacing: 0.1}\nboundary: periodic\nequation: {let: {p: {solve: "
      "laplacian(p), equals: \"n - 1\", mean: removed}}, n: laplacian(n) - d_dx(p)}\n"
      "initial: {n: \"1 + sin(3*x)*cos(2*y)\"}\ntime: {scheme: sdirk2, step: 0.01, steps: 5}\n");
  double sum = 0, size = 0;
  for (std::size_t i = 144; i < 288; ++i) {  // p follows the fields with rates
    sum += mean_free[i];
    size += std::abs(mean_free[i]);
  }
  CHECK(size > 1e-3);
  CHECK(std::abs(sum) < 1e-10 * size);
}

TEST_CASE(
    "implicit steps: a field that begins at 0 takes no rate from others, and integrals that are "
    "kept") {
  const auto state = [](const std::string& text) {
    return test::stepped<double>(test::config_run(text + "compute: {precision: float64}\n"));
  };
  // u = 1 + dt v, v = -dt u
  CHECK(
      state("grid: {shape: [16]}\nboundary: insulated\nequation: {u: v, v: -u}\ninitial: {u: 1, v: "
            "0}\ntime: {scheme: backward-euler, step: 0.01, steps: 1}\n")[0] ==
      doctest::Approx(1 / 1.0001).epsilon(1e-10));
  const std::string steady = "time: {scheme: steady}\n";
  const std::string line = "grid: {shape: [24]}\nboundary: insulated\n";
  for (const std::string equation : {"equation: {u: laplacian(u^3 + u)}\ninitial: {u: 1 + 0.1*x}\n",
                                     "equation: {u: laplacian(u) - u + v^2, v: 0.1*laplacian(v) + "
                                     "2*u - 2*v^2}\ninitial: {u: 1 + "
                                     "0.1*x, v: 1}\n"})
    CHECK(test::has(test::text_thrown([&] { state(line + equation + steady); }),
                    "the rates keep an integral"));
  // An indefinite matrix is no integral: u = -(1 + x) / 200 but for the sides.
  CHECK(
      state(
          "grid: {shape: [24], spacing: 0.1}\nboundary: insulated\nequation: {u: 0*laplacian(u) + "
          "200*u + 1}\ninitial: {u: 0}\n" +
          steady)[5] == doctest::Approx(-0.005));
  // p has mean 0 where only derivatives are given.
  const auto with_free = state(
      "grid: {shape: [16, 16], spacing: 0.1}\nboundary: {n: {value: 1}, p: insulated}\nequation: "
      "{let: {p: {solve: laplacian(p), equals: n, mean: removed}}, n: laplacian(n)}\n"
      "initial: {n: 0}\n" +
      steady);
  CHECK(with_free[100] == doctest::Approx(1));
  CHECK(std::abs(with_free[300]) < 1e-9);
}
