// Contour lines: of a field over its own picture, of another field over it, or of the mask.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/view/plot/figure.hpp"

namespace lapl {

/// Lines that an option asks for.
struct LineChoice {
  std::string option;      ///< with its text, for messages
  std::string field = {};  ///< the dataset; empty: that of the panel
  int count = 0;           ///< levels at equal distances within the values; 0: `levels`
  std::vector<double> levels = {};
};

/// The values for which lines are drawn if the field has values in `range`. Throws ConfigError for
/// one outside, and if no value is finite.
std::vector<double> line_levels(const LineChoice& lines, Limits range, const std::string& field);

/// Where the values are `level`, by marching squares: linear between neighbouring nodes; the mean
/// of the four nodes around it decides a saddle. No line passes between nodes of which one is not
/// finite. In units of the box, with the first row at y = 0.
std::vector<Segment> contour(std::span<const double> nodes, Shape shape, double level);

/// ", lines of NAME at 0.2, 0.4", with the unit.
std::string lines_text(const std::string& name, std::span<const double> levels,
                       const std::string& unit);

}  // namespace lapl
