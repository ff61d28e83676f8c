// The configs of configs/gallery on small grids, compared with known properties of their equations.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <numbers>
#include <numeric>
#include <regex>

#include "solver/schedule.hpp"
#include "tests/docs_page.hpp"
#include "tests/solver/gallery_run.hpp"
#include "tests/test_field.hpp"

using namespace lapl;
using test::GalleryRun;
using test::sum_all;
using test::Values;

namespace {

std::string field_formula(const std::string& field, const std::string& formula) {
  return fmt::format("initial{}={{kind: formula, formula: \"{}\"}}",
                     field.empty() ? "" : "." + field, formula);
}

// 4 * sin^2(k h / 2) / h^2: minus the eigenvalue of the discrete Laplacian for wave number k.
double symbol(double k, double h) { return std::pow(2 * std::sin(k * h / 2) / h, 2); }

// The place, in columns, at which a row falls below one half, interpolated between nodes.
double front_place(const Values& row) {
  std::size_t i = 0;
  while (i + 2 < row.size() && row[i + 1] >= 0.5) ++i;
  return static_cast<double>(i) + (row[i] - 0.5) / (row[i] - row[i + 1]);
}

}  // namespace

TEST_CASE("gallery: every config steps, and stays finite") {
  for (const EmbeddedConfig& config : gallery()) {
    CAPTURE(config.name);
    GalleryRun run(config.name, {"grid.shape=[24, 32]"});
    const bool is_steady = run.run.scheme.kind == Scheme::steady;
    for (std::int64_t field = 0; field < static_cast<std::int64_t>(run.run.fields.size()); ++field)
      CHECK(std::isfinite(test::largest_magnitude(run.after(is_steady ? 1 : 20, field))));
  }
}

TEST_CASE("gallery: every config stores 40 outputs or a steady state, and has a picture of one") {
  const std::string text = test::docs_page("gallery.md");
  for (const EmbeddedConfig& config : gallery()) {
    CAPTURE(config.name);
    const std::string name(config.name);
    const RunConfig run = parse_config(std::string(config.text), "g.yaml", ".", {}).run;
    const Schedule schedule(run);
    if (run.scheme.kind != Scheme::steady && !run.scheme.varies) {
      CHECK(schedule.outputs().least > 40);
      CHECK(run.steps % steps_between_outputs(run) == 0);
    }
    CHECK(std::filesystem::exists(LAPL_SOURCE_DIR "/docs/pictures/gallery/" + name + ".png"));
    std::smatch entry;
    REQUIRE(
        std::regex_search(text, entry,
                          std::regex("\\(pictures/gallery/" + name + "\\.png\\)[^!]*`lapl new " +
                                     name + "`[^!]*Picture:\\s+(\\w+)\\s+at\\s+step\\s+(\\d+)")));
    CHECK(std::ranges::count(run.output_fields, entry.str(1)) == 1);
    const std::int64_t step = std::stoll(entry.str(2));
    if (run.scheme.varies) continue;  // where outputs follow the time
    CHECK(schedule.is_output(step));
    CHECK(step <= run.steps);
  }
}

TEST_CASE("gallery: heat-source becomes steady where outflow equals the source") {
  GalleryRun run("heat-source", {"grid.shape=[8, 24]",
                                 "parameters.q={formula: \"0.01 * exp(-(x - 15)^2 / 20)\"}"});
  const Values u = run.after(20000);
  double flow = 0, source = 0;
  for (std::int64_t row = 0; row < 8; ++row) {
    const double outside = (1 - 0.025) / (1 + 0.025) * u[row * 24 + 23];
    flow += (u[row * 24] - 1) + (u[row * 24 + 23] - outside);
    for (int x = 0; x < 24; ++x) source += 0.01 * std::exp(-(x - 15.0) * (x - 15.0) / 20);
  }
  CHECK(flow == doctest::Approx(source).epsilon(1e-9));
}

