// Finds the largest errors of the elementary functions, in units in the last place of the true
// value, and their arguments. It tries every float, against the C library's functions of double,
// and ten million doubles against MPFR, which takes minutes for each function.
//
//   lapl_elementary_accuracy [FUNCTION...]
#include <fmt/format.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/elementary/elementary.hpp"

namespace {

struct Worst {
  double error = 0, x = 0, y = 0;
  void add(double other_error, double other_x, double other_y) {
    if (!(other_error <= error)) *this = {other_error, other_x, other_y};
  }
};
#pragma omp declare reduction(worst:Worst : omp_out.add(omp_in.error, omp_in.x, omp_in.y))

void print(std::string_view name, std::string_view type, const Worst& worst) {
  fmt::print("{:20} {:7} {:.4f} at {:a} {:a}\n", name, type, worst.error, worst.x, worst.y);
  std::fflush(stdout);
}

/// The error in units in the last place. A NaN counts as an infinite error unless both are NaN; an
/// infinite result counts as the number after the largest finite one.
double float_error(float computed, double expected) {
  if (std::isnan(expected) || std::isnan(computed))
    return std::isnan(expected) && std::isnan(computed) ? 0 : HUGE_VAL;
  if (static_cast<double>(computed) == expected) return 0;
  constexpr double overflow = 0x1p128;
  const double value = std::isinf(computed) ? std::copysign(overflow, computed) : computed;
  expected = std::clamp(expected, -overflow, overflow);
  if (expected == 0) return std::abs(value) / 0x1p-149;
  // Two to the power of the exponent, by its bits.
  const double binade =
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(std::abs(expected)) & 0x7ff0000000000000);
  const double place = std::max(std::min(binade, 0x1p127), 0x1p-126) * 0x1p-23;
  return std::abs(value - expected) / place;
}

template <class Function, class Reference>
void every_float(std::string_view name, Function function, Reference reference) {
  Worst worst;
  constexpr std::int64_t piece = 1 << 16;
#pragma omp parallel for schedule(dynamic) reduction(worst : worst)
  for (std::int64_t first = 0; first < std::int64_t(1) << 32; first += piece) {
    for (std::int64_t i = 0; i < piece; ++i) {
      const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(first + i));
      worst.add(float_error(function(x), reference(static_cast<double>(x))), x, 0);
    }
  }
  print(name, "float", worst);
}

struct Number {
  mpfr_t value;
  Number() { mpfr_init2(value, 120); }
  Number(const Number&) = delete;
  ~Number() { mpfr_clear(value); }
};

/// The error in units in the last place; overwrites `expected`.
double double_error(double computed, mpfr_t expected) {
  if (mpfr_nan_p(expected) || std::isnan(computed))
    return mpfr_nan_p(expected) && std::isnan(computed) ? 0 : HUGE_VAL;
  const double nearest = mpfr_get_d(expected, MPFR_RNDZ);
  if (std::isinf(computed) && mpfr_inf_p(expected)) return 0;
  if (mpfr_zero_p(expected)) return computed == 0 ? 0 : HUGE_VAL;
  const int exponent = std::max<int>(nearest == 0 ? -1022 : std::ilogb(nearest), -1022);
  if (std::isinf(computed)) {  // counts as 2^1024
    if (mpfr_get_exp(expected) > 1024) return 0;
    mpfr_div_2si(expected, expected, 1024, MPFR_RNDN);
    return std::ldexp(std::abs(mpfr_get_d(expected, MPFR_RNDN) - std::copysign(1, computed)), 53);
  }
  mpfr_sub_d(expected, expected, computed, MPFR_RNDN);
  mpfr_mul_2si(expected, expected, 52 - exponent, MPFR_RNDN);
  return std::abs(mpfr_get_d(expected, MPFR_RNDN));
}

using MpfrFunction = int(mpfr_t, const mpfr_t, mpfr_rnd_t);
using Draw = double(std::mt19937_64&);
constexpr std::int64_t doubles = 10'000'000;

template <class Function>
void some_doubles(std::string_view name, Function function, MpfrFunction* reference,
                  std::vector<Draw*> draws) {
  Worst worst;
#pragma omp parallel for schedule(dynamic) reduction(worst : worst)
  for (std::int64_t piece = 0; piece < 1000; ++piece) {
    std::mt19937_64 random(piece);
    Number expected;
    for (std::int64_t i = 0; i < doubles / 1000; ++i) {
      const double x = draws[i % draws.size()](random);
      mpfr_set_d(expected.value, x, MPFR_RNDN);
      reference(expected.value, expected.value, MPFR_RNDN);
      worst.add(double_error(function(x), expected.value), x, 0);
    }
    mpfr_free_cache();
  }
  print(name, "double", worst);
}

