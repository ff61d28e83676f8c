#include "io/config/config_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

namespace lapl {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes and returns the digits at the front of `text`.
std::string_view read_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

bool skip(std::string_view& text, char either, char other) {
  if (text.empty() || (text[0] != either && text[0] != other)) return false;
  text.remove_prefix(1);
  return true;
}

template <class T>
std::optional<T> convert(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

/// A plain decimal as digits, without zeros at either end, times a power of ten.
struct Decimal {
  std::string digits;  ///< empty: zero
  std::int64_t power = 0;
};

/// The digits and power of a plain decimal; none for other text.
std::optional<Decimal> parsed_decimal(std::string_view text) {
  skip(text, '-', '-');
  Decimal decimal;
  decimal.digits = read_digits(text);
  if (decimal.digits.empty() || (decimal.digits.size() > 1 && decimal.digits[0] == '0')) return {};
  if (skip(text, '.', '.')) {
    const std::string_view fraction = read_digits(text);
    if (fraction.empty()) return {};
    decimal.digits += fraction;
    decimal.power = -static_cast<std::int64_t>(fraction.size());
  }
  if (skip(text, 'e', 'E')) {
    constexpr std::int64_t beyond = 100000;  // a power outside the range of every number type
    const bool negative = text.starts_with('-');
    skip(text, '-', '+');
    const std::string_view digits = read_digits(text);
    if (digits.empty()) return {};
    const std::int64_t power = std::min(convert<std::int64_t>(digits).value_or(beyond), beyond);
    decimal.power += negative ? -power : power;
  }
  if (!text.empty()) return {};
  decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
  if (decimal.digits.empty()) return Decimal();
  const std::size_t last = decimal.digits.find_last_not_of('0');
  decimal.power += static_cast<std::int64_t>(decimal.digits.size() - last - 1);
  decimal.digits.erase(last + 1);
  return decimal;
}

/// The value as an integer, if it is one and in range.
std::optional<std::int64_t> parsed_integer(std::string_view text, const Decimal& decimal) {
  constexpr std::int64_t most_digits = 19;
  if (decimal.digits.empty()) return 0;
  if (decimal.power < 0 || decimal.power > most_digits) return std::nullopt;
  const std::string zeros(decimal.power, '0');
  return convert<std::int64_t>((text.starts_with('-') ? "-" : "") + decimal.digits + zeros);
}

/// The nearest double, 0 for tiny numbers; none if the number is too large.
std::optional<double> parsed_real(const std::string& text) {
  const double value = std::strtod(text.c_str(), nullptr);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// The message about a number such as 0x1f, 0o17 or 0b101; empty for other text.
std::string other_base(std::string_view text) {
  const std::string_view sign = text.starts_with('-') ? "-" : "";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.size() < 3 || text[0] != '0') return {};
  const char letter = static_cast<char>(text[1] | 0x20);
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  if (base == 0) return {};
  const std::string_view name = base == 16 ? "hexadecimal" : base == 8 ? "octal" : "binary";
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + 2, end, value, base);
  if (error != std::errc{}) return fmt::format(", {} (write it in decimals)", name);
  if (stopped != end) return {};
  return fmt::format(", {} (write {}{})", name, sign, value);
}

/// The message about .inf, .nan and similar words; empty for other text.
std::string not_finite(std::string_view text) {
  std::string word;
  for (const char c : text) word += static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  word.erase(0, word.find_first_not_of("+-"));
  if (word.starts_with('.')) word.erase(0, 1);
  const bool known = word == "inf" || word == "nan" || word == "infinity";
  return known ? ", not finite (write a finite number)" : std::string();
}

/// The message about forms such as 007, 1_000, +5, .5 or 5., which are not allowed; else empty.
std::string untidy(std::string_view text) {
  std::string_view reason;
  std::string_view rest = text;
  if (skip(rest, '+', '+')) reason = "with a plus sign";
  const std::string sign = skip(rest, '-', '-') ? "-" : "";
  std::string digits(rest);
  if (std::erase(digits, '_') > 0) reason = "with underscores";
  std::size_t zeros = 0;
  while (zeros + 1 < digits.size() && digits[zeros] == '0' && is_digit(digits[zeros + 1])) ++zeros;
  if (zeros > 0) reason = "with leading zeros";
  digits.erase(0, zeros);
  if (digits.starts_with('.')) {
    digits.insert(digits.begin(), '0');
    reason = "without a digit before the point";
  }
  if (const std::size_t point = digits.find('.');
      point != digits.npos && (point + 1 == digits.size() || !is_digit(digits[point + 1]))) {
    digits.erase(point, 1);
    reason = "without a digit after the point";
  }
  const std::string tidy = sign + digits;
  if (reason.empty() || !parsed_decimal(tidy)) return {};
  return fmt::format(", {} (write {})", reason, tidy);
}

}  // namespace

NumberText read_number(std::string_view text) {
  NumberText number;
  // A longer text is not meant as a number and would fill a message.
  if (text.empty() || text.size() > 400) return number;
  if (const std::optional<Decimal> decimal = parsed_decimal(text)) {
    number.whole = decimal->power >= 0;
    number.integer = parsed_integer(text, *decimal);
    number.real = parsed_real(std::string(text));
    if (!number.real) number.fault = ", too large for a float64 (at most 1.7e308)";
    return number;
  }
  number.fault = other_base(text);
  if (number.fault.empty()) number.fault = not_finite(text);
  if (number.fault.empty()) number.fault = untidy(text);
  return number;
}

std::optional<double> read_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char unit = text.back();
  const double scale = unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? 3600 : 0;
  text.remove_suffix(1);
  if (scale == 0 || !parsed_decimal(text)) return std::nullopt;
  const std::optional<double> number = convert<double>(text);
  return number ? std::optional(*number * scale) : std::nullopt;
}

std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (exponent != text.npos && text.find('.') == text.npos) text.insert(exponent, ".0");
  return text;
}

std::string duration_text(double seconds) {
  struct Unit {
    char letter;
    double seconds;
    double below;  // upper bound of the numbers that duration_pattern accepts in this unit
  };
  constexpr std::array<Unit, 3> units = {{{'h', 3600, 1e6}, {'m', 60, 1e7}, {'s', 1, 1e9}}};
  for (const Unit& unit : units)
    if (std::fmod(seconds, unit.seconds) == 0 && seconds / unit.seconds < unit.below)
      return number_text(seconds / unit.seconds) + unit.letter;
  // duration_pattern allows less than 1e9 seconds. A longer duration was given in hours, with
  // decimals: find that number.
  for (const Unit& unit : units) {
    const double near = seconds / unit.seconds;
    for (const double number : {near, std::nextafter(near, 0), std::nextafter(near, near + 1)})
      if (seconds >= 1e9 && number * unit.seconds == seconds && number < unit.below)
        return number_text(number) + unit.letter;
  }
  return number_text(seconds) + 's';
}

}  // namespace lapl
