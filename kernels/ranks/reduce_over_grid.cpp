#include "kernels/ranks/reduce_over_grid.hpp"

#include <algorithm>
#include <bit>

#include "kernels/problem.hpp"

namespace lapl {
namespace {

GridExtremes over_ranks(Ranks& ranks, const GridExtremes& own) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return extremes_with(ranks.reduce(Reduction::least, ordered_bits(own.least)),
                       ranks.reduce(Reduction::most, ordered_bits(own.has_nan ? nan : own.most)));
}

GridSum over_ranks(Ranks& ranks, const GridSum& own) {
  std::array parts = own.parts();
  ranks.reduce(Reduction::sum, parts);
  return GridSum::of_parts(parts);
}

}  // namespace

GridExtremes extremes_with(std::uint64_t least, std::uint64_t most) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (least < ordered_bits(-infinity) || most > ordered_bits(infinity)) return {.has_nan = true};
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto number = [](std::uint64_t bits) {
    return std::bit_cast<double>(bits & sign ? bits ^ sign : ~bits);
  };
  return {number(least), number(most)};
}

double reduce_over_grid(const GridReduction& reduction, Ranks& ranks,
                        const std::function<GridExtremes()>& extremes,
                        const std::function<GridSum(int exponent)>& sum) {
  using Kind = GridReduction::Kind;
  const GridExtremes all = over_ranks(ranks, extremes());
  const double largest = std::max(std::abs(all.least), std::abs(all.most));
  if (all.has_nan || !std::isfinite(largest)) return std::numeric_limits<double>::quiet_NaN();
  if (reduction.kind == Kind::maximum) return all.most;
  if (reduction.kind == Kind::minimum) return all.least;
  const int exponent = largest == 0 ? 0 : std::ilogb(largest) + 1;
  const GridSum whole = over_ranks(ranks, sum(exponent));
  const auto units = static_cast<double>(whole.units);
  return reduction.kind == Kind::mean
             ? std::scalbn(units / static_cast<double>(whole.cells), exponent - 62)
             : std::scalbn(units, exponent - 62) * reduction.factor;
}

void reduce_no_cells(const Stage& stage, Ranks& ranks) {
  for (const GridReduction& reduction : stage.reductions)
    reduce_over_grid(
        reduction, ranks, [] { return GridExtremes{}; }, [](int) { return GridSum{}; });
}

}  // namespace lapl
