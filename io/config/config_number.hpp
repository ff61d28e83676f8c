// Numbers of configs: plain decimals as in JSON, and the right form of those written otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lapl {

/// What a scalar says as a number.
struct NumberText {
  std::optional<double> real;           ///< set for a plain decimal that is not too large for it
  std::optional<std::int64_t> integer;  ///< set for a whole one, as 12, 1.2e1, from -2^63 to 2^63-1
  bool whole = false;                   ///< no digits but zeros after the point, at any size
  std::string fault;  ///< where both are unset but a number seems meant: ", hexadecimal (write 16)"
};

/// A plain decimal is -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?
NumberText read_number(std::string_view text);

/// Seconds of a number with a unit, "90s", "30m" or "2h"; none for anything else.
std::optional<double> read_duration(std::string_view text);

/// The durations that a config may have, as JSON Schema and std::regex read it: above zero, and
/// safe in integer nanoseconds.
constexpr const char* duration_pattern =
    R"(^(?![0.]+([eE]|[smh]))((0|[1-9][0-9]{0,8})(\.[0-9]{1,20})?([eE]-[0-9]{1,2})?s|)"
    R"((0|[1-9][0-9]{0,6})(\.[0-9]{1,20})?([eE]-[0-9]{1,2})?m|)"
    R"((0|[1-9][0-9]{0,5})(\.[0-9]{1,20})?([eE]-[0-9]{1,2})?h)$)";

/// Shortest plain decimal that reads back as the same number, in YAML 1.1 too: 1.0e-05.
std::string number_text(double value);

/// Such as 90s, 30m or 2h: the largest unit that leaves a whole number.
std::string duration_text(double seconds);

}  // namespace lapl
