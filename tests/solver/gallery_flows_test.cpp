// The configs of flows in configs/gallery, compared with exact solutions and published values.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "tests/solver/gallery_run.hpp"

using namespace lapl;
using test::away_from;
using test::GalleryRun;
using test::Values;

namespace {

// Settings for n x n nodes, or for rows x n, with this spacing.
std::vector<std::string> flow_grid(std::int64_t rows, std::int64_t n, double h) {
  return {fmt::format("grid.shape=[{}, {}]", rows, n), fmt::format("grid.spacing={:.17g}", h)};
}

struct FlowErrors {
  double vorticity = 0, stream = 0;
};

// The largest errors of n x n nodes at time 2.
FlowErrors taylor_green_errors(std::int64_t n) {
  const double h = 2 * std::numbers::pi / static_cast<double>(n);
  std::vector<std::string> settings = flow_grid(n, n, h);
  settings.emplace_back("time.step=0.02");
  GalleryRun run("taylor-green", settings);
  const Values w = run.after(100, "w"), psi = run.after(0, "psi");
  FlowErrors errors;
  for (std::int64_t i = 0; i < n * n; ++i) {
    const double x = static_cast<double>(i % n) * h, y = static_cast<double>(i / n) * h;
    const double exact = std::sin(x - 0.2 * 2) * std::sin(y) * std::exp(-2 * 0.02 * 2);
    errors.vorticity = std::max(errors.vorticity, std::abs(w[i] - 2 * exact));
    errors.stream = std::max(errors.stream, std::abs(psi[i] - exact));
  }
  return errors;
}

// The growth rate of a small wave of length 2 pi / 0.4446 on n columns.
double shear_layer_growth(std::int64_t n) {
  const double length = 2 * std::numbers::pi / 0.4446;
  std::vector<std::string> settings = flow_grid(n * 9 / 8, n, length / static_cast<double>(n));
  settings.insert(settings.end(),
                  {"parameters.nu=1e-5", "parameters.a=1e-7", "time.step=0.1",
                   "initial.w={kind: formula, formula: -(1 + a * cos(k * x)) / cosh(y)^2}"});
  GalleryRun run("kelvin-helmholtz", settings);
  const auto amplitude = [&](std::int64_t steps) {
    const Values psi = run.after(steps, "psi");
    std::complex<double> sum = 0;
    for (std::int64_t i = 0; i < n; ++i)  // a row near the middle
      sum +=
          psi[n * n * 9 / 16 + i] *
          std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
    return std::abs(sum);
  };
  const double before = amplitude(200);
  return std::log(amplitude(100) / before) / 10;
}

// The largest errors on 48 m + 1 x 36 m + 1 nodes.
FlowErrors kovasznay_errors(std::int64_t m) {
  const std::int64_t rows = 48 * m + 1, columns = 36 * m + 1;
  const double h = 1.5 / static_cast<double>(columns - 1);
  const double rate = 20 - std::sqrt(400 + 4 * std::numbers::pi * std::numbers::pi);
  GalleryRun run("kovasznay", flow_grid(rows, columns, h));
  const Values w = run.after(1, "w"), psi = run.after(0, "psi");
  FlowErrors errors;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    const double x = static_cast<double>(i % columns) * h - 0.5;
    const double y = static_cast<double>(i / columns) * h - 0.5;
    const double phase = 2 * std::numbers::pi * y;
    const double wake = std::exp(rate * x) * std::sin(phase) / (2 * std::numbers::pi);
    errors.vorticity = std::max(errors.vorticity, std::abs(w[i] - 40 * rate * wake));
    errors.stream = std::max(errors.stream, std::abs(psi[i] - (y - wake)));
  }
  return errors;
}

struct DiscFlow {
  double error = 0;        // of the stream function, mean
  double speed_error = 0;  // between the first two nodes above the disc, relative
};

constexpr double disc_radius = 1.25;

// n x n nodes on a square of width 4 R.
std::vector<std::string> disc_settings(std::int64_t n) {
  std::vector<std::string> settings = flow_grid(n, n, 4 * disc_radius / static_cast<double>(n));
  settings.insert(settings.end(), {fmt::format("parameters.R={}", disc_radius), "time.step=0.005"});
  return settings;
}

DiscFlow disc_flow(std::int64_t n) {
  GalleryRun run("potential-flow", disc_settings(n));
  const double h = 4 * disc_radius / static_cast<double>(n), R2 = disc_radius * disc_radius;
  const Values psi = run.after(1, "psi");
  const auto place = [&](std::int64_t i) {
    return (static_cast<double>(i) - static_cast<double>(n - 1) / 2) * h;
  };
  DiscFlow flow;
  std::int64_t cells = 0;
  for (std::int64_t i = 0; i < n * n; ++i) {
    const double x = place(i % n), y = place(i / n), r2 = x * x + y * y;
    if (r2 <= R2) continue;
    flow.error += std::abs(psi[i] - y * (1 - R2 / r2));
    ++cells;
  }
  flow.error /= static_cast<double>(cells);
  std::int64_t row = n / 2;
  while (place(row) < disc_radius) ++row;
  const std::int64_t first = row * n + n / 2;
  const double speed = (psi[first + n] - psi[first]) / h, y = place(row) + h / 2;
  flow.speed_error = speed / (1 + R2 / (y * y)) - 1;
  return flow;
}

}  // namespace

