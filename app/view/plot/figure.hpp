// A picture of fields: panels with titles, axes and colour bars, drawn with cairo.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/view/plot/colormap.hpp"
#include "app/view/plot/layout.hpp"
#include "app/view/plot/limits.hpp"

namespace lapl {

/// What the axes count.
struct PlotAxes {
  double spacing = 1;  ///< distance of two cells
  std::string x = "x", y = "y";
  std::string unit = {};        ///< empty: none
  bool first_row_below = true;  ///< else above, as in pictures
};

struct Panel {
  std::string title;
  std::string subtitle;
  Shape shape;                 ///< of the field
  Shape drawn;                 ///< rows and columns of `pixels`
  std::vector<double> pixels;  ///< the field, resampled to the panel's box, row by row
  Limits limits;               ///< low < high
  Colormap colormap;
  PlotAxes axes;
};

enum class PictureFormat { png, svg, pdf };

/// PNG of as many pixels as the layout has, or SVG or PDF of as many points.
/// Throws IoError where cairo fails, ConfigError where lapl was built without it.
std::string draw_figure(PictureFormat format, const FigureLayout& layout,
                        const std::vector<Panel>& panels);

/// The pixels themselves, row by row from the top.
std::vector<Rgb> draw_pixels(const FigureLayout& layout, const std::vector<Panel>& panels);

/// Throws ConfigError where lapl was built without cairo.
void require_drawing();

/// How many pixels a field is resampled to for a box: SVG and PDF have two for each point.
inline Shape box_pixels(const PanelLayout& panel, PictureFormat format) {
  const int scale = format == PictureFormat::png ? 1 : 2;
  return {scale * static_cast<std::int64_t>(panel.box.height),
          scale * static_cast<std::int64_t>(panel.box.width)};
}

}  // namespace lapl
