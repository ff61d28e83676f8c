// Maps numbers to colours.
#pragma once

#include <array>
#include <span>
#include <string>

#include "io/images/pixels.hpp"

namespace lapl {

/// The colour of cells without a finite value.
inline constexpr Rgb missing_color = 0xb0b0b0;

/// A colour for each number from 0 to 1, linear between equally spaced control points.
class Colormap {
 public:
  explicit Colormap(std::span<const Rgb> points);

  /// Numbers outside 0 to 1 have the colour of the nearer end, NaN has missing_color.
  Rgb color(double fraction) const;

 private:
  std::array<Rgb, 1024> table_;
};

struct NamedColormap {
  const char* name;
  const char* summary;          ///< one line for the user
  std::span<const Rgb> points;  ///< control points of the Colormap
};

/// viridis, inferno, gray and diverging (blue, white, red).
std::span<const NamedColormap> colormaps();

/// Throws ConfigError for a name that is not among colormaps().
Colormap colormap_named(const std::string& name);

}  // namespace lapl