TEST_CASE("gallery: cavity has the eddy of Ghia, Ghia and Shin at Re 100") {
  GalleryRun run("cavity", {});
  const Values psi = run.after(1, "psi"), w = run.after(0, "w");
  const auto eddy = std::ranges::min_element(psi) - psi.begin();
  CHECK(away_from(-0.103423, psi[eddy]) < 0.0015);
  CHECK(away_from(-3.16646, w[eddy]) < 0.005);
  CHECK(std::abs(static_cast<double>(eddy % 127 + 1) / 128 - 0.6172) < 0.008);
  CHECK(std::abs(static_cast<double>(eddy / 127 + 1) / 128 - 0.7344) < 0.008);
  // vx at x = 0.5 and y = 0.4531
  CHECK(away_from(-0.2109, (psi[58 * 127 + 63] - psi[56 * 127 + 63]) * 64) < 0.015);
  // the vorticity at the middle of the lid
  CHECK(away_from(6.57451, 2 * 128 * (128 * psi[126 * 127 + 63] + 1)) < 0.01);
  // in the lower right corner an eddy turns the other way
  CHECK(away_from(1.25374e-5, *std::ranges::max_element(psi)) < 0.07);
}

TEST_CASE("gallery: the errors of cavity fall with the square of the spacing") {
  const auto middle = [](std::int64_t n) {
    std::vector<std::string> settings = flow_grid(n, n, 1 / static_cast<double>(n + 1));
    settings.push_back(fmt::format("grid.origin={:.17g}", 1 / static_cast<double>(n + 1)));
    GalleryRun run("cavity", settings);
    return run.after(1, "psi")[n * n / 2];
  };
  const double coarse = middle(31), fine = middle(63), finest = middle(127);
  CHECK(away_from(4, (fine - coarse) / (finest - fine)) < 0.06);
}

TEST_CASE("gallery: cavity-pressure has the velocities of Ghia, Ghia and Shin at Re 100") {
  GalleryRun run("cavity-pressure",
                 {"grid.shape=[32, 32]", "grid.spacing=0.03125", "grid.origin=0.015625",
                  "time.step=0.02", "parameters.damp=90", "output.count=1"});
  const Values u = run.after(750, "u"), v = run.after(0, "v");
  double u_least = 0, v_least = 0, v_most = 0, largest = 0;
  for (int i = 0; i < 32; ++i) {
    u_least = std::min(u_least, (u[32 * i + 15] + u[32 * i + 16]) / 2);
    v_least = std::min(v_least, (v[32 * 15 + i] + v[32 * 16 + i]) / 2);
    v_most = std::max(v_most, (v[32 * 15 + i] + v[32 * 16 + i]) / 2);
  }
  CHECK(away_from(-0.2109, u_least) < 0.03);
  CHECK(away_from(-0.24533, v_least) < 0.015);
  CHECK(away_from(0.17527, v_most) < 0.025);
  for (int row = 8; row < 24; ++row)
    for (int i = 32 * row + 8; i < 32 * row + 24; ++i)
      largest = std::max(largest, std::abs(u[i + 1] - u[i - 1] + v[i + 32] - v[i - 32]) * 16);
  CHECK(largest < 0.0025);
}

TEST_CASE("gallery: taylor-green decays and drifts as the exact solution, to second order") {
  const FlowErrors coarse = taylor_green_errors(16), fine = taylor_green_errors(32);
  CHECK(fine.vorticity < 0.006);
  CHECK(away_from(4, coarse.vorticity / fine.vorticity) < 0.012);
  CHECK(away_from(4, coarse.stream / fine.stream) < 0.012);
}

TEST_CASE("gallery: kovasznay is the exact solution, to second order") {
  const FlowErrors coarse = kovasznay_errors(1), fine = kovasznay_errors(2);
  CHECK(fine.vorticity < 0.0065);
  CHECK(away_from(4, coarse.vorticity / fine.vorticity) < 0.1);
  CHECK(away_from(4, coarse.stream / fine.stream) < 0.1);
}

TEST_CASE("gallery: kelvin-helmholtz grows at the rate of Michalke") {
  const double coarse = shear_layer_growth(32), fine = shear_layer_growth(64);
  CHECK(away_from(0.1897, fine) < 0.025);
  CHECK(away_from(0.1897, (4 * fine - coarse) / 3) < 0.005);
}

TEST_CASE("gallery: potential-flow is the exact flow, twice as fast at the top of the disc") {
  const DiscFlow coarse = disc_flow(32), middle = disc_flow(96), fine = disc_flow(128);
  CHECK(middle.error < 0.0016);
  CHECK(coarse.error / fine.error > 4);
  CHECK(std::abs(middle.speed_error) < 0.04);
  CHECK(std::abs(fine.speed_error) < 0.045);
}

TEST_CASE("gallery: the dye of potential-flow enters on the left, and stays on its streamlines") {
  std::vector<std::string> settings = disc_settings(64);
  GalleryRun bands("potential-flow", settings);
  const Values dye = bands.after(125, "dye");  // where it enters, it is 1 now
  for (const std::int64_t row : {0, 63}) {
    CHECK(dye[64 * row] > 0.9);
    CHECK(std::abs(dye[64 * row + 32]) < 0.1);
  }
  settings.emplace_back(
      "initial.dye={kind: formula, formula: \"y * (1 - R^2 / max(x^2 + y^2, R^2))\"}");
  GalleryRun lines("potential-flow", settings);
  const Values before = lines.after(0, "dye"), after = lines.after(100, "dye");
  double change = 0;
  for (std::int64_t row = 1; row < 63; ++row)
    for (std::int64_t i = 64 * row + 16; i < 64 * row + 48; ++i)
      if (std::hypot(static_cast<double>(i % 64) - 31.5, static_cast<double>(row) - 31.5) >
          1.25 * 16)
        change = std::max(change, std::abs(after[i] - before[i]));
  CHECK(change < 0.04);
}
