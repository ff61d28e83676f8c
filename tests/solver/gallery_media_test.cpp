// Configs of configs/gallery with potentials, phases, steady states and implicit steps, on small
// grids: compared with exact solutions and published values.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "tests/solver/gallery_run.hpp"
#include "tests/test_field.hpp"

using namespace lapl;
using test::away_from;
using test::GalleryRun;
using test::sum_all;
using test::Values;

namespace {

// Where a function that falls is 0.
template <class Function>
double root_between(double low, double high, const Function& function) {
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (function(middle) > 0 ? low : high) = middle;
  }
  return low;
}

// The potential of Gouy and Chapman at a distance from a plate at the potential `plate`.
double gouy_chapman(double plate, double distance) {
  return 4 * std::atanh(std::tanh(plate / 4) * std::exp(-distance));
}

// The mean conductivity of a square of n x n cells between pressures of 1 and 0.
double mean_conductivity(int n, const std::string& k) {
  GalleryRun run("darcy",
                 {fmt::format("grid.shape=[{0}, {0}]", n), fmt::format("grid.spacing={}", 1. / n),
                  fmt::format("parameters.k={{formula: \"{}\"}}", k)});
  const Values p = run.after(0, 1), conductivity = load_coefficients(run.run).at("k");
  double flow = 0;
  for (int i = 0; i < n * n; i += n) flow += 2 * conductivity[i] * (1 - p[i]);
  return flow;
}

// The heat that the wall without its anchor gives off, and its resistance.
struct WallLoss {
  double flux, resistance;
};

double given_off(double T) {
  return 0.9 * 5.67e-8 * (std::pow(T, 4) - std::pow(293., 4)) + 10 * (T - 293);
}

WallLoss wall_loss(int columns) {
  const double h = 0.3 / columns;
  GalleryRun run("radiating-wall",
                 {fmt::format("grid.shape=[1, {}]", columns), fmt::format("grid.spacing={}", h),
                  fmt::format("grid.origin={}", h / 2), "parameters.steel=0"});
  const Values T = run.after(1);
  const double flux = 1.5 * (1400 - T.front()) / (h / 2);
  const double outside = T.back() - flux * h / 2 / 0.15;
  CHECK(flux == doctest::Approx(given_off(outside)).epsilon(2e-6));
  return {flux, (1400 - outside) / flux};
}

// The state of one bound body on the axis of a grid of 30 rows and 60 columns.
struct BoundBody {
  static constexpr int rows = 30, columns = 60;
  static constexpr double h = 0.2;
  std::vector<std::complex<double>> psi;
  Values V;

  explicit BoundBody(GalleryRun& run) : V(run.after(0, 2)) {
    const Values re = run.after(0, 0), im = run.after(0, 1);
    for (std::size_t i = 0; i < re.size(); ++i) psi.emplace_back(re[i], im[i]);
  }

  // Over space, of a value for each cell.
  template <class Value>
  static double integral(const Value& value) {
    double sum = 0;
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < columns; ++i) sum += (j + 0.5) * value(j, i);
    return 2 * std::numbers::pi * h * h * h * sum;
  }

  double mass() const {
    return integral([&](int j, int i) { return std::norm(psi[columns * j + i]); });
  }

  double energy() const {
    const auto at = [&](int j, int i) {
      return j < rows && i < columns && i >= 0 ? psi[columns * j + i] : 0;
    };
    return integral([&](int j, int i) {
      const auto here = at(j, i);
      double squares = std::norm(at(j, i + 1) - here) + (i == 0 ? std::norm(here) : 0);
      squares += (j + 1) / (j + 0.5) * std::norm(at(j + 1, i) - here);
      return squares / (2 * h * h) + V[columns * j + i] * std::norm(here) / 2;
    });
  }
};

}  // namespace

TEST_CASE("gallery: Darcy, layers in series and side by side have the means of their resistances") {
  const std::string across = "where(x + hx / 2 < 0.5, 10, 1)";
  // Faces have the arithmetic mean of k, so each jump of k displaces resistance by a part of h.
  const double coarse = 1 / mean_conductivity(16, across);
  const double fine = 1 / mean_conductivity(32, across);
  CHECK(2 * fine - coarse == doctest::Approx((1 + 0.1) / 2).epsilon(1e-7));
  CHECK(mean_conductivity(16, "where(y + hy / 2 < 0.5, 10, 1)") ==
        doctest::Approx(5.5).epsilon(1e-8));
}

TEST_CASE("gallery: Darcy, a checkerboard of k1 and k2 conducts as sqrt(k1 k2)") {
  const double mean =
      mean_conductivity(96, "where((x + hx / 2 - 0.5) * (y + hy / 2 - 0.5) > 0, 4, 1)");
  CHECK(mean / 2 == doctest::Approx(1).epsilon(0.004));
}

