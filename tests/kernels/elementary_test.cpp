#include "kernels/elementary/elementary.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/cpu/row_loops.hpp"
#include "tests/kernels/usable_loops.hpp"

using namespace lapl;

namespace {

// The largest allowed error in units in the last place; benchmarks/elementary_accuracy.cpp covers
// all floats and far more doubles.
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
      {"arc tangent", arc_tangent<T>, std::atan, std::atan},
      {"hyperbolic sine", hyperbolic_sine<T>, std::sinh, std::sinh},
      {"hyperbolic cosine", hyperbolic_cosine<T>, std::cosh, std::cosh},
      {"hyperbolic tangent", hyperbolic_tangent<T>, std::tanh, std::tanh},
      {"error function", error_function<T>, std::erf, std::erf},
  };
  return all;
}

/// True if all bits are equal; all NaNs are equal.
template <class T>
bool same(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

/// The error in units in the last place of the expected value.
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
  // all numbers from here on are integers; those from twice as much on are even
  const T integers = 1 / Limits::epsilon();
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

/// Random numbers of all sizes, and of sizes for which functions are neither 0, 1 nor infinite.
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

TEST_CASE_TEMPLATE("elementary functions have C's values at zero, one, infinity and NaN", T, float,
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

TEST_CASE_TEMPLATE("elementary functions are exact where the result is a short number", T, float,
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
    for (const auto f : {sine<T>, tangent<T>, arc_tangent<T>, hyperbolic_tangent<T>})
      CHECK(f(x) == x);
}

TEST_CASE("elementary functions of floats of every size are within their error") {
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

TEST_CASE("elementary functions of doubles of every size are within their error") {
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

TEST_CASE_TEMPLATE("powers are within their error", T, float, double) {
  std::mt19937_64 random(1);
  using Limits = std::numeric_limits<T>;
  std::uniform_real_distribution<double> exponents(Limits::min_exponent - Limits::digits,
                                                   Limits::max_exponent);
  std::uniform_real_distribution<double> sizes(-Limits::digits + 1, Limits::max_exponent);
  for (int i = 0; i < 50'000; ++i) {
    // Bases from near 1 to the extremes; the power is seldom zero or infinite.
    const double logarithm = std::exp2(sizes(random)), sign = i % 2 ? 1 : -1;
    const T x = static_cast<T>(i % 4 < 2 ? 1 + sign * std::min(logarithm, 0.9)
                                         : std::exp2(exponents(random)));
    const T y = static_cast<T>(exponents(random) / std::log2(static_cast<double>(x)));
    const double e = error(power(x, y), std::pow(static_cast<long double>(x), y));
    if (!(e < greatest_error)) FAIL_CHECK(x << " to the power " << y << " is " << e << " off");
  }
}

// The remainder as Python defines it, from fmod, which is exact.
template <class T>
static T remainder_of_python(T a, T b) {
  T rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return rest == 0 ? std::copysign(T(0), b) : rest;
}

TEST_CASE_TEMPLATE("mod has Python's remainder, whatever the quotient", T, float, double) {
  const auto check = [](T a, T b) {
    const T expected = remainder_of_python(a, b);
    if (const T found = floored_remainder(a, b); !same(found, expected))
      FAIL_CHECK("mod(" << a << ", " << b << ") is " << found << ", not " << expected);
  };
  for (const T a : special_values<T>())
    for (const T b : special_values<T>()) check(a, b);
  std::mt19937_64 random(1);
  for (int i = 0; i < 50'000; ++i) {
    const T b = any_number<T>(random), a = any_number<T>(random);
    check(a, b);
    check(static_cast<T>(static_cast<int>(random() % 2000) - 1000) * b, b);
  }
}

TEST_CASE_TEMPLATE("quick functions have the bits of their functions where they suit", T, float,
                   double) {
  std::vector<T> numbers = special_values<T>();
  const T angle = elementary::greatest_short_angle<T>, quotient = elementary::largest_quotient<T>;
  for (const T border : {angle, quotient, T(0.7) * quotient, T(1e-9) * quotient})
    for (const T near : {std::nextafter(border, T(0)), border, std::nextafter(border, 2 * border)})
      numbers.insert(numbers.end(), {near, -near});
  numbers.insert(numbers.end(), {T(0.7), T(-0.7), T(1e-9), T(-1e-9), T(3)});
  for (const BranchingRow& row : branching_table) {
    int suited = 0;
    with_quick_operation<T>(row.operation, [&](auto quick, auto suits) {
      with_operation<T>(row.operation, [&](auto of) {
        for (const T a : numbers)
          for (const T b : numbers) {
            if (!suits(a, b, T(0))) continue;
            ++suited;
            if (!same(quick(a, b, T(0)), of(a, b, T(0))))
              FAIL_CHECK(row.quick << "(" << a << ", " << b << ") has other bits");
          }
      });
    });
    CHECK_MESSAGE(suited > 200, std::string(row.quick));
  }
  CHECK(is_short_angle(angle));
  CHECK_FALSE(is_short_angle(std::nextafter(angle, 2 * angle)));
}

TEST_CASE_TEMPLATE("atan2 has the angle of points in every quadrant within its error", T, float,
                   double) {
  const auto check = [](T y, T x) {
    const T angle = polar_angle(y, x);
    const double e = error(angle, std::atan2(static_cast<long double>(y), x));
    if (!(e < 0.75) || (!std::isnan(angle) && std::signbit(angle) != std::signbit(y)))
      FAIL_CHECK("the angle of " << x << ", " << y << " is " << e << " off");
  };
  for (const T x : special_values<T>())
    for (const T y : special_values<T>()) check(y, x);
  std::mt19937_64 random(1);
  using Limits = std::numeric_limits<T>;
  std::uniform_real_distribution<double> sizes(Limits::min_exponent - Limits::digits,
                                               Limits::max_exponent);
  std::uniform_real_distribution<double> ratios(-4, 4);
  for (int i = 0; i < 50'000; ++i) {
    // Random sizes, and similar sizes whose quotient is neither 0 nor infinite.
    const double size = sizes(random), other = i % 2 ? sizes(random) : size + ratios(random);
    check(static_cast<T>(i & 2 ? std::exp2(size) : -std::exp2(size)),
          static_cast<T>(i & 4 ? std::exp2(other) : -std::exp2(other)));
    check(any_number<T>(random), any_number<T>(random));
  }
}

TEST_CASE_TEMPLATE("odd elementary functions are odd to the bit", T, float, double) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const T x = any_number<T>(random);
    for (const auto f :
         {sine<T>, tangent<T>, arc_tangent<T>, hyperbolic_tangent<T>, error_function<T>})
      CHECK(same(f(-x), -f(x)));
  }
}

TEST_CASE("elementary functions: hard arguments have mpmath's values") {
  // Arguments with the largest errors, at ends of intervals and subnormal; the expected value is
  // high + low.
  const auto check = [](auto computed, double high, double low) {
    using T = decltype(computed);
    CAPTURE(high);
    const double place =
        std::ldexp(1., std::max(std::ilogb(high), std::numeric_limits<T>::min_exponent - 1) -
                           std::numeric_limits<T>::digits + 1);
    CHECK(std::abs((static_cast<double>(computed) - high) / place - low / place) < 0.75);
  };
  check(arc_tangent(0x1.c31bacp-2f), 0x1.a8ea053c144c5p-2, -0x1.c3c66ddb15b95p-56);
  check(arc_tangent(0x1.b35cc2p-2f), 0x1.9ba72d450e22dp-2, 0x1.926ea2fceb82bp-57);
  check(arc_tangent(0x1.ae0f8cp-2f), 0x1.97279949392bp-2, 0x1.a7ba135be37f6p-56);
  check(arc_tangent(0x1.a827999fcef34p-2), 0x1.921fb54442d1ap-2, -0x1.e6f244d952dfap-57);
  check(arc_tangent(0x1.a8279ap-2f), 0x1.921fb5965d9d1p-2, -0x1.83155c289f717p-58);
  check(arc_tangent(0x1p+0f), 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55);
  check(arc_tangent(0x1.3504f333f9de6p+1), 0x1.2d97c7f3321d2p+0, 0x1.fc774dbe287ap-56);
  check(arc_tangent(0x1.0000000000001p+0), 0x1.921fb54442d19p-1, 0x1.1a62633145c05p-55);
  check(arc_tangent(0x1.67e9c127b6e74p-532), 0x1.67e9c127b6e74p-532, -0x0p+0);
  check(arc_tangent(0x1p+57f), 0x1.921fb54442d18p+0, 0x1.f4c4c6628b80ep-55);
  check(arc_tangent(-0x1.cp+1f), -0x1.4ae10fc6589a5p+0, 0x1.3b03e8a27f555p-54);
  check(arc_tangent(0x1.9cc6a83e0042ap-2), 0x1.885f9fe6192dbp-2, 0x1.89d10704bd715p-56);
  check(arc_tangent(0x1.995fbb9173c9cp-2), 0x1.857193060e40fp-2, 0x1.9985e89fb9f55p-56);
  check(arc_tangent(-0x0.00000000079ap-1022), -0x0.00000000079ap-1022, 0x0p+0);
  check(error_function(0x1.a37a22p-3f), 0x1.d2cae6dea9579p-3, -0x1.9bc8aba0660e1p-57);
  check(error_function(0x1.b44ebcf1c9869p-3), 0x1.e4f8f4e8b223bp-3, -0x1.ca13be3b5d6fdp-57);
  check(error_function(0x1.c4a1f1a7e70ffp-30), 0x1.febdbe8fe19f1p-30, 0x1.9a1103363e45ep-84);
  check(error_function(0x1.3p-2f), 0x1.4d35ef3e5372ep-2, 0x1.7de8a637a1e48p-59);
  check(error_function(0x1p-14f), 0x1.20dd74fe2519bp-14, 0x1.9dba085f8163fp-68);
  check(error_function(0x1.fffffep-15f), 0x1.20dd73dd47a4cp-14, 0x1.16c22381ddd41p-68);
  check(error_function(0x1p-29f), 0x1.20dd750429b6dp-29, 0x1.02d134a9fb5e1p-85);
  check(error_function(0x1p-1f), 0x1.0a7ef5c18edd2p-1, 0x1.5e809f1a31a28p-56);
  check(error_function(0x1p+0f), 0x1.af767a741088bp-1, -0x1.c97f778122797p-56);
  check(error_function(-0x1.2p+1f), -0x1.ff404760319b4p-1, -0x1.f142071432025p-56);
  check(error_function(0x1.ep+1f), 0x1.fffffc2f171e3p-1, 0x1.85edd0395f475p-55);
  check(error_function(0x1.f333333333333p+1), 0x1.fffffed523094p-1, 0x1.74fe22dfed303p-55);
  check(error_function(0x1.7333333333333p+2), 0x1.ffffffffffffep-1, -0x1.f297433511c9ap-57);
  check(error_function(0x1.799999999999ap+2), 0x1.fffffffffffffp-1, 0x1.68cd3fcb97885p-55);
  check(error_function(0x1.b3c4dae6394b2p-1016), 0x1.ebb66e6407545p-1016, 0x0.000000000001ap-1022);
  check(error_function(0x0.00000000079ap-1022), 0x0.000000000893dp-1022, 0x0p+0);
  check(error_function(-0x1.cp-140f), -0x1.f9838cc748fffp-140, 0x1.0878cc0da103p-195);
  check(polar_angle(0x1.e3a6fep+75f, 0x1.21a498p+77f), 0x1.94f44d23fa601p-2, 0x1.361a1848324f5p-57);
  check(polar_angle(0x1.c1abf4p-81f, -0x1.c5839cp-79f), 0x1.73059a95f511cp+1,
        -0x1.1bb88a7da6967p-57);
  check(polar_angle(-0x1.163b4ceec240ep+0, 0x1.57a92a1cbbadp+1), -0x1.89dfa9ee8b73fp-2,
        -0x1.98ae891f70495p-56);
  check(polar_angle(0x0.0000000000001p-1022, 0x0.0000000000002p-1022), 0x1.dac670561bb4fp-2,
        0x1.a2b7f222f65e2p-56);
  check(polar_angle(0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023), 0x1.921fb54442d18p-1,
        0x1.1a62633145c07p-55);
  check(polar_angle(0x1.fffffffffffffp+1023, -0x0.0000000000001p-1022), 0x1.921fb54442d18p+0,
        0x1.1a62633145c07p-54);
  check(polar_angle(0x1.23456789abcdep-960, 0x1.3p+100), 0x0.0000000003d52p-1022, -0x0p+0);
  check(polar_angle(0x1.9p-1000, 0x1.7p+23), 0x0.8b21642c8590bp-1022, 0x0p+0);
  check(polar_angle(-0x1p-1022, 0x1.8p+0), -0x0.aaaaaaaaaaaaap-1022, -0x0.0000000000001p-1022);
  check(polar_angle(0x1.5p-140f, 0x1.3p-3f), 0x1.1af286bca1af3p-137, -0x1.e50d79435e50dp-191);
  check(polar_angle(0x1p-149f, -0x1p-149f), 0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54);
  check(polar_angle(0x1.fffffep+127f, 0x1.5p+126f), 0x1.40f5241d6249dp+0, -0x1.a0b70058e99eep-55);
  check(polar_angle(0x1.cp-40f, -0x1.3p-10f), 0x1.921fb541504acp+1, 0x1.f1f699165bc29p-53);
  check(arc_tangent(0x1p+0), 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55);
  check(arc_tangent(-0x1.cp+1), -0x1.4ae10fc6589a5p+0, 0x1.3b03e8a27f555p-54);
  check(error_function(0x1p-1), 0x1.0a7ef5c18edd2p-1, 0x1.5e809f1a31a28p-56);
  check(error_function(0x1p+0), 0x1.af767a741088bp-1, -0x1.c97f778122797p-56);
  check(error_function(-0x1.2p+1), -0x1.ff404760319b4p-1, -0x1.f142071432025p-56);
  check(error_function(0x1.ep+1), 0x1.fffffc2f171e3p-1, 0x1.85edd0395f475p-55);
}

TEST_CASE("sine, cosine and tangent are within their error next to multiples of a quarter turn") {
  // The double nearest to a multiple of pi/2 (Muller, Elementary Functions, 2016, table 11.1).
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
      const bool all_near = count % 3 == 0;  // then quick functions suit
      for (T& value : x)
        value = all_near       ? static_cast<T>(static_cast<double>(random() % 2000) * 0.01 - 10)
                : random() % 8 ? any_number<T>(random)
                               : special[random() % special.size()];
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
