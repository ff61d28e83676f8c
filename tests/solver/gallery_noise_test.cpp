// The configs of configs/gallery with noise, compared with the theory of their discrete equations.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <numeric>

#include "tests/solver/gallery_run.hpp"

using namespace lapl;
using test::GalleryRun;
using test::Values;

namespace {

// Minus the symbol of the discrete Laplacian on n x n nodes.
double symbol_of_grid(int wave, int other, int n) {
  const auto of = [&](int w) { return 2 - 2 * std::cos(2 * std::numbers::pi * w / n); };
  return of(wave) + of(other);
}

// |wave|^2 / n^2 of n x n values, for each wave.
Values spectrum(const Values& values, int n) {
  std::vector<std::complex<double>> turns, along(n * n);
  for (int i = 0; i < n; ++i) turns.push_back(std::polar(1., -2 * std::numbers::pi * i / n));
  for (int row = 0; row < n; ++row)
    for (int wave = 0; wave < n; ++wave)
      for (int i = 0; i < n; ++i)
        along[row * n + wave] += values[row * n + i] * turns[wave * i % n];
  Values power;
  for (int other = 0; other < n; ++other)
    for (int wave = 0; wave < n; ++wave) {
      std::complex<double> sum = 0;
      for (int row = 0; row < n; ++row) sum += along[row * n + wave] * turns[other * row % n];
      power.push_back(std::norm(sum) / (n * n));
    }
  return power;
}

}  // namespace

TEST_CASE("gallery: Kardar-Parisi-Zhang is Edwards-Wilkinson without lambda") {
  constexpr int n = 32;
  GalleryRun run("kpz", {"grid.shape=[32, 32]", "parameters.lambda=0"});
  const double dt = *run.run.time_step, s = run.run.parameters.at("strength").number;
  const Values found = spectrum(run.after(3000), n);
  double ratio = 0;
  for (int i = 1; i < n * n; ++i) {
    // Heun's method multiplies a wave by g and the noise by 1 - z / 2.
    const double z = dt * symbol_of_grid(i % n, i / n, n), g = 1 - z + z * z / 2;
    ratio += found[i] / (s * s * dt * std::pow(1 - z / 2, 2) / (1 - g * g)) / (n * n - 1);
  }
  CHECK(std::abs(ratio - 1) < 4 * std::sqrt(2. / (n * n)));
}

TEST_CASE("gallery: Kardar-Parisi-Zhang rises by lambda / 2 times the mean square of its slope") {
  constexpr int n = 96, steps = 200;
  GalleryRun run("kpz", {"grid.shape=[96, 96]", "time.scheme=euler"});
  const double dt = *run.run.time_step, s = run.run.parameters.at("strength").number;
  const double lambda = run.run.parameters.at("lambda").number;
  const auto slopes = [&](const Values& h) {
    double sum = 0;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const double across = h[j * n + (i + 1) % n] - h[j * n + (i + n - 1) % n];
        const double down = h[(j + 1) % n * n + i] - h[(j + n - 1) % n * n + i];
        sum += (across * across + down * down) / 4;
      }
    return sum / (n * n);
  };
  double expected = 0;
  Values h = run.after(0);
  for (int step = 0; step < steps; ++step) {
    expected += dt * lambda / 2 * slopes(h);
    h = run.after(1);
  }
  const double mean = std::reduce(h.begin(), h.end()) / (n * n);
  const double deviation = s * std::sqrt(dt * steps) / n;
  CHECK(expected > 20 * deviation);
  CHECK(std::abs(mean - expected) < 4 * deviation);
}

TEST_CASE("gallery: weak noise in one phase of Allen-Cahn has the linearised equation's variance") {
  constexpr int n = 64;
  GalleryRun run("stochastic-allen-cahn",
                 {"grid.shape=[64, 64]", "initial.formula=1", "parameters.strength=0.05"});
  const double dt = *run.run.time_step, epsilon = run.run.parameters.at("epsilon").number;
  const Values field = run.after(600);
  double variance = 0, expected = 0, squares = 0;
  for (const double value : field) variance += (value - 1) * (value - 1) / (n * n);
  for (int i = 0; i < n * n; ++i) {
    const double g = 1 - dt * (2 / (epsilon * epsilon) + symbol_of_grid(i % n, i / n, n));
    const double of_wave = 0.05 * 0.05 * dt / (1 - g * g);
    expected += of_wave / (n * n);
    squares += of_wave * of_wave;
  }
  CHECK(std::abs(variance - expected) < 4 * std::sqrt(2 * squares) / (n * n));
}
