// Boundary conditions that read numbers of the whole grid, and values at a position.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/solver/config_run.hpp"
#include "tests/solver/gallery_run.hpp"
#include "tests/test_field.hpp"
#include "tests/text.hpp"

using namespace lapl;

namespace {

using Values = std::vector<double>;

// A rod that a controller heats at the left, by the mean, and whose right end repeats what a sensor
// between nodes 20 and 21 finds.
const std::string rod =
    "grid: {shape: [64], spacing: 0.1}\nequation: {u: laplacian(u)}\n"
    "boundary: {left: {derivative: 10 * (1 - mean(u))}, "
    "right: {value: '0.5 * value_at(u, 2.04) + 0.1 * mean(u^2)'}}\n"
    "initial: x / 6.3\ncompute: {precision: float64}\n";

Values rod_rate(const Values& u) {
  double mean = 0, squares = 0;
  for (const double value : u) mean += value / 64, squares += value * value / 64;
  Values rates(64);
  for (std::size_t i = 0; i < 64; ++i) {
    const double before = i > 0 ? u[i - 1] : u[0] + 0.1 * 10 * (1 - mean);
    const double after = i < 63 ? u[i + 1] : 0.5 * (0.6 * u[20] + 0.4 * u[21]) + 0.1 * squares;
    rates[i] = (before - 2 * u[i] + after) / 0.01;
  }
  return rates;
}

}  // namespace

TEST_CASE("conditions read means and values at a position in every stage of a step") {
  Values u(64), euler, heun;
  for (std::size_t i = 0; i < 64; ++i) u[i] = static_cast<double>(i) / 63;
  euler = heun = u;
  for (int step = 0; step < 100; ++step) {
    const Values rate = rod_rate(euler);
    for (std::size_t i = 0; i < 64; ++i) euler[i] += 0.002 * rate[i];
    const Values first = rod_rate(heun);
    Values there = heun;
    for (std::size_t i = 0; i < 64; ++i) there[i] += 0.002 * first[i];
    const Values second = rod_rate(there);
    for (std::size_t i = 0; i < 64; ++i) heun[i] += 0.001 * (first[i] + second[i]);
  }
  for (const std::string engine : {"reference", "interpreted", "threaded", "blocked"}) {
    const auto found = [&](const std::string& scheme) {
      return test::stepped<double>(
          test::config_run(rod + "time: {step: 0.002, steps: 100, scheme: " + scheme + "}\n"),
          engine);
    };
    CHECK(test::largest_difference(found("euler"), euler) < 1e-13);
    CHECK(test::largest_difference(found("heun"), heun) < 1e-13);
  }
}

TEST_CASE("schemes keep their order where conditions read the whole grid") {
  const auto found = [&](int steps) {
    return test::stepped<double>(test::config_run(
        rod + fmt::format("time: {{step: {}, steps: {}, scheme: rk4}}\n", 0.4 / steps, steps)));
  };
  const Values exact = found(1600);
  const double ratio =
      test::largest_difference(found(200), exact) / test::largest_difference(found(400), exact);
  CHECK(ratio > 12);
  CHECK(ratio < 20);
}

TEST_CASE("a value at a position is linear between nodes, over a periodic edge, beside a mask") {
  const auto value = [](const std::string& at, const std::string& more = "") {
    const RunConfig run = test::config_run(
        "grid: {shape: [5, 8], spacing: [0.5, 0.25], origin: [1, -1]" + more +
        "}\nboundary: {y: insulated, x: periodic}\nequation: {u: 'value_at(u + 0, " + at +
        ") - u'}\ninitial: 2 * x + y\ntime: {step: 1, steps: 1}\n"
        "compute: {precision: float64}\n");
    const std::vector<double> state = test::stepped<double>(run, "reference");
    return state[9];
  };
  const auto field = [](double x, double y) { return 2 * x + y; };
  CHECK(value("-0.9, 1.6") == doctest::Approx(field(-0.9, 1.6)).epsilon(1e-14));
  CHECK(value("0.5, 3") == doctest::Approx(field(0.5, 3)).epsilon(1e-14));
  // beyond the last node, on the way to the first one; beyond a side, as at its node
  CHECK(value("0.8, 2") ==
        doctest::Approx(0.8 * field(0.75, 2) + 0.2 * field(-1, 2)).epsilon(1e-14));
  CHECK(value("0.5, 3.2") == doctest::Approx(field(0.5, 3)).epsilon(1e-14));
  const std::string masked = ", mask: {formula: 'not (x > 0.4 and x < 0.6 and y > 1.6)'}";
  CHECK(value("0.4, 2", masked) == doctest::Approx(field(0.25, 2)).epsilon(1e-14));
  CHECK(
      value("0.4, 1.75", masked) ==
      doctest::Approx((0.2 * field(0.25, 2) + 0.2 * field(0.25, 1.5) + 0.3 * field(0.5, 1.5)) / 0.7)
          .epsilon(1e-14));
}

