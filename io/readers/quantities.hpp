// Writes quantities for people.
#pragma once

#include <string>

namespace lapl {

/// A rate such as "512.3 MCells/s".
std::string cell_rate(double cells_per_second);

/// A duration such as "3 s", "4 min 10 s" or "2 h 5 min".
std::string time_left_text(double seconds);

}  // namespace lapl
