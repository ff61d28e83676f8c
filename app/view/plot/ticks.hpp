// Round numbers along an axis or a colour bar.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lapl {

struct Tick {
  double fraction = 0;  ///< of the way from low to high
  std::string label;
};

/// A value is offset + 10^exponent * (number of the label).
struct Ticks {
  std::vector<Tick> ticks;
  int exponent = 0;   ///< 0 unless the values are tiny or huge
  double offset = 0;  ///< of values that share their first digits

  /// The part that all labels share, such as "×10^{−9} + 1.25" (braces hold a superscript); empty
  /// if there is none.
  std::string common_text() const;
};

/// At most `most` multiples of 1, 2 or 5 times a power of ten from `low` to `high` (low < high), as
/// close together as that allows. A label has six digits at most.
Ticks round_ticks(double low, double high, int most);

/// round_ticks along an axis of cells, whose nodes are `spacing` apart. Cells are centred on their
/// nodes: the first number is half a cell inside. No number lies between two nodes.
Ticks cell_ticks(std::int64_t cells, double spacing, int most);

/// The name of an axis with what its numbers share and their unit, such as "x (×10^{3} m)".
std::string axis_title(const std::string& name, const std::string& unit, const Ticks& ticks);

/// `value` in up to `digits` digits as people write it: 0.25, 1.5×10^{30}.
std::string number_text(double value, int digits);

}  // namespace lapl