TEST_CASE("gallery: conductivity, steady, carries the same heat through every column") {
  GalleryRun run("conductivity", {"grid.shape=[20, 16]"});
  const Values u = run.after(100'000);
  const Values D = load_coefficients(run.run).at("D");
  const auto flow = [&](std::int64_t column) {
    double total = 0;
    for (std::int64_t i = column; i < 320; i += 16)
      total += (D[i] + D[i + 1]) / 2 * (u[i] - u[i + 1]);
    return total;
  };
  CHECK(flow(0) > 0.1);
  for (std::int64_t column = 1; column < 15; ++column)
    CHECK(flow(column) == doctest::Approx(flow(0)).epsilon(1e-7));
}

TEST_CASE("gallery: plate, steady, loses as much heat as it takes in") {
  GalleryRun run("plate", {"grid.shape=[20, 20]", "parameters.n=20", "parameters.w=8",
                           "parameters.r=2.5", "time.step=2"});
  const Values u = run.after(4000), mask = load_coefficients(run.run).at("grid.mask");
  double in = 0, out = 0;
  for (int i = 0; i < 20; ++i) {
    in += mask[i] * (1 - u[i]);
    out += mask[20 * i + 19] * u[20 * i + 19];
  }
  CHECK(mask[20 * 16 + 4] == 0);
  CHECK(in > 0.1);
  CHECK(out == doctest::Approx(in).epsilon(1e-9));
}

TEST_CASE("gallery: a thin fin, steady, takes in the heat of the exact solution") {
  constexpr double thick = 0.002, h = 0.001, k = 15, s = 0.8 * 5.67e-8, base = 1000;
  GalleryRun run("fin", {"grid.shape=[1, 120]", "grid.spacing=[0.002, 0.001]",
                         "parameters.around=0", "time.step=10"});
  const Values T = run.after(2000);
  const double tip = T.back(), heat = k * (base - T.front()) / (h / 2);
  // k thick T'' = 2 s T^4, multiplied by T' and integrated from the tip to the base.
  const double squared = 4 * s * k / (5 * thick) * (std::pow(base, 5) - std::pow(tip, 5)) +
                         std::pow(s * std::pow(tip, 4), 2);
  // The solution has one temperature across the fin; its sides are 0.3% colder than its middle.
  CHECK(heat == doctest::Approx(std::sqrt(squared)).epsilon(7e-3));
  CHECK(tip < 0.6 * base);
}

TEST_CASE("gallery: a fin, steady, radiates as much heat as it takes in") {
  GalleryRun run("fin", {"grid.shape=[8, 24]", "grid.spacing=0.003", "time.step=20"});
  const Values T = run.after(2000);
  const auto radiated = [](double t) {
    return 0.8 * 5.67e-8 * (std::pow(t, 4) - std::pow(293., 4));
  };
  const auto lost = [&](double inside) {  // at the face, w = inside - h/2 radiated(w) / k
    double w = inside;
    for (int i = 0; i < 20; ++i) w = inside - 0.0015 * radiated(w) / 15;
    return radiated(w);
  };
  double in = 0, out = 0;
  for (int row = 0; row < 8; ++row) {
    in += 15 * (1000 - T[24 * row]) / 0.0015;
    out += lost(T[24 * row + 23]);
  }
  for (int column = 0; column < 24; ++column) out += lost(T[column]) + lost(T[7 * 24 + column]);
  CHECK(in > 1e4);
  CHECK(out == doctest::Approx(in).epsilon(1e-8));
}

TEST_CASE("gallery: waves leave an absorbing box") {
  const auto box = [](int size, const std::string& condition) {
    std::vector<std::string> settings = {fmt::format("grid.shape=[{0}, {0}]", size),
                                         field_formula("u", "exp(-(x^2 + y^2) / 8)")};
    if (!condition.empty()) settings.push_back("boundary=" + condition);
    return GalleryRun("absorbing", settings).after(110);
  };
  const Values large = box(136, "insulated");
  const auto reflected = [&](const Values& small) {
    double most = 0;
    for (int row = 0; row < 40; ++row)
      for (int column = 0; column < 40; ++column)
        most = std::max(most,
                        std::abs(small[40 * row + column] - large[136 * (row + 48) + column + 48]));
    return most;
  };
  const double by_sides = reflected(box(40, "")), by_walls = reflected(box(40, "insulated"));
  MESSAGE("comes back: ", by_sides, ", from walls: ", by_walls);
  CHECK(by_walls > 0.1);
  CHECK(by_sides < 0.15 * by_walls);
}

TEST_CASE("gallery: Gray-Scott equals a loop written out") {
  GalleryRun run("gray-scott-coral", {"grid.shape=[20, 27]", field_formula("v", "0.5 * random")});
  Values u = run.after(0, 0), v = run.after(0, 1);
  constexpr int rows = 20, columns = 27;
  for (int step = 0; step < 100; ++step) {
    Values next_u = u, next_v = v;
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < columns; ++i) {
        const auto laplacian = [&](const Values& of) {
          const auto at = [&](int row, int column) {
            return of[(row + rows) % rows * columns + (column + columns) % columns];
          };
          return at(j - 1, i) + at(j + 1, i) + at(j, i - 1) + at(j, i + 1) - 4 * at(j, i);
        };
        const int c = j * columns + i;
        const double reaction = u[c] * v[c] * v[c];
        next_u[c] += 0.16 * laplacian(u) - reaction + 0.0545 * (1 - u[c]);
        next_v[c] += 0.08 * laplacian(v) + reaction - (0.0545 + 0.062) * v[c];
      }
    u = next_u, v = next_v;
  }
  CHECK(test::largest_difference(run.after(100, 0), u) < 1e-12);
  CHECK(test::largest_difference(run.after(0, 1), v) < 1e-12);
}

