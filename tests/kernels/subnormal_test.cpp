// Fields of subnormal numbers, which the blocked engine scales, are bit-identical to those of the
// reference engine.
#include "kernels/cpu/subnormal.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "kernels/stages/diffusion.hpp"
#include "tests/kernels/tile_loops.hpp"
#include "tests/kernels/usable_loops.hpp"
#include "tests/test_field.hpp"

using namespace lapl;

namespace {

/// A random number of either sign, less than 2^exponents times the smallest subnormal number.
template <class T>
T tiny_number(std::mt19937_64& generator, int exponents) {
  const int exponent = static_cast<int>(generator() % static_cast<unsigned>(exponents));
  const double fraction = 1 + std::ldexp(static_cast<double>(generator() >> 12), -52);
  const T unit = std::numeric_limits<T>::denorm_min();
  const T whole = static_cast<T>(std::floor(std::ldexp(fraction, std::min(exponent, 52))));
  const T value = std::ldexp(whole, std::max(exponent - 52, 0)) * unit;
  return generator() % 2 ? value : -value;
}

template <class T>
constexpr int tiny_exponents = std::numeric_limits<T>::digits + 6;

enum class Mix { tiny, tiny_positive, rim, with_ordinary, with_huge };
constexpr Mix all_mixes[] = {Mix::tiny, Mix::tiny_positive, Mix::rim, Mix::with_ordinary,
                             Mix::with_huge};

/// Values around the smallest normal number, zeros of both signs, and `mix`.
template <class T>
std::vector<T> tiny_field(Shape shape, Mix mix, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  std::vector<T> field(static_cast<std::size_t>(shape.cells()));
  for (T& value : field) {
    const auto kind = generator() % 1000;
    value = tiny_number<T>(generator, tiny_exponents<T>);
    if (kind < 50) value = T(kind % 2 ? 0.0 : -0.0);
    if (mix == Mix::tiny_positive) value = std::abs(value);
    if (mix == Mix::rim) value = kind == 999 ? T(1) : T(0);
    if (mix == Mix::with_ordinary && kind % 10 == 9) value = T(0.01) * static_cast<T>(kind);
    if (mix == Mix::with_huge && kind == 999) value = std::numeric_limits<T>::max() / 16;
  }
  return field;
}

}  // namespace