double between(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
double any(std::mt19937_64& random) { return std::bit_cast<double>(random()); }
double positive(std::mt19937_64& random) { return std::bit_cast<double>(random() >> 1); }
/// Numbers of either sign, with exponents between Low and High.
template <int Low, int High>
double sized(std::mt19937_64& random) {
  const double exponent = std::floor(between(random, Low, High));
  return std::ldexp(between(random, -2, 2), static_cast<int>(exponent));
}
template <int Low, int High>
double uniform(std::mt19937_64& random) {
  return between(random, Low, High);
}
/// Numbers nearest to a multiple of a quarter turn.
double quarter_turns(std::mt19937_64& random) {
  const double n = std::floor(std::exp2(between(random, 0, 52)));
  return n * 1.5707963267948966;
}

/// An exponent for base x such that the power is mostly neither zero nor infinite.
template <class T>
T exponent_for(T x, std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  const double low = (Limits::min_exponent - Limits::digits - 1) * std::log(2.);
  return static_cast<T>(between(random, low, Limits::max_exponent * std::log(2.)) /
                        std::log(static_cast<double>(x)));
}
template <class T>
T base_for(std::int64_t i, std::mt19937_64& random) {
  const double close = std::exp2(between(random, -std::numeric_limits<T>::digits, 0));
  if (i % 2) return static_cast<T>(i % 4 == 1 ? 1 + close : 1 - close / 2);
  return static_cast<T>(std::exp2(between(random, std::numeric_limits<T>::min_exponent - 20,
                                          std::numeric_limits<T>::max_exponent - 1)));
}

struct BaseAndExponent {
  template <class T>
  static std::pair<T, T> draw(std::int64_t i, std::mt19937_64& random) {
    const T x = base_for<T>(i, random);
    return {x, exponent_for(x, random)};
  }
};
/// Pairs y and x, half of any magnitudes and half of similar ones.
struct Point {
  template <class T>
  static std::pair<T, T> draw(std::int64_t i, std::mt19937_64& random) {
    using Limits = std::numeric_limits<T>;
    const auto size = [&] { return between(random, Limits::min_exponent, Limits::max_exponent); };
    const double y = size(), x = i % 2 ? size() : y + between(random, -4, 4);
    return {static_cast<T>(std::copysign(std::exp2(y), between(random, -1, 1))),
            static_cast<T>(std::copysign(std::exp2(x), between(random, -1, 1)))};
  }
};

template <class Pairs, class Function, class Reference>
void of_pairs(std::string_view name, Function function, Reference reference,
              int (*mpfr)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t)) {
  Worst worst;
#pragma omp parallel for schedule(dynamic) reduction(worst : worst)
  for (std::int64_t piece = 0; piece < 1000; ++piece) {
    std::mt19937_64 random(piece);
    for (std::int64_t i = 0; i < 1'000'000; ++i) {
      const auto [x, y] = Pairs::template draw<float>(i, random);
      worst.add(float_error(function(x, y), reference(double(x), double(y))), x, y);
    }
  }
  print(name, "float", worst);
  worst = {};
#pragma omp parallel for schedule(dynamic) reduction(worst : worst)
  for (std::int64_t piece = 0; piece < 1000; ++piece) {
    std::mt19937_64 random(piece);
    Number expected, second;
    for (std::int64_t i = 0; i < doubles / 1000; ++i) {
      const auto [x, y] = Pairs::template draw<double>(i, random);
      mpfr_set_d(expected.value, x, MPFR_RNDN);
      mpfr_set_d(second.value, y, MPFR_RNDN);
      mpfr(expected.value, expected.value, second.value, MPFR_RNDN);
      worst.add(double_error(function(x, y), expected.value), x, y);
    }
    mpfr_free_cache();
  }
  print(name, "double", worst);
}

}  // namespace

#define CHECK_FUNCTION(name, reference, mpfr, ...)                                                 \
  if (is_asked(#name)) {                                                                           \
    every_float(                                                                                   \
        #name, [](float x) { return lapl::name(x); }, [](double x) { return std::reference(x); }); \
    some_doubles(                                                                                  \
        #name, [](double x) { return lapl::name(x); }, mpfr, std::vector<Draw*>{__VA_ARGS__});     \
  }

int main(int argc, char** argv) {
  const auto is_asked = [&](std::string_view name) {
    return argc == 1 || std::find(argv + 1, argv + argc, name) != argv + argc;
  };
  CHECK_FUNCTION(exponential, exp, mpfr_exp, sized<-60, 9>, uniform<-710, 710>, uniform<-746, -700>)
  CHECK_FUNCTION(logarithm, log, mpfr_log, positive, uniform<0, 3>, any)
  CHECK_FUNCTION(sine, sin, mpfr_sin, any, uniform<-10, 10>, quarter_turns, sized<-30, 40>)
  CHECK_FUNCTION(cosine, cos, mpfr_cos, any, uniform<-10, 10>, quarter_turns, sized<-30, 40>)
  CHECK_FUNCTION(tangent, tan, mpfr_tan, any, uniform<-10, 10>, quarter_turns, sized<-30, 40>)
  CHECK_FUNCTION(arc_tangent, atan, mpfr_atan, any, uniform<-3, 3>, sized<-30, 40>)
  CHECK_FUNCTION(hyperbolic_sine, sinh, mpfr_sinh, sized<-30, 9>, uniform<-720, 720>, any)
  CHECK_FUNCTION(hyperbolic_cosine, cosh, mpfr_cosh, sized<-30, 9>, uniform<-720, 720>, any)
  CHECK_FUNCTION(hyperbolic_tangent, tanh, mpfr_tanh, sized<-30, 5>, uniform<-20, 20>, any)
  CHECK_FUNCTION(error_function, erf, mpfr_erf, sized<-40, 2>, uniform<-6, 6>, any)
  if (is_asked("polar_angle"))
    of_pairs<Point>(
        "polar_angle", [](auto y, auto x) { return lapl::polar_angle(y, x); },
        [](double y, double x) { return std::atan2(y, x); }, mpfr_atan2);
  if (is_asked("power"))
    of_pairs<BaseAndExponent>(
        "power", [](auto x, auto y) { return lapl::power(x, y); },
        [](double x, double y) { return std::pow(x, y); }, mpfr_pow);
}
