// etdrk2 and etdrk4 with a tolerance, where rates and conditions read t: the error sees it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "tests/spectral_runs.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

// A step from 0.
test::MeasuredStep one_step(const RunConfig& run, Scheme scheme, double size) {
  return test::measured_step(run, scheme, size, std::vector<double>(run.shape.cells()));
}

RunConfig with_condition_of_t(std::int64_t nodes) {
  RunConfig run =
      test::formula_run({1, nodes}, {{"u", fmt::format("{} * laplacian(u)", nodes * nodes)}});
  test::set_faces(run, 2, 1, "sin(6 * t)");
  return run;
}

}  // namespace

TEST_CASE("the errors of etdrk2 and etdrk4 see a source of t, of every period, and its order") {
  const RunConfig run = test::formula_run({1, 8}, {{"u", "laplacian(u) + 20 * cos(20 * t + 1)"}});
  for (const Scheme scheme : test::exponential_schemes) {
    CAPTURE(std::string(enum_name(scheme)));
    const auto true_error = [&](const test::MeasuredStep& step, double size) {
      return std::abs(step.state.front() - std::sin(20 * size + 1) + std::sin(1.0));
    };
    for (const double size : {0.02, 0.01}) {
      const test::MeasuredStep step = one_step(run, scheme, size);
      CHECK(step.error > 0.5 * true_error(step, size));
      CHECK(step.error < (scheme == Scheme::etdrk2 ? 2 : 1000) * true_error(step, size));
    }
    const double order =
        std::log2(one_step(run, scheme, 0.002).error / one_step(run, scheme, 0.001).error);
    CHECK(std::abs(order - (scheme == Scheme::etdrk2 ? 3 : 4)) < 0.1);
    // Whole numbers of periods, or parts of them, between the nodes: much more than a tolerance.
    for (int quarters = 1; quarters <= 40; ++quarters) {
      const double size = quarters * std::numbers::pi / 40;
      const test::MeasuredStep step = one_step(run, scheme, size);
      CAPTURE(quarters);
      CHECK(step.error > 0.01);
    }
  }
}

TEST_CASE("the errors of etdrk2 and etdrk4 see a condition of t") {
  for (const Scheme scheme : test::exponential_schemes)
    for (const std::int64_t nodes : {4, 32}) {
      const RunConfig run = with_condition_of_t(nodes);
      CAPTURE(std::string(enum_name(scheme)));
      CAPTURE(nodes);
      for (const double size : {0.01, 0.1, 0.5, 2.0}) {
        CAPTURE(size);
        RunConfig fine = run;
        fine.scheme = scheme;
        const int parts = 400;
        fine.time_step = size / parts;
        const auto exact =
            test::formula_stepped(fine, std::vector<double>(run.shape.cells()), parts, "auto", 1);
        const test::MeasuredStep step = one_step(run, scheme, size);
        CHECK(step.error > 0.3 * test::largest_difference(step.state, exact));
      }
    }
}

TEST_CASE("rates and conditions that do not read t, or only reductions, add nothing to the error") {
  for (const Scheme scheme : test::exponential_schemes) {
    // t is read, and changes nothing.
    const RunConfig plain = test::formula_run({8, 9}, {{"u", "laplacian(u) + 1 - u^3 + mean(u)"}});
    RunConfig reads = plain;
    reads.equation.rates["u"] = "laplacian(u) + 1 - u^3 + mean(u) + 0 * t";
    const test::MeasuredStep without = one_step(plain, scheme, 0.1),
                             with = one_step(reads, scheme, 0.1);
    CHECK(without.error == with.error);
    CHECK(test::same_bits<double>(without.state, with.state));
  }
}
