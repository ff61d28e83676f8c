#include "kernels/elementary/elementary.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/cpu/rows.hpp"
#include "tests/kernels/usable_loops.hpp"

using namespace lapl;

namespace {

// benchmarks/elementary_accuracy.cpp looks at all floats and far more doubles.
constexpr double greatest_error = 0.8;

template <class T>
struct Function {
  const char* name;
  T (*function)(T);
  T (*in_c)(T);
  long double (*reference)(long double);
};
template <class T>
const std::vector<Function<T>>& functions() {
  static const std::vector<Function<T>> all = {
      {"exponential", exponential<T>, std::exp, std::exp},
      {"logarithm", logarithm<T>, std::log, std::log},
      {"sine", sine<T>, std::sin, std::sin},
      {"cosine", cosine<T>, std::cos, std::cos},
      {"tangent", tangent<T>, std::tan, std::tan},
      {"hyperbolic tangent", hyperbolic_tangent<T>, std::tanh, std::tanh},
  };
  return all;
}

/// To the bit, but that all NaNs are one.
template <class T>
bool same(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

/// In units in the last place of what is expected.
template <class T>
double error(T computed, long double expected) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(computed) || std::isnan(expected))
    return std::isnan(computed) && std::isnan(expected) ? 0 : HUGE_VAL;
  if (static_cast<long double>(computed) == expected) return 0;
  const long double overflow = std::ldexp(1.L, Limits::max_exponent);
  if (std::isinf(computed) && std::abs(expected) >= overflow) return 0;
  const long double value = std::isinf(computed)
                                ? std::copysign(overflow, static_cast<long double>(computed))
                                : static_cast<long double>(computed);
  const int exponent = std::max(expected == 0 ? 0 : std::ilogb(expected), Limits::min_exponent - 1);
  return static_cast<double>(std::ldexp(std::abs(value - expected), Limits::digits - 1 - exponent));
}

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  const T integers = 1 / Limits::epsilon();  // from here on all numbers are integers, then even
  std::vector<T> values = {T(0),
                           Limits::denorm_min(),
                           Limits::min(),
                           T(0.5),
                           T(1),
                           1 + Limits::epsilon(),
                           T(1.5),
                           T(2),
                           T(3),
                           T(1e30),
                           integers / 2 - T(0.5),
                           integers / 2 + T(0.5),
                           integers - 1,
                           integers + 1,
                           2 * integers - 1,
                           2 * integers,
                           Limits::max(),
                           Limits::infinity(),
                           Limits::quiet_NaN()};
  for (std::size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  return values;
}

