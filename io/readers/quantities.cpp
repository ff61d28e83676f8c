#include "io/readers/quantities.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace lapl {

std::string cell_rate(double cells_per_second) {
  const bool giga = cells_per_second >= 1e9;
  return fmt::format("{:.4g} {}Cells/s", cells_per_second / (giga ? 1e9 : 1e6), giga ? "G" : "M");
}

std::string time_left_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (seconds < 10) return fmt::format("{:.2g} s", seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace lapl
