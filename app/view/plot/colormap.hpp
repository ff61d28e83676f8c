// Maps numbers to colours.
#pragma once

#include <array>
#include <span>
#include <string>

#include "io/images/pixels.hpp"

namespace lapl {

/// The colour of cells without a finite value.
inline constexpr Rgb missing_color = 0xb0b0b0;

struct NamedColormap {
  const char* name;
  const char* summary;          ///< one line for the user
  std::span<const Rgb> points;  ///< equally spaced control points
  bool diverging = false;       ///< colours on both sides of zero
};

/// A colour for each number from 0 to 1, linear between control points.
class Colormap {
 public:
  explicit Colormap(const NamedColormap& map);

  /// Numbers outside 0 to 1 have the colour of the nearer end, NaN has missing_color.
  Rgb color(double fraction) const;
  /// The middle colour stands for zero.
  bool diverging() const { return diverging_; }

 private:
  std::array<Rgb, 1024> table_;
  bool diverging_;
};

/// The maps that `lapl list colormaps` prints.
std::span<const NamedColormap> colormaps();

/// Throws ConfigError for a name that is not among colormaps().
Colormap colormap_named(const std::string& name);

}  // namespace lapl