/// Numbers of all sizes, and of those where functions are neither 0, 1 nor infinite.
template <class T>
T any_number(std::mt19937_64& random) {
  using Bits = elementary::Bits<T>;
  std::uniform_real_distribution<double> near(-10, 10), far(-750, 750);
  switch (random() % 3) {
    case 0: return std::bit_cast<T>(static_cast<Bits>(random()));
    case 1: return static_cast<T>(near(random));
    default: return static_cast<T>(far(random));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("elementary functions: zero, one, infinity and NaN where C has them", T, float,
                   double) {
  const auto is_special = [](T value) {
    return !std::isfinite(value) || value == 0 || std::abs(value) == 1;
  };
  for (const T x : special_values<T>()) {
    CAPTURE(x);
    for (const Function<T>& f : functions<T>()) {
      CAPTURE(f.name);
      const T expected = f.in_c(x);
      if (is_special(expected)) CHECK(same(f.function(x), expected));
    }
    for (const T y : special_values<T>()) {
      CAPTURE(y);
      const T expected = std::pow(x, y);
      if (is_special(expected)) CHECK(same(power(x, y), expected));
    }
  }
}

TEST_CASE_TEMPLATE("elementary functions: exact where the result is a short number", T, float,
                   double) {
  for (int base = -12; base <= 12; ++base)
    for (int exponent = 0; exponent <= 6; ++exponent) {
      T expected = 1;
      for (int i = 0; i < exponent; ++i) expected *= static_cast<T>(base);
      CHECK(power(static_cast<T>(base), static_cast<T>(exponent)) == expected);
      if (base > 0 && exponent > 0)
        CHECK(power(expected, T(1) / static_cast<T>(exponent)) == doctest::Approx(base));
    }
  for (int exponent = -140; exponent < 127; ++exponent)
    CHECK(power(T(2), static_cast<T>(exponent)) == std::ldexp(T(1), exponent));
  for (const T x : {T(1e-30), T(-3e-12)})
    for (const auto f : {sine<T>, tangent<T>, hyperbolic_tangent<T>}) CHECK(f(x) == x);
}

TEST_CASE("elementary functions: floats of every size within their error") {
  for (const Function<float>& f : functions<float>()) {
    CAPTURE(f.name);
    double worst = 0;
    float worst_at = 0;
    for (std::uint64_t bits = 0; bits < std::uint64_t(1) << 32; bits += 10007) {
      const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      const double e = error(f.function(x), f.reference(x));
      if (!(e <= worst)) worst = e, worst_at = x;
    }
    CAPTURE(worst_at);
    CHECK(worst < greatest_error);
  }
}

TEST_CASE("elementary functions: doubles of every size within their error") {
  for (const Function<double>& f : functions<double>()) {
    CAPTURE(f.name);
    std::mt19937_64 random(1);
    for (int i = 0; i < 100'000; ++i) {
      const double x = any_number<double>(random);
      const double e = error(f.function(x), f.reference(x));
      if (!(e < greatest_error)) FAIL_CHECK(x << " is " << e << " off");
    }
  }
}

TEST_CASE_TEMPLATE("elementary functions: powers within their error", T, float, double) {
  std::mt19937_64 random(1);
  using Limits = std::numeric_limits<T>;
  std::uniform_real_distribution<double> exponents(Limits::min_exponent - Limits::digits,
                                                   Limits::max_exponent);
  std::uniform_real_distribution<double> sizes(-Limits::digits + 1, Limits::max_exponent);
  for (int i = 0; i < 50'000; ++i) {
    // From next to 1 to the greatest and smallest; its power is seldom zero or infinite.
    const double logarithm = std::exp2(sizes(random)), sign = i % 2 ? 1 : -1;
    const T x = static_cast<T>(i % 4 < 2 ? 1 + sign * std::min(logarithm, 0.9)
                                         : std::exp2(exponents(random)));
    const T y = static_cast<T>(exponents(random) / std::log2(static_cast<double>(x)));
    const double e = error(power(x, y), std::pow(static_cast<long double>(x), y));
    if (!(e < greatest_error)) FAIL_CHECK(x << " to the power " << y << " is " << e << " off");
  }
}

TEST_CASE("elementary functions: angles next to multiples of a quarter turn") {
  // Of all doubles the nearest to one (Muller, Elementary Functions, 2016, table 11.1).
  const double nearest = std::ldexp(6381956970095103., 797);
  CHECK(cosine(nearest) == doctest::Approx(-4.68716592425462761112e-19).epsilon(1e-15));
  CHECK(sine(nearest) == 1);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double turns = std::floor(std::exp2(static_cast<double>(random() % 1000) / 20));
    const double x = turns * 1.5707963267948966;
    for (const double angle : {x, std::nextafter(x, 0), std::nextafter(x, HUGE_VAL)})
      for (const Function<double>& f : functions<double>())
        if (f.function == sine<double> || f.function == cosine<double>)
          CHECK(error(f.function(angle), f.reference(angle)) < greatest_error);
  }
}

TEST_CASE_TEMPLATE("elementary functions: rows have the bits of single numbers", T, float, double) {
  std::mt19937_64 random(1);
  const auto special = special_values<T>();
  for (const auto* loops : test::usable_loops<RowLoops<T>>())
    for (std::size_t count = 0; count <= 600; count += count < 70 ? 1 : 53) {
      std::vector<T> x(count + 1), y(count + 1);
      for (T& value : x)
        value = random() % 8 ? any_number<T>(random) : special[random() % special.size()];
      for (T& value : y)
        value = random() % 4 ? any_number<T>(random) / 64 : special[random() % special.size()];
      CAPTURE(count);
      for (std::size_t f = 0; f < std::size(operation_table); ++f) {
        const auto operation = static_cast<Operation>(f);
        if (!is_elementary(operation)) continue;
        CAPTURE(std::string(operation_table[f].name));
        std::vector<T> row(count + 1, T(7));
        loops->operate(operation, x.data(), y.data(), y.data(), row.data(),
                       static_cast<std::int64_t>(count));
        std::size_t different = 0;
        with_operation<T>(operation, [&](auto of) {
          for (std::size_t i = 0; i < count; ++i) different += !same(row[i], of(x[i], y[i], T(0)));
        });
        CHECK(different == 0);
        CHECK(row[count] == 7);
      }
    }
}
