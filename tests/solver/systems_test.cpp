// flux: systems of conservation laws against exact solutions, and advect by weno5.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "tests/solver/config_run.hpp"
#include "tests/solver/gallery_run.hpp"
#include "tests/text.hpp"

using namespace lapl;
using test::GalleryRun;
using test::Values;

namespace {

// The density of Sod's tube at (x, t) (Toro, Riemann Solvers and Numerical Methods for Fluid
// Dynamics, section 4.3.3, test 1: p* = 0.30313, u* = 0.92745).
double sod_density(double x, double t) {
  const double g = 1.4, p = 0.30313017805064707, u = 0.92745262004895057;
  const double c = std::sqrt(g), tail = u - c * std::pow(p, (g - 1) / (2 * g));
  const double shock =
      std::sqrt(g * 0.1 / 0.125 * ((g + 1) / (2 * g) * p / 0.1 + (g - 1) / (2 * g)));
  const double part = (g - 1) / (g + 1), ratio = p / 0.1, xi = x / t;
  if (xi < -c) return 1;
  if (xi < tail) return std::pow(2 / (g + 1) - part / c * xi, 2 / (g - 1));
  if (xi < u) return std::pow(p, 1 / g);
  return xi < shock ? 0.125 * (ratio + part) / (part * ratio + 1) : 0.125;
}

double mean_error(const Values& found, const std::function<double(std::int64_t)>& exact) {
  double sum = 0;
  for (std::int64_t i = 0; i < std::ssize(found); ++i) sum += std::abs(found[i] - exact(i));
  return sum / static_cast<double>(found.size());
}

// The mean error of sod's density on n cells.
double sod_error(std::int64_t n, const std::vector<std::string>& settings = {}) {
  std::vector<std::string> all = {fmt::format("grid.shape=[1, {}]", n), "grid.size=null",
                                  fmt::format("grid.spacing={:.17g}", 1 / static_cast<double>(n)),
                                  "initial.let={inside: x < 0}",
                                  fmt::format("time.step={}", 0.16 / static_cast<double>(n))};
  all.insert(all.end(), settings.begin(), settings.end());
  GalleryRun run("explosion", all);
  return mean_error(run.after(n * 5 / 4, "rho"), [&](std::int64_t i) {
    return sod_density((static_cast<double>(i) + 0.5) / static_cast<double>(n) - 0.5, 0.2);
  });
}

// The mean error of a wave after one turn on a circle, by steps that are much shorter than needed.
double weno_error(const std::string& speed, std::int64_t cells) {
  RunConfig run = test::formula_run({1, cells, 1, 1}, {{"u", "-advect(" + speed + ", u, weno5)"}});
  run.scheme = Scheme::rk4;
  run.spacing = 1 / static_cast<double>(cells);
  run.time_step = 0.2 / static_cast<double>(cells);
  Values start;  // means of the cells, which the fluxes change
  const double half = std::numbers::pi / static_cast<double>(cells);
  for (std::int64_t i = 0; i < cells; ++i)
    start.push_back(1 + std::sin(half) / half * std::sin(2 * half * static_cast<double>(i)));
  const Values end = test::formula_stepped(run, start, 5 * cells);
  return mean_error(end, [&](std::int64_t i) { return start[i]; });
}

}  // namespace

TEST_CASE(
    "gallery: explosion's equations have the shock tube of Sod with an error below 0.003 on 400 "
    "cells") {
  const double error = sod_error(400);
  CHECK(error < 0.003);
  // NumPy's plain loop over the same formulas, with van Leer's slopes
  CHECK(error == doctest::Approx(0.0021562860830601997).epsilon(1e-9));
  CHECK(sod_error(800) < 0.6 * error);
}

TEST_CASE("flux by weno5 has the shock tube of Sod with less error") {
  CHECK(sod_error(400, {"equation.rho=-flux(p, q, c, weno5)",
                        "equation.p=-flux(p*u + pressure, p*v, c, weno5)",
                        "equation.E=-flux((E + pressure)*u, (E + pressure)*v, c, weno5)"}) <
        0.0018);
}

TEST_CASE("gallery: dam-break has Ritter's depth, keeps its water and is nowhere below 0") {
  const auto error = [](std::int64_t n) {
    GalleryRun run("dam-break", {fmt::format("grid.shape=[1, {}]", n), "grid.size=null",
                                 fmt::format("grid.spacing={:.17g}", 2 / static_cast<double>(n)),
                                 "initial.h=where(x < 0, 1, 0)",
                                 fmt::format("time.step={}", 0.05 / static_cast<double>(n))});
    const Values h = run.after(2 * n, "h");
    CHECK(*std::ranges::min_element(h) > -1e-12);
    CHECK(test::sum_all(h) == doctest::Approx(static_cast<double>(n) / 2).epsilon(1e-12));
    const double c = std::sqrt(9.81), t = 0.1;
    return mean_error(h, [&](std::int64_t i) {
      const double x = (static_cast<double>(i) + 0.5) * 2 / static_cast<double>(n) - 1;
      return x < -c * t ? 1 : x < 2 * c * t ? std::pow(2 * c - x / t, 2) / (9 * 9.81) : 0;
    });
  };
  const double coarse = error(200), fine = error(400);
  CHECK(fine < 0.0014);
  CHECK(fine < 0.6 * coarse);
}