TEST_CASE("gallery: Brusselator, a small wave grows as the linearised reaction says") {
  constexpr int columns = 64;
  const double k = 2 * std::numbers::pi * 9 / columns, a = 4.5, b = 7;
  const std::string wave = fmt::format("1e-6 * cos({} * x)", k);
  GalleryRun run("brusselator", {"grid.shape=[1, 64]", field_formula("u", "a + " + wave),
                                 field_formula("v", "b / a")});
  // The largest eigenvalue of [[b - 1 - Du k^2, a^2], [-b, -a^2 - Dv k^2]].
  const double q = symbol(k, 1), m = b - 1 - 2 * q, n = -a * a - 16 * q;
  const double rate = (m + n) / 2 + std::sqrt((m - n) * (m - n) / 4 - a * a * b);
  REQUIRE(rate > 0);
  const auto amplitude = [&](std::int64_t steps) { return run.after(steps)[0] - a; };
  const double before = amplitude(1000), after = amplitude(4000);
  CHECK(std::log(after / before) ==
        doctest::Approx(4000 * std::log1p(*run.run.time_step * rate)).epsilon(1e-3));
}

TEST_CASE("gallery: FitzHugh-Nagumo without recovery has a front of speed sqrt(D/2) (1 - 2a)") {
  GalleryRun run("fitzhugh-nagumo", {"grid.shape=[1, 400]", "grid.spacing=0.25",
                                     "parameters.epsilon=0", "parameters.a=0.2", "time.step=0.02",
                                     field_formula("u", "x < -20"), field_formula("v", "0")});
  const double first = front_place(run.after(1000)), second = front_place(run.after(2000));
  CHECK((second - first) * 0.25 / run.at_time(2000) ==
        doctest::Approx(std::sqrt(0.5) * 0.6).epsilon(0.005));
}

TEST_CASE("gallery: Fisher-KPP has the exact front of speed 5 / sqrt 6") {
  const auto error = [](double h, double dt) {
    GalleryRun run(
        "fisher-kpp",
        {fmt::format("grid.shape=[1, {}]", std::lround(60 / h)), fmt::format("grid.spacing={}", h),
         fmt::format("time.step={}", dt), field_formula("", "(1 + exp((x - 20) / sqrt(6)))^-2")});
    const std::int64_t steps = std::lround(4 / dt);
    const Values u = run.after(steps);
    Values exact = test::at_nodes(run.run, [](double x, double) {
      return std::pow(1 + std::exp((x - 20 - 5 * 4 / std::sqrt(6.0)) / std::sqrt(6.0)), -2);
    });
    return test::largest_difference(u, exact);
  };
  // Second order in space and first order in time: h / 2 and dt / 4 give a quarter of the error.
  const double coarse = error(0.5, 0.04), fine = error(0.25, 0.01);
  CHECK(fine < 0.004);
  CHECK(coarse / fine == doctest::Approx(4).epsilon(0.15));
}

