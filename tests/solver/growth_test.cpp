// Stability functions compared with the stages, and the end of rkl2's stable range.
#include "solver/equation/growth.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "solver/equation/super_steps.hpp"

namespace lapl::test {
namespace {

Complex by_stages(int count, Complex z) {
  Complex before = 0, change = 0;
  for (const SuperStage& stage : super_stages(count)) {
    const Complex next = stage.mu * change + stage.nu * before +
                         stage.of_rate * z * (1.0 + change) + stage.of_first_rate * z;
    before = change;
    change = next;
  }
  return change;
}

Complex by_stages(const SchemeStages& stages, Complex z) {
  std::array<Complex, 7> rates = {};
  Complex y = 1;
  for (std::size_t i = 0; i < stages.count; ++i) {
    const SchemeStage& stage = stages.at[i];
    rates[i] = z * y;
    Complex s = 0;
    for (std::size_t j = 0; j <= i; ++j) s += stage.weights[j] / stage.divisor * rates[j];
    y = stage.share < 1 ? 1 - stage.share + stage.share * (y + s) : 1.0 + s;
  }
  return y - 1.0;
}

}  // namespace

TEST_CASE("Runge-Kutta: the stability polynomial is that of the stages") {
  for (const SchemeRow& row : name_table<Scheme>)
    for (const Complex z : {Complex(-0.1, 0), Complex(-1, 0.5), Complex(0, 1), Complex(2, -3)}) {
      CAPTURE(row.name);
      if (row.stages.count > 0)
        CHECK(std::abs(mode_change(row.value, z) - by_stages(row.stages, z)) < 1e-14);
    }
}

TEST_CASE("rkl2: the stability polynomial is that of the stages") {
  for (const int stages : {2, 3, 4, 7, 20, 128})
    for (const Complex z :
         {Complex(-0.1, 0), Complex(-1, 0.5), Complex(0, 1), Complex(-1.9, 0.1)}) {
      CAPTURE(stages);
      const Complex found = mode_change({Scheme::rkl2, stages}, z);
      CHECK(std::abs(found - by_stages(stages, z)) < 1e-12);
    }
  for (const Complex z : {Complex(-0.4, 0), Complex(0.2, 0.7)})
    CHECK(std::abs(mode_change({Scheme::rkl2, 2}, z) - mode_change(Scheme::heun, z)) < 1e-15);
}

TEST_CASE("rkl2: small changes are exact to the second order") {
  for (const int stages : {2, 5, 20, 128}) {
    const double z = -1e-9;
    const double change = mode_change({Scheme::rkl2, stages}, z).real();
    CHECK(std::abs(change - (z + z * z / 2)) < 1e-14 * std::abs(z));
  }
}

TEST_CASE(
    "rkl2: the largest step of damping is (s^2 + s - 2) / 4 times Euler's, or a little more") {
  for (int stages = least_stages; stages <= most_stages; ++stages) {
    CAPTURE(stages);
    const TimeScheme scheme = {Scheme::rkl2, stages};
    const double end = (stages * (stages + 1.0) - 2) / 2, largest = largest_step(scheme, -3) * 3;
    if (stages % 2 == 0) {
      CHECK(largest == doctest::Approx(end).epsilon(1e-15));
    } else {
      CHECK(largest > end + 0.5);
      CHECK(largest < end + 0.9);
      // The stability function 1 + b (P_s - 1) is -1.
      CHECK(std::abs(mode_change(scheme, -largest).real() + 2) < 1e-9);
    }
    CHECK(excess(scheme, -1, 0.999 * largest) < 0);
    CHECK(excess(scheme, -1, 1.001 * largest) > 0);
    if (stages > least_stages) CHECK(largest > largest_step({Scheme::rkl2, stages - 1}, -1));
  }
}

TEST_CASE("rkl2: damped waves have a largest step, undamped ones have none") {
  for (const int stages : {2, 3, 8, 20, 61}) {
    CAPTURE(stages);
    const TimeScheme scheme = {Scheme::rkl2, stages};
    CHECK(largest_step(scheme, {0, 2}) == 0);
    CHECK(largest_step(scheme, 2) == any_step);
    for (const Complex rate :
         {Complex(-1, 0.01), Complex(-1, 0.3), Complex(-1, 1), Complex(-1, 3)}) {
      CAPTURE(rate.imag());
      const double largest = largest_step(scheme, rate);
      CHECK(largest > 0);
      CHECK(largest < (stages * (stages + 1.0) + 2) / 2);
      for (int part = 1; part < 2000; ++part)
        CHECK(excess(scheme, rate, largest * part / 2000) <= 0);
      CHECK(excess(scheme, rate, largest * 1.0001) > 0);
    }
  }
}

}  // namespace lapl::test
