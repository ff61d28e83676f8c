// The gallery's automata and fields with windows: properties that their sources or plain loops
// give.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "tests/solver/gallery_run.hpp"

using namespace lapl;
using test::GalleryRun;

namespace {

using Cells = std::vector<double>;

// The sums over a window on a periodic grid.
Cells window_sums(const RunConfig& run, const char* name, const Cells& of) {
  const ConvolutionWindow window = convolution_window(run.kernels.at(name), run);
  const std::int64_t rows = run.shape.rows, columns = run.shape.columns;
  Cells sums(of.size());
  for (std::int64_t i = 0; i < rows * columns; ++i)
    for (std::int64_t k = 0; k < window.shape.cells(); ++k) {
      const std::int64_t down = k / window.shape.columns - window.reach(1);
      const std::int64_t across = k % window.shape.columns - window.reach(2);
      const std::int64_t row = (i / columns - down + 4 * rows) % rows;
      const std::int64_t column = (i % columns - across + 4 * columns) % columns;
      sums[i] += window.weights[k] * of[row * columns + column];
    }
  return sums;
}

double farthest(const Cells& a, const Cells& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST_CASE("gallery: larger-than-life has the cells of an independent loop") {
  GalleryRun run("larger-than-life", {"grid.shape=[60, 44]"});
  Cells w = run.after(0);
  for (int step = 1; step <= 12; ++step) {
    Cells near(w.size());
    for (int i = 0; i < 60 * 44; ++i)
      for (int down = -5; down <= 5; ++down)
        for (int across = -5; across <= 5; ++across)
          near[i] += w[(i / 44 + down + 60) % 60 * 44 + (i % 44 + across + 44) % 44];
    for (std::size_t i = 0; i < w.size(); ++i)
      w[i] = w[i] == 1 ? (near[i] >= 33 && near[i] <= 57) : (near[i] >= 34 && near[i] <= 45);
    CHECK(run.after(1) == w);
  }
  CHECK(std::ranges::count(w, 1) > 50);
}

TEST_CASE(
    "gallery: lattice-boltzmann decays as the vortices of Taylor and Green, and keeps its mass") {
  const std::int64_t n = 48;
  GalleryRun run("lattice-boltzmann", {"grid.shape=[48, 48]"});
  const auto mass = [&] {
    double sum = 0;
    for (int i = 0; i < 9; ++i) {
      const Cells f = run.after(0, i);
      sum = std::accumulate(f.begin(), f.end(), sum);
    }
    return sum;
  };
  const double before = mass(), k = 2 * std::numbers::pi / static_cast<double>(n);
  const auto steps = 300;
  run.after(steps);
  Cells rho(n * n), a(n * n);
  for (int i = 0; i < 9; ++i) {
    const Cells f = run.after(0, i);
    const double along = i == 1 || i == 5 || i == 8 ? 1 : i == 3 || i == 6 || i == 7 ? -1 : 0;
    for (std::size_t cell = 0; cell < f.size(); ++cell) {
      rho[cell] += f[cell];
      a[cell] += along * f[cell];
    }
  }
  const double size = 0.04 * std::exp(-2 * 0.1 * k * k * steps);
  double error = 0;
  for (std::int64_t i = 0; i < n * n; ++i)
    error =
        std::max(error, std::abs(a[i] / rho[i] - size * std::cos(k * static_cast<double>(i % n)) *
                                                     std::sin(k * static_cast<double>(i / n))));
  CHECK(error < 0.01 * size);
  CHECK(std::abs(mass() - before) < 1e-10 * before);
}

TEST_CASE("gallery: multi-scale-turing steps as sums over its discs do, and spans -1 to 1") {
  GalleryRun run("multi-scale-turing", {"grid.shape=[24, 32]"});
  Cells u = run.after(0);
  for (int step = 0; step < 4; ++step) {
    std::vector<Cells> means;
    for (const char* disc : {"disc3", "disc6", "disc12", "disc24", "disc48"})
      means.push_back(window_sums(run.run, disc, u));
    for (std::size_t i = 0; i < u.size(); ++i) {
      double least = 2, move = 0;
      for (std::size_t scale = 0; scale < 4; ++scale) {
        const double change = means[scale][i] - means[scale + 1][i];
        if (std::abs(change) >= least) continue;
        least = std::abs(change);
        move = std::copysign(0.01 * static_cast<double>(scale + 1), change);
      }
      u[i] += move;
    }
    const auto [low, high] = std::ranges::minmax(u);
    for (double& value : u) value = 2 * (value - low) / (high - low) - 1;
  }
  const Cells found = run.after(4);
  CHECK(farthest(found, u) < 1e-13);
  const auto [low, high] = std::ranges::minmax(found);
  CHECK(low == -1);
  CHECK(high == 1);
}

TEST_CASE("gallery: neural-field steps as sums over its window do") {
  GalleryRun run("neural-field", {"grid.shape=[36, 40]"});
  Cells u = run.after(0);
  const auto rate = [&](const Cells& of) {
    Cells active = of;
    for (double& value : active) value = 1 / (1 + std::exp(-40 * (value - 0.1)));
    Cells rates = window_sums(run.run, "reach", active);
    for (std::size_t i = 0; i < of.size(); ++i) rates[i] -= of[i];
    return rates;
  };
  for (int step = 0; step < 3; ++step) {  // Heun's method
    const Cells first = rate(u);
    Cells there = u;
    for (std::size_t i = 0; i < u.size(); ++i) there[i] += 0.1 * first[i];
    const Cells second = rate(there);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += 0.05 * (first[i] + second[i]);
  }
  CHECK(farthest(run.after(3), u) < 1e-13);
}

TEST_CASE("gallery: smoothlife steps as sums over its windows do, and stays between 0 and 1") {
  GalleryRun run("smoothlife", {"grid.shape=[40, 36]"});
  Cells u = run.after(0);
  for (int step = 0; step < 3; ++step) {
    const Cells m = window_sums(run.run, "cell", u), n = window_sums(run.run, "around", u);
    const auto above = [](double x, double at, double width) {
      return 1 / (1 + std::exp(-4 * (x - at) / width));
    };
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double alive = above(m[i], 0.5, 0.147);
      const double low = 0.278 * (1 - alive) + 0.267 * alive;
      const double high = 0.365 * (1 - alive) + 0.445 * alive;
      const double s = above(n[i], low, 0.028) * (1 - above(n[i], high, 0.028));
      u[i] = std::clamp(u[i] + 0.1 * (2 * s - 1), 0.0, 1.0);
    }
  }
  CHECK(farthest(run.after(3), u) < 1e-12);
  CHECK(std::ranges::count(u, 0) > 100);
}
