// A picture of fields: panels with titles, axes and colour bars, drawn with cairo.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/view/plot/colormap.hpp"
#include "app/view/plot/layout.hpp"
#include "app/view/plot/limits.hpp"

namespace lapl {

struct PlotAxis {
  std::string name;
  double spacing = 1;  ///< distance of two cells
};

/// Axes of a picture: x across, y upwards or downwards, z perpendicular to it.
struct PlotAxes {
  PlotAxis x{"x"}, y{"y"}, z{"z"};
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
  bool line = false;  ///< of one axis: a graph of the values, without a colour bar
};

enum class PictureFormat { png, svg, pdf };

/// PNG of as many pixels as the layout has, or SVG or PDF of as many points.
/// Throws IoError where cairo fails or cannot be loaded, ConfigError where lapl was built without
/// it.
std::string draw_figure(PictureFormat format, const FigureLayout& layout,
                        const std::vector<Panel>& panels);

/// The pixels themselves, row by row from the top.
std::vector<Rgb> draw_pixels(const FigureLayout& layout, const std::vector<Panel>& panels);

/// Throws as draw_figure does where there is no cairo.
void require_drawing();

/// As a picture of these axes has them; a graph is half as high as wide.
inline Extent extent_of(Shape shape, const PlotAxes& axes) {
  if (shape.axes == 1) return {0.5, 1};
  return {static_cast<double>(shape.rows) * (axes.y.spacing / axes.x.spacing),
          static_cast<double>(shape.columns)};
}

/// How many pixels a field is resampled to for a box: SVG and PDF have two for each point.
inline Shape box_pixels(const PanelLayout& panel, PictureFormat format) {
  const int scale = format == PictureFormat::png ? 1 : 2;
  return {scale * static_cast<std::int64_t>(panel.box.height),
          scale * static_cast<std::int64_t>(panel.box.width)};
}

}  // namespace lapl
