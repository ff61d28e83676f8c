#include "solver/times.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <utility>

#include "solver/equation/equation.hpp"

namespace lapl {
namespace {

constexpr double exact_integers = 0x1p53;  // float64 has every integer below

__extension__ using Wide = unsigned __int128;

Wide common_divisor(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

// A number as it is written: digits * 10^exponent.
struct Decimal {
  std::int64_t digits = 0;  // at most 17 of them
  int exponent = 0;
};

// The shortest decimal that `number` is nearest to.
Decimal shortest_decimal(double number) {
  char text[32];
  const auto end = std::to_chars(text, std::end(text), number, std::chars_format::scientific).ptr;
  Decimal decimal;
  const char* at = text;
  bool fraction = false;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.')
      fraction = true;
    else if (*at >= '0' && *at <= '9') {
      decimal.digits = 10 * decimal.digits + (*at - '0');
      decimal.exponent -= fraction ? 1 : 0;
    }
  }
  int exponent = 0;
  if (at != end) std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, exponent);
  decimal.exponent += exponent;
  if (number < 0) decimal.digits = -decimal.digits;
  return decimal;
}

}  // namespace

double decimal_multiple(double unit, std::int64_t count, double start) {
  __extension__ using Digits = __int128;
  const Decimal decimal = shortest_decimal(unit), from = shortest_decimal(start);
  int exponent = decimal.exponent;
  Digits product = static_cast<Digits>(decimal.digits) * count, offset = from.digits;
  bool fits = true;
  if (offset != 0) {
    exponent = std::min(exponent, from.exponent);
    const auto scale = [&](Digits& digits, int own) {
      for (; own > exponent && digits != 0 && fits; --own, digits *= 10)
        fits = (digits < 0 ? -digits : digits) < Digits{1} << 120;
    };
    scale(product, decimal.exponent);
    scale(offset, from.exponent);
    product += offset;
  }
  const std::string text = fmt::format("{}e{}", product, exponent);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  // from_chars fails if the value is too large or too small for a double.
  return read.ec == std::errc() && fits ? value : start + unit * static_cast<double>(count);
}

namespace {

// The number of the last multiple of `unit` from `start` on that is surely at or before `time`.
std::int64_t multiples_before(double unit, double time, double start) {
  return static_cast<std::int64_t>(
      std::clamp(std::floor((time - start) / unit) - 1, 0.0, static_cast<double>(most_steps)));
}

}  // namespace

double nearest_multiple(double unit, double time, double start) {
  const double count = std::round((time - start) / unit);
  return decimal_multiple(
      unit, static_cast<std::int64_t>(std::clamp(count, 0.0, static_cast<double>(most_steps))),
      start);
}

double next_multiple(double unit, double time, double start) {
  std::int64_t count = multiples_before(unit, time, start);
  while (decimal_multiple(unit, count, start) <= time && count <= most_steps) ++count;
  return decimal_multiple(unit, count, start);
}

StepTimes step_times(const RunConfig& run) {
  const StepAtTime from = run.counted_from();
  StepTimes clock{.step = step_seconds(run), .start = from.time, .start_step = from.step};
  if (run.scheme.varies) return clock;
  const std::vector<double> times = exact_times(run);
  const double time = times.empty() ? clock.step : times.front();
  const double count = std::round(time / clock.step);
  const Decimal decimal = shortest_decimal(time), start = shortest_decimal(from.time);
  if (decimal.exponent > 18 || decimal.exponent < -22 || start.exponent > 18 ||
      start.exponent < -22 || !(count >= 1 && count < exact_integers))
    return clock;
  Wide unit = static_cast<Wide>(decimal.digits), parts = static_cast<Wide>(count);
  for (int i = 0; i < std::abs(decimal.exponent); ++i) (decimal.exponent < 0 ? parts : unit) *= 10;
  // In lowest terms, so that the times within steps do not depend on the end of the run.
  const Wide common = common_divisor(unit, parts);
  unit /= common, parts /= common;
  // The start is a whole number of parts, too.
  Wide offset = static_cast<Wide>(std::abs(start.digits)), of_start = 1;
  for (int i = 0; i < std::abs(start.exponent); ++i) (start.exponent < 0 ? of_start : offset) *= 10;
  const Wide finer = of_start / common_divisor(of_start, parts);
  const auto fits = [](Wide a, Wide b, double most) {
    return static_cast<double>(a) * static_cast<double>(b) < most;
  };
  if (!fits(unit, finer, 0x1p63) || !fits(parts, finer, 0x1p126)) return clock;
  unit *= finer, parts *= finer;
  const Wide odd = parts / (parts & (~parts + 1));
  if (!fits(offset, parts / of_start, 0x1p63) || odd >= static_cast<Wide>(exact_integers))
    return clock;
  offset *= parts / of_start;
  clock.unit = static_cast<std::int64_t>(unit), clock.parts = static_cast<double>(parts);
  clock.offset = static_cast<std::int64_t>(offset) * (start.digits < 0 ? -1 : 1);
  return clock;
}

}  // namespace lapl