TEST_CASE("gallery: Darcy, dye in uniform ground has the profile of Ogata and Banks") {
  constexpr double v = 0.2, D = 0.04, t = 10, h = 0.05;  // v = k over the length
  GalleryRun run("darcy", {"grid.shape=[1, 200]", "grid.spacing=0.05", "parameters.k=2",
                           "parameters.D=0.04", "time.step=0.025"});
  const Values dye = run.after(400);
  double largest = 0;
  for (int i = 0; i < 200; ++i) {
    const double x = (i + 0.5) * h, width = 2 * std::sqrt(D * t);
    const double exact =
        (std::erfc((x - v * t) / width) + std::exp(v * x / D) * std::erfc((x + v * t) / width)) / 2;
    largest = std::max(largest, std::abs(dye[i] - exact));
  }
  CHECK(largest < 6e-4);
}

TEST_CASE("gallery: Nernst-Planck, charge decays with the Debye time, and faster in waves") {
  GalleryRun run("nernst-planck", {"grid.shape=[1, 32]", "parameters.charge=0",
                                   "initial.p=1 + 1e-6 * cos(pi * x / 2)", "time.step=0.001"});
  const auto charge = [&](std::int64_t steps) {
    return run.after(steps, 0)[0] - run.after(0, 1)[0];
  };
  const double before = charge(0), after = charge(1000);
  const double waves = std::pow(2 * std::sin(std::numbers::pi / 32) / 0.125, 2);
  CHECK(std::log(before / after) == doctest::Approx(1 + waves).epsilon(1e-5));
}

TEST_CASE("gallery: Nernst-Planck, ions between charged plates come to rest as Gouy-Chapman") {
  constexpr int rows = 80;
  constexpr double h = 0.2, charge = 3, width = rows * h;
  GalleryRun run("nernst-planck", {"grid.shape=[80, 1]", "grid.spacing=0.2",
                                   "time.scheme=backward-euler", "time.step=5"});
  const double before = sum_all(run.after(0, 0));
  const Values p = run.after(60, 0), m = run.after(0, 1), phi = run.after(0, 2);
  CHECK(sum_all(p) == doctest::Approx(before).epsilon(1e-11));
  CHECK(sum_all(m) == doctest::Approx(before).epsilon(1e-11));
  // The plates take ions from between them, so fewer are left, and the Debye length is larger.
  const auto plate = [](double left) { return 2 * std::asinh(charge / 2 / std::sqrt(left)); };
  const double left = root_between(0.1, 1, [&](double c) {
    return 1 - c - 8 * std::sqrt(c) / width * std::pow(std::sinh(plate(c) / 4), 2);
  });
  CHECK(p[rows / 2] == doctest::Approx(left).epsilon(6e-4));
  double largest = 0;
  for (int j = 0; j < rows; ++j) {
    const double near = std::sqrt(left) * h * (j + 0.5), far = std::sqrt(left) * width - near;
    const double exact = gouy_chapman(plate(left), near) - gouy_chapman(plate(left), far);
    largest = std::max(largest, std::abs(phi[j] - exact));
  }
  CHECK(largest < 0.0035);
}

TEST_CASE("gallery: Poisson-Boltzmann, a plate has the potential of Gouy and Chapman") {
  const auto error = [](int columns) {
    const double h = 12. / columns;
    GalleryRun run("poisson-boltzmann", {"grid.mask=null", fmt::format("grid.spacing={}", h),
                                         fmt::format("grid.shape=[1, {}]", columns)});
    const Values psi = run.after(1);
    double largest = 0;
    for (int i = 0; i < columns; ++i)
      largest = std::max(largest, std::abs(psi[i] - gouy_chapman(4, (i + 0.5) * h)));
    return largest;
  };
  const double coarse = error(240), fine = error(480);
  CHECK(fine < 0.0025);
  CHECK(away_from(4, coarse / fine) < 0.12);
}