TEST_CASE("gallery: Allen-Cahn, a circle shrinks as R^2 = R0^2 - 2 t") {
  GalleryRun run("allen-cahn", {"grid.shape=[96, 96]",
                                field_formula("",
                                              "tanh((30 - sqrt((x - 48)^2 + (y - 48)^2)) / "
                                              "(sqrt(2) * epsilon))")});
  const auto area = [&](const Values& u) { return (sum_all(u) + 96 * 96) / 2; };
  const double before = area(run.after(50)), after = area(run.after(1000));
  CHECK((before - after) / std::numbers::pi ==
        doctest::Approx(2 * run.at_time(1000)).epsilon(0.02));
}

TEST_CASE("gallery: Cahn-Hilliard keeps the mass to rounding, and its energy falls") {
  GalleryRun run("cahn-hilliard", {"grid.shape=[32, 40]"});
  const auto energy = [&](const Values& u) {
    double total = 0;
    for (int j = 0; j < 32; ++j)
      for (int i = 0; i < 40; ++i) {
        const double c = u[j * 40 + i], right = u[j * 40 + (i + 1) % 40],
                     down = u[(j + 1) % 32 * 40 + i];
        total += 0.25 * std::pow(c * c - 1, 2) +
                 0.25 * ((right - c) * (right - c) + (down - c) * (down - c));
      }
    return total;
  };
  Values u = run.after(0);
  const double mass = sum_all(u);
  double last = energy(u);
  for (int i = 0; i < 40; ++i) {
    u = run.after(250);
    CHECK(std::abs(sum_all(u) - mass) < 1e-10);
    CHECK(energy(u) < last);
    last = energy(u);
  }
  CHECK(test::largest_magnitude(u) > 0.8);
}

TEST_CASE("gallery: Swift-Hohenberg has rolls of amplitude 2 sqrt(r / 3)") {
  GalleryRun run("swift-hohenberg",
                 {"grid.shape=[1, 256]", "parameters.r=0.05", "grid.spacing=0.39269908169872414",
                  "time.step=0.5", field_formula("", "0.1 * cos(x)")});
  const double h = run.run.spacing.columns(), r = 0.05 - std::pow(1 - symbol(1, h), 2);
  CHECK(run.after(400)[0] == doctest::Approx(2 * std::sqrt(r / 3)).epsilon(0.002));
}

TEST_CASE("gallery: Kuramoto-Sivashinsky, small waves grow as k^2 - k^4") {
  constexpr int columns = 128;
  for (const int waves : {5, 14, 25}) {
    CAPTURE(waves);
    const double k = 2 * std::numbers::pi * waves / columns;
    GalleryRun run(
        "kuramoto-sivashinsky",
        {"grid.shape=[1, 128]", field_formula("", fmt::format("1e-8 * cos({} * x)", k))});
    const double q = symbol(k, 1), dt = *run.run.time_step;
    CHECK(run.after(200)[0] ==
          doctest::Approx(1e-8 * std::pow(1 + dt * (q - q * q), 200)).epsilon(1e-5));
    // For waves much longer than a cell, the discrete rate is close to that of the equation.
    if (waves == 5) CHECK(q - q * q == doctest::Approx(k * k - k * k * k * k).epsilon(0.01));
  }
}

TEST_CASE("gallery: waves by leapfrog have the dispersion of the scheme") {
  constexpr int columns = 64;
  const double k = 2 * std::numbers::pi * 5 / columns;
  GalleryRun run("wave", {"grid.shape=[1, 64]", "boundary=periodic",
                          field_formula("u", fmt::format("cos({} * x)", k)),
                          "initial.v={kind: uniform, value: 0}"});
  const double dt = *run.run.time_step;
  const double angle = 2 * std::asin(dt / 2 * std::sqrt(symbol(k, 1)));
  // u at integer steps, v half a step earlier: cos(n * angle + angle / 2) / cos(angle / 2).
  for (int step = 1; step <= 300; ++step) {
    const double exact = std::cos((step - 0.5) * angle) / std::cos(angle / 2);
    CHECK(run.after(1)[0] == doctest::Approx(exact).epsilon(1e-9));
  }
}

