// Quantities as people read them.
#pragma once

#include <string>

namespace lapl {

/// "512.3 MCells/s" and the like.
std::string cell_rate(double cells_per_second);

/// "3 s", "4 min 10 s", "2 h 5 min".
std::string time_left_text(double seconds);

}  // namespace lapl
