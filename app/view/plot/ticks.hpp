// Round numbers for axes and colour bars.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lapl {

struct Tick {
  double fraction = 0;  ///< position from low (0) to high (1)
  std::string label;    ///< empty: a mark alone
};

/// The value of a tick is offset + 10^exponent * (number of the label).
struct Ticks {
  std::vector<Tick> ticks;
  int exponent = 0;   ///< 0 unless the values are tiny or huge
  double offset = 0;  ///< not 0 if the values share their first digits

  /// The common part of all labels and their unit, such as "×10^{−9} + 1.25 K" (braces enclose a
  /// superscript); empty if there is neither.
  std::string common_text(const std::string& unit) const;
};

/// As many multiples of 10^n, 2 * 10^n or 5 * 10^n (one of them) from `low` to `high` (low < high)
/// as possible, at most `most`. A label has at most six digits.
Ticks round_ticks(double low, double high, int most);

/// The scale of values. logarithmic: they are decimal logarithms; angle: they go from -pi to pi.
enum class Scale { linear, logarithmic, angle };

/// round_ticks, log_ticks, or multiples of pi/2.
Ticks value_ticks(Scale scale, double low, double high, int most);

/// Ticks from 10^low to 10^high on a logarithmic axis: powers of ten, at most `most`, with marks
/// between them; numbers between them if there are fewer than two powers.
Ticks log_ticks(double low, double high, int most);

/// round_ticks along an axis of cells with nodes `spacing` apart, the first one at `origin`. The
/// axis begins half a cell before the first node.
Ticks cell_ticks(std::int64_t cells, double spacing, int most, double origin = 0);

/// An axis title with the common part of its numbers and their unit: "x (×10^{3} m)".
std::string axis_title(const std::string& name, const std::string& unit, const Ticks& ticks);

/// `value` with at most `digits` digits in the usual notation: 0.25, 1.5×10^{30}.
std::string number_text(double value, int digits);

}  // namespace lapl