TEST_CASE("positions at faces are in the grid whatever rounding says") {
  for (const auto& [origin, size, at] :
       {std::tuple(2.5, 5, "3.85"), std::tuple(0.5, 6, "0.35"), std::tuple(0.0, 7, "1.95")}) {
    const RunConfig run = test::config_run(
        fmt::format("grid: {{shape: [{}], spacing: 0.3, origin: {}}}\nequation: {{u: 'value_at(u * "
                    "x, {}) - u'}}\ninitial: 1\ntime: {{step: 1, steps: 1}}\n"
                    "compute: {{precision: float64}}\n",
                    size, origin, at));
    const double node = *at == '0' ? origin : origin + 0.3 * (size - 1);
    CHECK(test::stepped<double>(run)[2] == doctest::Approx(node).epsilon(1e-14));
  }
}

TEST_CASE("a stage that conditions alone need leaves reductions of rates in their place") {
  // mean(u) is first read by the stage of mean(u) * u, which nothing reads in the end.
  const auto stepped = [](const std::string& rate, const std::string& left) {
    return test::stepped<double>(
        test::config_run("grid: {shape: [5, 6]}\nequation: {k: 0, u: '" + rate +
                         "'}\nboundary: {left: {u: {value: '" + left +
                         "'}, k: insulated}, right: insulated, y: insulated}\n"
                         "initial: {u: x + 2 * y, k: 3}\ntime: {step: 0.01, steps: 1}\n"
                         "compute: {precision: float64}\n"),
        "reference");
  };
  const std::string rate = "laplacian(u) + mean(mean(u) * u)^0 - mean(u)";
  CHECK(stepped(rate, "maximum(u)") == stepped("laplacian(u) + 1 - mean(u)", "13"));
  CHECK(stepped("laplacian(u)", "mean(k * u) + mean(x * u)") ==
        stepped("laplacian(u)", fmt::format("{}", 3 * 6.5 + 19.166666666666668)));
}

TEST_CASE("a parameter that is a formula is read in a mean of a condition") {
  const auto stepped = [](const std::string& left) {
    return test::stepped<double>(
        test::config_run("grid: {shape: [5, 6]}\nparameters: {k: {formula: 1 + x}}\n"
                         "equation: {let: {q: k * u}, u: laplacian(u)}\n"
                         "boundary: {left: {derivative: '" +
                         left +
                         "'}, right: {value: 'q'}, y: insulated}\n"
                         "initial: {u: x + y}\ntime: {step: 0.01, steps: 1}\n"
                         "compute: {precision: float64}\n"),
        "reference");
  };
  // the mean of (1 + x) (x + y) over x = 0 ... 5 and y = 0 ... 4
  const std::string number = fmt::format("{:.17g}", 2.5 + 2 + 55.0 / 6 + 2.5 * 2);
  CHECK(test::largest_difference(stepped("mean(k * u)"), stepped(number)) < 1e-14);
  CHECK(test::largest_difference(stepped("mean(q)"), stepped(number)) < 1e-14);
}

TEST_CASE("a value at a position of a complex field has both parts") {
  const RunConfig run = test::config_run(
      "grid: {shape: [6, 7]}\nfields: {psi: complex}\ncompute: {precision: float64}\n"
      "equation: {psi: 'i * value_at(psi, 2.5, 1) - psi'}\ninitial: {psi: x + i * (2 + y)}\n"
      "time: {step: 1, steps: 1}\n");
  const std::vector<double> after = test::stepped<double>(run);
  CHECK(after[3] == doctest::Approx(-3).epsilon(1e-14));
  CHECK(after[50] == doctest::Approx(2.5).epsilon(1e-14));
}

TEST_CASE("a flux that a condition makes of a mean keeps the balance of the whole") {
  // du/dt = 0 inside, and every second 3 (2 - mean(u)) Ly enter at the left: the mean obeys its own
  // equation.
  const RunConfig run = test::config_run(
      "grid: {shape: [20, 30], spacing: 0.1}\nequation: {u: laplacian(u)}\n"
      "boundary: {left: {derivative: 3 * (2 - mean(u))}, right: insulated, y: insulated}\n"
      "initial: cos(x) * y\ntime: {step: 0.001, steps: 500, scheme: euler}\n"
      "compute: {precision: float64}\n");
  double expected = test::mean_value(copy_of_state(*test::started(run)));
  for (int step = 0; step < 500; ++step) expected += 0.001 * 3 * (2 - expected) / 3;
  for (const std::string engine : {"reference", "blocked"})
    CHECK(test::mean_value(test::stepped<double>(run, engine)) ==
          doctest::Approx(expected).epsilon(1e-12));
}

