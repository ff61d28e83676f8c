#include "app/view/plot/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solver/units.hpp"

namespace lapl {
namespace {

/// Replaces a leading hyphen by a minus sign, which is as wide as a digit.
std::string with_minus(const std::string& number) {
  return number.starts_with('-') ? "−" + number.substr(1) : number;
}

std::string power_of_ten(int exponent) {
  return fmt::format("×10^{{{}}}", with_minus(std::to_string(exponent)));
}

// Labels between these are written without an exponent.
constexpr double smallest_plain = 0.999e-3, largest_plain = 1e5;
constexpr int most_decimals = 4;
// Values this many times as large as their range are written relative to an offset.
constexpr double offset_ratio = 500;
// A tick beyond an end by at most this fraction of a step is still on the axis.
constexpr double slack = 1e-6;

struct Step {
  int digit = 1;  ///< 1, 2 or 5
  int power = 0;

  double size() const { return digit * std::pow(10.0, power); }
};

Step next(Step step) {
  if (step.digit == 5) return {1, step.power + 1};
  return {step.digit == 1 ? 2 : 5, step.power};
}

double first_multiple(double low, double size) { return std::ceil(low / size - slack); }
double last_multiple(double high, double size) { return std::floor(high / size + slack); }

/// The offset for the labels of a narrow range, at most `low`; 0 for a wide range.
double label_offset(double low, double high) {
  const double range = high - low;
  if (std::max(std::abs(low), std::abs(high)) < offset_ratio * range) return 0;
  const double unit = std::pow(10.0, std::ceil(std::log10(range)));
  return std::floor(low / unit) * unit;
}

}  // namespace

std::string number_text(double value, int digits) {
  const std::string text = fmt::format("{:.{}g}", value, digits);
  const auto e = text.find('e');
  if (e == std::string::npos) return with_minus(text);
  return with_minus(text.substr(0, e)) + power_of_ten(std::stoi(text.substr(e + 1)));
}

std::string Ticks::common_text(const std::string& unit) const {
  std::string text = exponent == 0 ? "" : power_of_ten(exponent);
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " ") + part; };
  if (offset != 0) add((offset < 0 ? "− " : "+ ") + number_text(std::abs(offset), 14));
  if (!unit.empty()) add(unit);
  return text;
}

std::string axis_title(const std::string& name, const std::string& unit, const Ticks& ticks) {
  return with_unit_after(name, ticks.common_text(unit));
}

Ticks round_ticks(double low, double high, int most) {
  const double offset = label_offset(low, high);
  const double from = low - offset, to = high - offset;
  Step step{1, static_cast<int>(std::floor(std::log10((to - from) / std::max(most, 1)))) - 1};
  while (last_multiple(to, step.size()) - first_multiple(from, step.size()) + 1 > most)
    step = next(step);

  Ticks result;
  const double size = step.size();
  const auto first = std::llround(first_multiple(from, size));
  const auto last = std::llround(last_multiple(to, size));
  const double magnitude = static_cast<double>(std::max(std::abs(first), std::abs(last))) * size;
  if (magnitude > 0 &&
      (magnitude >= largest_plain || magnitude < smallest_plain || step.power < -most_decimals))
    result.exponent = static_cast<int>(std::floor(std::log10(magnitude) + 1e-9));
  result.offset = offset;
  const int decimals = std::max(0, result.exponent - step.power);
  for (auto multiple = first; multiple <= last; ++multiple) {
    const double value = static_cast<double>(multiple) * size;
    const double shown =
        static_cast<double>(multiple * step.digit) * std::pow(10.0, step.power - result.exponent);
    const std::string label = multiple == 0 ? "0" : fmt::format("{:.{}f}", shown, decimals);
    result.ticks.push_back({(value - from) / (to - from), with_minus(label)});
  }
  return result;
}

Ticks log_ticks(double low, double high, int most) {
  const auto fraction = [&](double power) { return (power - low) / (high - low); };
  const auto first = static_cast<int>(std::ceil(low - slack));
  const auto last = static_cast<int>(std::floor(high + slack));
  const bool has_powers = last > first;
  // A range of one or two powers of ten has 1, 2 and 5 times them, of which there are at most five.
  if (!has_powers && (high - low < 0.7 || most < 5)) {
    const double from = std::pow(10, low), to = std::pow(10, high);
    Ticks ticks = round_ticks(from, to, most);
    for (Tick& tick : ticks.ticks)
      tick.fraction = fraction(std::log10(from + tick.fraction * (to - from)));
    return ticks;
  }
  Ticks result;
  const int every = std::max(1, (last - first + most) / most);
  for (int power = first - 1; power <= last; ++power)
    for (int digit = 1; digit <= 9; ++digit) {
      const double at = power + std::log10(digit);
      const bool is_power = digit == 1 && power % every == 0;
      if (at < low - slack || at > high + slack || (every > 1 && !is_power)) continue;
      std::string label;
      if (has_powers && is_power)
        label = fmt::format("10^{{{}}}", with_minus(std::to_string(power)));
      else if (!has_powers && (digit == 1 || digit == 2 || digit == 5))
        label = number_text(digit * std::pow(10.0, power), 6);
      result.ticks.push_back({fraction(at), label});
    }
  return result;
}

Ticks value_ticks(Scale scale, double low, double high, int most) {
  if (scale == Scale::logarithmic) return log_ticks(low, high, most);
  if (scale == Scale::linear) return round_ticks(low, high, most);
  if (most < 5) return {{{0, "−π"}, {0.5, "0"}, {1, "π"}}};
  return {{{0, "−π"}, {0.25, "−π/2"}, {0.5, "0"}, {0.75, "π/2"}, {1, "π"}}};
}

Ticks cell_ticks(std::int64_t cells, double spacing, int most, double origin) {
  if (cells == 1) return {{{0.5, number_text(origin, 6)}}, 0, 0};
  const double count = static_cast<double>(cells);
  Ticks ticks = round_ticks(origin, (count - 1) * spacing + origin,
                            static_cast<int>(std::min<std::int64_t>(most, cells)));
  for (Tick& tick : ticks.ticks) tick.fraction = (tick.fraction * (count - 1) + 0.5) / count;
  return ticks;
}

}  // namespace lapl