TEST_CASE_TEMPLATE("an update of scaled values is rounded as the unscaled one", T, float, double) {
  using S = Scaled<T>;
  constexpr int n = Lanes<T>::count;
  constexpr T unit = std::numeric_limits<T>::denorm_min();
  const T factors[] = {T(0.25), T(0.2), T(0.1), T(1e-3), T(1e-30), T(3) / T(16), T(0)};
  std::mt19937_64 generator(7);
  long subnormal = 0, far = 0;
  for (int round = 0; round < 500'000; ++round) {
    const T factor = factors[generator() % std::size(factors)];
    const Lanes<T> coefficient(factor);
    Lanes<T> centre, difference;
    for (int lane = 0; lane < n; ++lane) {
      T c = tiny_number<T>(generator, tiny_exponents<T>);
      T d = tiny_number<T>(generator, tiny_exponents<T> + 2);
      // Makes the terms cancel up to fractions of a unit, including ties.
      if (generator() % 2 && factor > T(0.05)) d = std::round(-c / factor / unit) * unit;
      if (generator() % 4 == 0) d += tiny_number<T>(generator, 8);
      if (generator() % 64 == 0) c = generator() % 2 ? T(0) : -T(0);
      if (generator() % 64 == 0) d = generator() % 2 ? T(0) : -T(0);
      centre.value[lane] = c * S::scale;
      difference.value[lane] = d * S::scale;
    }
    bool met = false;
    const Lanes<T> updated = DiffusionStage<Lanes<T>>{coefficient}.update(centre, difference);
    const Lanes<T> found = rounded_as_unscaled(updated, centre, difference, coefficient, met);
    bool any_subnormal = false;
    for (int lane = 0; lane < n; ++lane) {
      const T c = centre.value[lane] / S::scale, d = difference.value[lane] / S::scale;
      const T expected = std::fma(factor, d, c), unscaled = found.value[lane] / S::scale;
      const bool is_subnormal = std::fpclassify(expected) == FP_SUBNORMAL;
      any_subnormal |= is_subnormal;
      subnormal += is_subnormal;
      far += is_subnormal && std::isnormal(c);
      if (unscaled == expected && std::signbit(unscaled) == std::signbit(expected)) continue;
      CAPTURE(c);
      CAPTURE(d);
      CAPTURE(factor);
      REQUIRE(unscaled == expected);
      REQUIRE(std::signbit(unscaled) == std::signbit(expected));
    }
    if (any_subnormal && !met) FAIL("a subnormal result was not noticed");
  }
  CHECK(subnormal > 100'000);
  CHECK(far > 10'000);
}

TEST_CASE_TEMPLATE("scaling up and down again changes no bit, and refuses what is too great", T,
                   float, double) {
  constexpr std::int64_t count = 64 * Lanes<T>::count;
  alignas(64) T values[count];
  for (unsigned seed = 0; seed < 100; ++seed) {
    const auto field = tiny_field<T>({1, count}, Mix::with_ordinary, seed);
    std::copy(field.begin(), field.end(), values);
    REQUIRE(scale_up(values, count));
    for (std::int64_t i = 0; i < count; ++i)
      REQUIRE(values[i] == field[static_cast<std::size_t>(i)] * Scaled<T>::scale);
    scale_down(values, count);
    REQUIRE(test::same_bits<T>(std::span<const T>(values), field));
  }
  for (const T bad : {std::numeric_limits<T>::max(), -std::numeric_limits<T>::max() / 2,
                      std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(),
                      std::numeric_limits<T>::max() / Scaled<T>::scale}) {
    std::fill_n(values, count, T(1));
    values[count / 2 + 1] = bad;
    CHECK_FALSE(scale_up(values, count));
  }
}

TEST_CASE_TEMPLATE("tiles of subnormal numbers equal the reference for every instruction set", T,
                   float, double) {
  struct Case {
    Shape shape;
    std::int64_t bands, pieces, levels, slab;
  };
  const Case cases[] = {{{1, 1}, 1, 1, 9, 4},    {{2, 97}, 1, 3, 5, 4},   {{83, 3}, 4, 1, 11, 8},
                        {{20, 150}, 3, 2, 7, 4}, {{9, 523}, 2, 5, 1, 12}, {{30, 66}, 1, 2, 20, 6}};
  const double coefficients[] = {0.25, 0.2, 0.1, 1e-3, 1e-30, 0.4};
  std::size_t number = 0;
  for (const Case& cut : cases)
    for (const Mix mix : all_mixes)
      for (const double coefficient : coefficients) {
        const Boundary along_rows = test::all_boundaries[number % 3];
        const Boundary along_columns = test::all_boundaries[number++ / 3 % 3];
        const Problem<T> problem =
            test::diffusion<T>(cut.shape, {along_rows, along_columns}, T(coefficient));
        const auto field = tiny_field<T>(cut.shape, mix);
        const auto after =
            test::stepped<T>("cpu", "reference", problem, std::span(field), cut.levels).field;
        for (const TileLoops<T>* loops : test::usable_loops<TileLoops<T>>())
          for (const bool expect_subnormal : {false, true}) {
            CAPTURE(loops->lanes);
            CAPTURE(cut.shape.columns);
            CAPTURE(static_cast<int>(mix));
            CAPTURE(coefficient);
            CAPTURE(expect_subnormal);
            const auto found = test::one_pass(*loops, problem, field, cut.bands, cut.pieces,
                                              cut.levels, cut.slab, expect_subnormal);
            REQUIRE(test::same_bits<T>(found, after));
          }
      }
}

TEST_CASE_TEMPLATE("a pass that expects subnormal numbers says whether there were any", T, float,
                   double) {
  const Problem<T> problem =
      test::diffusion<T>({1, 40}, {Boundary::insulated, Boundary::insulated}, T(0.25));
  const Tile tile{.last_row = 1, .last_column = 40, .levels = 3, .slab = 4};
  for (const TileLoops<T>* loops : test::usable_loops<TileLoops<T>>()) {
    HostBuffer<T> scratch(loops->scratch_size(problem, tile), 1);
    std::vector<T> field(40, T(1)), to(40);
    CHECK_FALSE(loops->advance(problem, plane_diffusion_stage(problem), tile, field.data(),
                               to.data(), scratch.data(), true));
    std::fill(field.begin(), field.end(), T(0));
    CHECK_FALSE(loops->advance(problem, plane_diffusion_stage(problem), tile, field.data(),
                               to.data(), scratch.data(), true));
    field[20] = std::numeric_limits<T>::min();
    CHECK(loops->advance(problem, plane_diffusion_stage(problem), tile, field.data(), to.data(),
                         scratch.data(), true));
  }
}

TEST_CASE_TEMPLATE("the blocked engine equals the reference on subnormal numbers in many passes" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  const Shape shape{31, 97};
  std::size_t number = 0;
  for (const Mix mix : all_mixes)
    for (const double coefficient : {0.25, 0.1, 1e-3}) {
      const Boundary along_rows = test::all_boundaries[number % 3];
      const Boundary along_columns = test::all_boundaries[number++ / 3 % 3];
      const Problem<T> problem =
          test::diffusion<T>(shape, {along_rows, along_columns}, T(coefficient));
      const auto field = tiny_field<T>(shape, mix);
      const auto reference = make_backend<T>("cpu", "reference", problem, 2);
      const auto blocked = make_backend<T>("cpu", "blocked", problem, 2);
      reference->set_state(field);
      blocked->set_state(field);
      for (const std::int64_t steps : {1, 130, 2, 60}) {
        reference->advance(steps);
        blocked->advance(steps);
        CAPTURE(static_cast<int>(mix));
        CAPTURE(coefficient);
        REQUIRE(test::same_bits<T>(test::stepped_state(*blocked).field,
                                   test::stepped_state(*reference).field));
      }
    }
}