TEST_CASE("the mask's boundary and solved fields read the whole grid in conditions") {
  const auto made = [](const std::string& condition, const std::string& engine) {
    Values state = test::stepped<double>(
        test::config_run(
            "grid: {shape: [18, 23], mask: {formula: x > 4 or y > 6}}\n"
            "equation: {let: {p: {solve: laplacian(p) - p, equals: -u}}, u: laplacian(u) + p}\n"
            "boundary: {left: {u: 0, p: {value: " +
            condition + "}}, right: insulated, y: periodic, mask: {u: {value: " + condition +
            "}, p: insulated}}\ninitial: sin(x) + y / 9\ntime: {step: 0.1, steps: 1}\n"
            "compute: {precision: float64}\n"),
        engine);
    state.resize(18 * 23);  // u: the p of the new state has another mean
    return state;
  };
  // one step: the mean of the start, as a number
  const RunConfig start = test::config_run(
      "grid: {shape: [18, 23], mask: {formula: x > 4 or y > 6}}\nequation: {u: 0 * laplacian(u)}\n"
      "initial: sin(x) + y / 9\ntime: {step: 1, steps: 0}\ncompute: {precision: float64}\n");
  const std::vector<double> state = copy_of_state(*test::started(start));
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < state.size(); ++i)
    if (i % 23 > 4 || i / 23 > 6) sum += state[i], ++count;
  const Values with_number = made(fmt::format("{:.17g}", sum / count), "reference");
  for (const std::string engine : {"reference", "interpreted", "blocked"})
    CHECK(test::largest_difference(made("mean(u)", engine), with_number) < 1e-11);
}

TEST_CASE("reductions that conditions cannot read are refused before a run") {
  const auto message = [](const std::string& left,
                          const std::string& equation = "u: laplacian(u)") {
    return test::text_thrown([&] {
      test::config_run(
          "grid: {shape: [6, 7]}\nequation: {" + equation + "}\nboundary: {left: " + left +
          ", right: insulated, y: insulated}\ninitial: x\ntime: {steps: 1, step: 0.1}\n");
    });
  };
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"{value: mean(laplacian(u))}", "laplacian has no meaning in a number of the whole grid"},
      {"{value: mean(mean(u) * u)}", "mean has no meaning in a number of the whole grid"},
      {"{value: mean(noise)}", "noise has no meaning in a number of the whole grid"},
      {"{value: mean(3)}", "mean of what is the same in every cell"},
      {"{value: mean(u), at: node}", "first: at: node: the value reads a number of the whole grid"},
      {"{value: 'value_at(u, 9, 1)'}", "x = 9 is outside the grid (expected -0.5 to 6.5)"},
      {"{value: 'value_at(u, 1, -0.7)'}", "y = -0.7 is outside the grid (expected -0.5 to 5.5)"},
      {"{value: 'value_at(u, t, 1)'}", "found a position that varies"},
      {"{value: 'value_at(u, 1)'}", "value_at of 2 arguments (expected value_at(e, x, [y, [z]]))"},
      {"{value: mean(v)}", "unknown name v"},
  };
  const auto of_mask = [](const std::string& condition, const std::string& more) {
    return test::text_thrown([&] {
      test::config_run("grid: {shape: [6, 7], mask: {formula: x > 2}}\nequation: {" + more +
                       "u: laplacian(u)}\nboundary: {x: insulated, y: insulated, mask: {u: " +
                       condition + "}}\ninitial: x\ntime: {steps: 1, step: 0.1}\n");
    });
  };
  CHECK(test::has(of_mask("{value: mean(laplacian(u))}", ""), "laplacian has no meaning in a"));
  CHECK(test::has(of_mask("{value: mean(3)}", ""), "mean of what is the same in every cell"));
  CHECK(of_mask("{value: 'value_at(u, 4, 3)'}", "") == "");
  for (const auto& row : rows) {
    const std::string &condition = row.first, &expected = row.second;
    CAPTURE(condition);
    CHECK_MESSAGE(test::has(message(condition), expected), message(condition));
  }
  CHECK(message("{value: mean(u)}") == "");
  CHECK(test::has(message("{u: {value: mean(q)}, q: {value: 0}}", "let: {q: u^2}, u: laplacian(q)"),
                  "q has conditions of its own"));
  CHECK(test::has(message("insulated", "u: 'laplacian(value_at(u, 1, 1))'"),
                  "a number of the whole grid within an operator"));
}
