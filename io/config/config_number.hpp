// Reads the numbers of configs, plain decimals as in JSON, and suggests that form for others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lapl {

/// The number that a scalar of YAML stands for.
struct NumberText {
  std::optional<double> real;  ///< set for a plain decimal within the range of double
  /// set for integers from -2^63 to 2^63-1, also as 1.2e1
  std::optional<std::int64_t> integer;
  bool whole = false;  ///< an integer of any size: only zeros after the point
  std::string fault;   ///< for a probable number in a wrong form: ", hexadecimal (write 16)"
};

/// Reads a plain decimal: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?
NumberText read_number(std::string_view text);

/// Seconds of a duration such as "90s", "30m" or "2h"; none for other text.
std::optional<double> read_duration(std::string_view text);

/// The accepted durations as a pattern for JSON Schema and std::regex. They are above zero and
/// within the range of integer nanoseconds.
constexpr const char* duration_pattern =
    R"(^(?![0.]+([eE]|[smh]))((0|[1-9][0-9]{0,8})(\.[0-9]{1,20})?([eE]-[0-9]{1,2})?s|)"
    R"((0|[1-9][0-9]{0,6})(\.[0-9]{1,20})?([eE]-[0-9]{1,2})?m|)"
    R"((0|[1-9][0-9]{0,5})(\.[0-9]{1,20})?([eE]-[0-9]{1,2})?h)$)";

/// The shortest plain decimal that reads back as the same number, also by YAML 1.1 (1.0e-05).
std::string number_text(double value);

/// A duration such as 90s, 30m or 2h, in the largest unit with an integer number.
std::string duration_text(double seconds);

}  // namespace lapl