TEST_CASE("gallery: orszag-tang's equations carry an Alfven wave of any size, and keep all sums") {
  const auto error = [](std::int64_t n, bool along_y) {
    const std::string phase = along_y ? "2*pi*y" : "2*pi*x";
    const std::string across = along_y ? "x" : "y", along = along_y ? "y" : "x";
    std::vector<std::string> settings = {
        along_y ? fmt::format("grid.shape=[{}, 4]", n) : fmt::format("grid.shape=[4, {}]", n),
        fmt::format("grid.size=null"),
        fmt::format("grid.spacing={:.17g}", 1 / static_cast<double>(n)),
        "initial.rho=1 + 0*r*b*u0*v0",
        "initial.m" + along + "=0",
        "initial.m" + across + "=0.3*sin(" + phase + ")",
        "initial.mz=0.3*cos(" + phase + ")",
        "initial.b" + along + "=1",
        "initial.b" + across + "=-0.3*sin(" + phase + ")",
        "initial.bz=-0.3*cos(" + phase + ")",
        "initial.E=0.1/(2/3) + 0.09/2 + 1.09/2",
        fmt::format("time.step={}", 0.2 / static_cast<double>(n))};
    GalleryRun run("orszag-tang", settings);
    const Values before = run.after(0, "mz");
    const Values after = run.after(5 * n, "mz");
    return mean_error(after, [&](std::int64_t i) { return before[i]; });
  };
  for (const bool along_y : {false, true}) {
    const double coarse = error(32, along_y), fine = error(64, along_y);
    CHECK(fine < 0.01);
    CHECK(std::log2(coarse / fine) > 1.7);
  }
  GalleryRun run("orszag-tang", {"grid.shape=[32, 32]", "time.step=0.004"});
  Values before;
  for (int field = 0; field < 8; ++field) before.push_back(test::sum_all(run.after(0, field)));
  run.after(50);
  for (int field = 0; field < 8; ++field)
    CHECK(std::abs(test::sum_all(run.after(0, field)) - before[field]) < 1e-11);
}

TEST_CASE("flux: walls let nothing through, at sides and at a mask, with both kinds of slopes") {
  for (const std::string by : {"", ", weno5"})
    for (const bool masked : {false, true}) {
      CAPTURE(by);
      CAPTURE(masked);
      const std::string wall = "{h: insulated, p: {value: 0, at: face}, q: {value: 0, at: face}}";
      RunConfig run = test::config_run(
          "grid: {shape: [9, 11]" +
          std::string(masked ? ", mask: {formula: abs(x - 6) > 1.5 or abs(y - 4) > 1.5}" : "") +
          "}\nequation:\n  let: {c: abs(p / h) + abs(q / h) + sqrt(h)}\n  h: -flux(p, q, c" + by +
          ")\n  p: \"-flux(p^2 / h + h^2 / 2, p * q / h, c" + by +
          ")\"\n  q: \"-flux(p * q / h, q^2 / h + h^2 / 2, c" + by +
          ")\"\nboundary: {left: " + wall + ", right: " + wall + ", top: " + wall +
          ", bottom: " + wall + (masked ? ", mask: " + wall : "") +
          "}\ninitial: {h: 1 + exp(-((x - 3)^2 + (y - 6)^2) / 4), p: 0, q: 0}\n"
          "time: {step: 0.1, steps: 20, scheme: ssprk3}\ncompute: {precision: float64}\n");
      const auto sum = [&](std::int64_t steps) {
        run.steps = steps;
        const Values state = test::stepped<double>(run);
        return test::sum_all({state.begin(), state.begin() + run.shape.cells()});
      };
      CHECK(sum(20) == doctest::Approx(sum(0)).epsilon(1e-13));
    }
}

TEST_CASE("advect by weno5 is of fifth order") {
  for (const std::string speed : {"1", "-1", "1 + 0 * t"}) {
    CAPTURE(speed);
    const double coarse = weno_error(speed, 16), fine = weno_error(speed, 32);
    CHECK(std::log2(coarse / fine) > 4.7);
    CHECK(fine < 3e-5);
  }
}

