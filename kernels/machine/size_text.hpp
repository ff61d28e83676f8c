#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>

namespace lapl {

/// Bytes as text with three digits and units of 1000, for example "712 B" or "320 GB".
inline std::string size_text(double bytes) {
  constexpr std::array units = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace lapl