TEST_CASE("gallery: the porous medium equation has Barenblatt's solution") {
  constexpr int n = 36;
  constexpr double h = 0.2, times = 16;
  GalleryRun run("porous-medium",
                 {"grid.shape=[36, 36]", "grid.spacing=0.2", "grid.center=false", "grid.origin=0.1",
                  "time.tolerance=null", "time.end=null", "time.step=0.2", "time.steps=75",
                  "initial.u=sqrt(max(0, 1 - (x^2 + y^2) / 18))"});
  const auto squared = [](int i) {
    return h * h * (std::pow(i % n + 0.5, 2) + std::pow(i / n + 0.5, 2));
  };
  const auto radius = [&](const Values& u) {
    double sum = 0;
    for (int i = 0; i < n * n; ++i) sum += u[i] * squared(i);
    return std::sqrt(sum / sum_all(u));
  };
  const Values before = run.after(0), after = run.after(75);  // from time 1 to 16
  CHECK(sum_all(after) == doctest::Approx(sum_all(before)).epsilon(1e-9));
  CHECK(radius(after) / radius(before) == doctest::Approx(std::pow(times, 1. / 6)).epsilon(4e-4));
  double difference = 0;
  for (int i = 0; i < n * n; ++i) {
    const double shrunk = 1 - squared(i) / 18 * std::pow(times, -1. / 3);
    const double exact = std::sqrt(std::max(0., shrunk)) * std::pow(times, -1. / 3);
    difference += std::abs(after[i] - exact);
  }
  CHECK(difference / sum_all(after) < 0.004);
}

TEST_CASE("gallery: a wall that radiates has the heat flux of its equation of fourth degree") {
  const double flux = given_off(root_between(
      293, 1400, [](double T) { return (1400 - T) / (0.2 / 1.5 + 0.1 / 0.15) - given_off(T); }));
  const WallLoss coarse = wall_loss(75), fine = wall_loss(150);
  // Faces have the arithmetic mean of k: between the layers, resistance is missing in proportion to
  // h.
  CHECK(2 * fine.resistance - coarse.resistance == doctest::Approx(0.8).epsilon(1e-8));
  CHECK(2 * fine.flux - coarse.flux == doctest::Approx(flux).epsilon(2e-4));
  CHECK(fine.flux == doctest::Approx(flux).epsilon(0.008));
}

TEST_CASE("gallery: Schroedinger-Newton, a bound body has its published frequency and energy") {
  GalleryRun run("schroedinger-newton",
                 {"grid.shape=[30, 60]", "grid.spacing=0.2", "grid.origin=[0.1, -5.9]",
                  "time.step=0.02", "parameters={core: 0.919, apart: 0, k: 0}"});
  const BoundBody before(run);
  constexpr std::size_t centre = BoundBody::columns / 2;
  double turned = 0;
  std::complex<double> last = before.psi[centre];
  for (int i = 0; i < 40; ++i) {
    const std::complex<double> now =
        run.after(10, 0)[centre] + std::complex<double>(0, 1) * run.after(0, 1)[centre];
    turned += std::arg(last / now);
    last = now;
  }
  const BoundBody after(run);
  // Moroz, Penrose and Tod, Classical and Quantum Gravity 15 (1998), 2733: -0.163 (M / 4 pi)^2,
  // with laplacian(V) = |psi|^2. The energy of the body is a third of that of its M particles.
  const double published = -0.162769 * std::pow(before.mass() / (4 * std::numbers::pi), 2);
  MESSAGE("frequency: ", turned / 8, ", published: ", published);
  CHECK(turned / 8 / published == doctest::Approx(1).epsilon(0.0075));
  CHECK(3 * before.energy() / before.mass() / published == doctest::Approx(1).epsilon(0.004));
  CHECK(after.mass() == doctest::Approx(before.mass()).epsilon(2e-6));
  CHECK(after.energy() == doctest::Approx(before.energy()).epsilon(1e-4));
}

TEST_CASE(
    "gallery: dendrite, heat equals the frozen part, four arms are alike and ahead of the "
    "diagonals") {
  GalleryRun run("dendrite",
                 {"grid.shape=[96, 96]", "time.step=0.03",
                  "initial.p={kind: formula, formula: -tanh((sqrt(x^2 + y^2) - 6) / sqrt(2))}"});
  const auto heat = [&] { return sum_all(run.after(0, 1)) - 0.5 * sum_all(run.after(0, 0)); };
  const double before = heat();
  const Values p = run.after(1500, 0);
  CHECK(heat() == doctest::Approx(before).epsilon(1e-12));
  double along = 0, diagonal = 0;  // from the centre, between nodes 47 and 48
  for (int i = 0; i < 48; ++i) {
    along += p[47 * 96 + 48 + i] > 0 ? 1 : 0;
    diagonal += p[(48 + i) * 96 + 48 + i] > 0 ? std::sqrt(2.0) : 0;
  }
  CHECK(along > diagonal + 2);
  for (int j = 0; j < 96; ++j)
    for (int i = 0; i < 96; ++i) {
      CHECK(std::abs(p[j * 96 + i] - p[i * 96 + j]) < 1e-9);
      CHECK(std::abs(p[j * 96 + i] - p[j * 96 + 95 - i]) < 1e-9);
    }
}