TEST_CASE("advect by weno5 has the same weights in every unit") {
  const auto after = [](float unit) {
    RunConfig run = test::formula_run({1, 6, 1, 1}, {{"u", "advect(0.5, v, weno5)"}, {"v", "0"}});
    std::vector<float> state(6);
    for (const float value : {0.0f, 1.0f, 4.0f, 6.0f, 8.0f, 3.0f}) state.push_back(unit * value);
    return test::formula_stepped<float>(run, state, 1)[2] / unit;
  };
  for (const float unit : {1e-12f, 1e-6f, 1e6f, 1e12f})
    CHECK(after(unit) == doctest::Approx(after(1)).epsilon(1e-5));
}

TEST_CASE("flux and advect: mistakes are named") {
  const RunConfig run = test::formula_run({1, 8, 1, 1}, {});
  const auto has = [&](const std::string& rate, const std::string& message) {
    CAPTURE(rate);
    const std::string found = test::rate_mistake(run, rate);
    CAPTURE(found);
    CHECK(found.find(message) != std::string::npos);
  };
  has("flux(v)", "flux of 1 argument (expected flux(Fx, [Fy, [Fz,]] speed, [weno5]))");
  has("flux(v, 1, 2)", "flux of 3 arguments");
  has("flux(noise, 1)", "flux of noise");
  has("advect(1, v, weno3)", "advect of 3 arguments");
  has("weno5", "unknown name weno5");
  RunConfig with_quantity = run;
  with_quantity.equation.quantities = {{"f", "flux(v, 1)"}};
  CHECK(test::rate_mistake(with_quantity, "f")
            .find("flux has no meaning here (expected it in the rate of a field") !=
        std::string::npos);
}

TEST_CASE("a field may have the name of a function that came later: a call is the function") {
  RunConfig run = test::formula_run({1, 8, 1, 1}, {{"flux", "-flux(2 * flux, 2)"}});
  RunConfig other = test::formula_run({1, 8, 1, 1}, {{"u", "-advect(2, u)"}});
  run.time_step = other.time_step = 0.1;
  const Values start = {0, 1, 3, 4, 4, 2, 1, 0};
  const Values found = test::formula_stepped(run, start, 3);
  const Values right = test::formula_stepped(other, start, 3);
  for (std::size_t i = 0; i < 8; ++i) CHECK(found[i] == doctest::Approx(right[i]));
  CHECK_NOTHROW(
      test::config_run("grid: {shape: [8]}\nequation: {u: laplacian(u)}\n"
                       "boundary: insulated\ninitial: 1\ntime: {step: 0.1, steps: 1}\n"
                       "output: {fields: [u, flux], derived: {flux: d_dx(u)}}\n"));
}

TEST_CASE("time.step: auto keeps flows to half a cell a step") {
  const auto step = [](const std::string& rates, const std::string& grid = "",
                       const std::string& time = "step: auto") {
    return *test::config_run("grid: {shape: [32], spacing: 0.5" + grid + "}\nequation: {" + rates +
                             "}\nboundary: insulated\ninitial: 1 + sin(x)^2\ntime: {" + time +
                             ", end: 1, scheme: ssprk3}\n")
                .time_step;
  };
  const double limit = 0.9 * 0.5 * 0.5 / 3;
  for (const std::string rate :
       {"-advect(-3, u)", "-flux(3 * u, 3)", "-advect(1.5, u) - advect(1.5, u)",
        "-advect(6, u) / 2", "-3 * flux(u, 1)", "where(x < 3, 0, -advect(3, u))"})
    CHECK(step("u: \"" + rate + '"') == doctest::Approx(limit));
  CHECK(step("let: {f: -3 * u, g: \"-advect(f, u)\"}, u: g") < limit / 1.9);
  CHECK(step("u: \"-advect(3, u)\"", ", coordinates: cylindrical") == doctest::Approx(limit / 2));
  CHECK(step("u: \"-advect(3, u)\"", ", coordinates: spherical") == doctest::Approx(limit / 3));
}

TEST_CASE("time.step: auto takes a gas at rest, whose momentum is rounding") {
  const std::string rest =
      "grid: {shape: [20], size: 1}\nequation:\n  let: {p: 0.4*(E - m^2/r/2), s: abs(m/r) + "
      "sqrt(1.4*p/r)}\n  r: -flux(m, s)\n  m: -flux(m^2/r + p, s)\n  E: -flux((E+p)*m/r, s)\n"
      "boundary: periodic\ntime: {step: auto, end: 1, scheme: ssprk3}\n"
      "compute: {precision: float64}\n";
  const double still = *test::config_run(rest + "initial: {r: 1, m: 0, E: 2.5}\n").time_step;
  for (const std::string m : {"1e-300", "1e-17", "1e-14", "1e-15*sin(7*x)"})
    CHECK(*test::config_run(rest + "initial: {r: 1, m: " + m + ", E: 2.5}\n").time_step ==
          doctest::Approx(still).epsilon(1e-3));
}