TEST_CASE("gallery: Burgers converges to the exact solution at second order") {
  const auto error = [](int cells, double dt) {
    GalleryRun run("burgers", {fmt::format("grid.shape=[{0}, {0}]", cells + 1),
                               fmt::format("grid.spacing={}", 1.0 / cells), "parameters.nu=0.02",
                               fmt::format("time.step={}", dt)});
    const std::int64_t steps = std::lround(0.5 / dt);
    const auto exact = test::at_nodes(run.run, [](double x, double y) {
      return 0.75 - 0.25 / (1 + std::exp((-4 * x + 4 * y - 0.5) / (32 * 0.02)));
    });
    const double of_u = test::largest_difference(run.after(steps, 0), exact);
    Values v = run.after(0, 1);
    for (double& value : v) value = 1.5 - value;
    return std::max(of_u, test::largest_difference(v, exact));
  };
  const double coarse = error(16, 0.005), fine = error(32, 0.00125);
  CHECK(fine < 2e-4);
  CHECK(coarse / fine == doctest::Approx(4).epsilon(0.15));
}

TEST_CASE("gallery: advection by one cell per step shifts the field unchanged") {
  GalleryRun run("advection", {"grid.shape=[12, 30]", "parameters.cx=1", "parameters.cy=0",
                               "time.step=1", "boundary=periodic", field_formula("", "random")});
  const Values before = run.after(0), after = run.after(7);
  for (int j = 0; j < 12; ++j)
    for (int i = 0; i < 30; ++i)
      CHECK(after[j * 30 + (i + 7) % 30] == doctest::Approx(before[j * 30 + i]).epsilon(1e-13));
}

TEST_CASE("gallery: Ginzburg-Landau, a plane wave turns as the dispersion says") {
  constexpr int columns = 64;
  const double k = 2 * std::numbers::pi * 3 / columns, q = symbol(k, 1), r = std::sqrt(1 - q);
  GalleryRun run("ginzburg-landau", {"grid.shape=[1, 64]", "time.scheme=rk4",
                                     field_formula("", fmt::format("{} * exp({} * i * x)", r, k))});
  const double omega = -1 + (0.5 + 1) * q;  // c + (b - c) * k^2
  const double t = run.at_time(400);
  const Values u = run.after(400, 0), v = run.after(0, 1);
  for (int i = 0; i < columns; ++i) {
    const auto exact = std::polar(r, k * i - omega * t);
    CHECK(std::abs(std::complex(u[i], v[i]) - exact) < 1e-6);
  }
}

TEST_CASE("gallery: Schroedinger, a plane wave turns as the scheme says, and nothing is lost") {
  constexpr int columns = 64;
  const double k = 2 * std::numbers::pi * 4 / columns, energy = symbol(k, 1) / 2;
  const std::vector<std::string> free = {"grid.shape=[1, 64]", "boundary=periodic",
                                         "parameters.V=0", "grid.center=false",
                                         field_formula("", fmt::format("exp({} * i * x)", k))};
  GalleryRun run("schroedinger", free);
  const double t = run.at_time(500);
  const Values u = run.after(500, 0), v = run.after(0, 1);
  for (int i = 0; i < columns; ++i)
    CHECK(std::abs(std::complex(u[i], v[i]) - std::polar(1.0, k * i - energy * t)) < 0.02);
  GalleryRun slits("schroedinger", {"grid.shape=[192, 128]"});
  const auto norm = [&](std::int64_t steps) {
    const Values a = slits.after(steps, 0), b = slits.after(0, 1);
    return std::inner_product(a.begin(), a.end(), a.begin(), 0.0) +
           std::inner_product(b.begin(), b.end(), b.begin(), 0.0);
  };
  const double before = norm(0);
  CHECK(norm(300) == doctest::Approx(before).epsilon(0.02));
}
