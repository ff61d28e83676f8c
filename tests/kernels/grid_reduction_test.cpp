// Reductions over the grid: the loops of each instruction set, and sums that no order changes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/cpu/row_loops.hpp"
#include "kernels/ranks/reduce_over_grid.hpp"
#include "usable_loops.hpp"

using namespace lapl;

namespace {

template <class T>
double reduced(GridReduction::Kind kind, const std::vector<T>& values, std::size_t pieces = 1,
               const std::vector<T>& mask = {},
               const RowLoops<T>& loops = Compiled<RowLoops<T>, baseline>::loops) {
  const auto over_pieces = [&](auto whole, const auto& of_piece) {
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::size_t first = values.size() * i / pieces, end = values.size() * (i + 1) / pieces;
      whole.add(of_piece(values.data() + first, mask.empty() ? nullptr : mask.data() + first,
                         static_cast<std::int64_t>(end - first)));
    }
    return whole;
  };
  return reduce_over_grid(
      {.kind = kind}, only_rank(), [&] { return over_pieces(GridExtremes{}, loops.extremes); },
      [&](int exponent) {
        return over_pieces(GridSum{}, [&](const T* from, const T* inside, std::int64_t count) {
          return loops.sum_of_units(from, inside, count, units_of_values(exponent));
        });
      });
}

using Kind = GridReduction::Kind;

}  // namespace

TEST_CASE_TEMPLATE("reductions have the same bits in any order, cut and instruction set" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  std::mt19937_64 generator(3);
  std::vector<T> values(1003), mask;
  for (T& value : values) {
    value = static_cast<T>(std::ldexp(static_cast<double>(generator() >> 11) - 0x1p52,
                                      static_cast<int>(generator() % 40) - 60));
    mask.push_back(T(generator() % 3 == 0 ? 0 : 1));
  }
  std::vector<T> inside;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (mask[i] != 0) inside.push_back(values[i]);
  for (const Kind kind : {Kind::mean, Kind::sum, Kind::maximum, Kind::minimum}) {
    const double expected = reduced(kind, values), masked = reduced(kind, inside);
    for (const RowLoops<T>* const loops : test::usable_loops<RowLoops<T>>()) {
      CAPTURE(loops->instruction_set);
      std::vector<T> shuffled = values;
      for (const std::size_t pieces : {1, 2, 7, 1003}) {
        CHECK(reduced(kind, shuffled, pieces, {}, *loops) == expected);
        CHECK(reduced(kind, values, pieces, mask, *loops) == masked);
        std::ranges::shuffle(shuffled, generator);
      }
    }
  }
  CHECK(reduced(Kind::maximum, values) == *std::ranges::max_element(values));
  CHECK(reduced(Kind::minimum, values) == *std::ranges::min_element(values));
}

TEST_CASE("zeros of both signs have one order, whatever the pieces and the ranks") {
  for (const std::vector<double>& values :
       {std::vector<double>{0, -0.0}, {-0.0, 0}, {-0.0, 0, 0, -0.0, 0}, {0, 0, -0.0}})
    for (std::size_t pieces = 1; pieces <= values.size(); ++pieces) {
      CHECK(std::signbit(reduced(Kind::minimum, values, pieces)));
      CHECK(!std::signbit(reduced(Kind::maximum, values, pieces)));
    }
}

TEST_CASE("sums are exact where sums in float64 are not") {
  CHECK(reduced<double>(Kind::sum, {1e16, 1, -1e16, 3}) == 4);
  CHECK(reduced<double>(Kind::sum, {-1e16, -1, 1e16, -0.25}) == -1.25);
  CHECK(reduced(Kind::mean, std::vector<double>(1000, 0.1)) == 0.1);
  CHECK(reduced(Kind::mean, std::vector<float>(777, 0.1f)) == double{0.1f});
  CHECK(reduced<double>(Kind::mean, {-0.0, -0.0}) == 0);
}

TEST_CASE("reductions of tiny and huge values") {
  const double least = std::numeric_limits<double>::denorm_min();
  const double most = std::numeric_limits<double>::max();
  CHECK(reduced<double>(Kind::sum, {least, least, -4 * least}) == -2 * least);
  CHECK(reduced<double>(Kind::mean, {most, most, most, most}) == most);
  CHECK(reduced<double>(Kind::sum, {most, most}) == std::numeric_limits<double>::infinity());
  CHECK(reduced<double>(Kind::sum, {most, -most, 1}) == 0);  // 1 is below the unit
  CHECK(reduced<double>(Kind::maximum, {-most, -least}) == -least);
}

TEST_CASE_TEMPLATE("a value that is not finite makes every reduction not a number", T, float,
                   double) {
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (const T wrong : {infinity, -infinity, nan, -nan})
    for (const Kind kind : {Kind::mean, Kind::sum, Kind::maximum, Kind::minimum})
      for (const std::size_t place : {0, 8, 16}) {
        std::vector<T> values(17, T(1)), mask(17, T(1));
        values[place] = wrong;
        CHECK(std::isnan(reduced(kind, values)));
        mask[place] = 0;
        CHECK(reduced(kind, values, 1, mask) == (kind == Kind::sum ? 16 : 1));
      }
}

TEST_CASE("parts of sums add up over ranks, below 0 too") {
  for (const GridSum::Units units : {GridSum::Units{-1}, GridSum::Units{5} << 100,
                                     -(GridSum::Units{7} << 99), GridSum::Units{1} << 31}) {
    const std::array one = GridSum{units, 3}.parts(), other = GridSum{-2, 4}.parts();
    std::array<std::uint64_t, 5> both{};
    for (std::size_t i = 0; i < both.size(); ++i) both[i] = one[i] + other[i];
    CHECK(GridSum::of_parts(both).units == units - 2);
    CHECK(GridSum::of_parts(both).cells == 7);
  }
}
