// A picture of fields: panels with titles, axes and colour bars, drawn with cairo.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/view/plot/colormap.hpp"
#include "app/view/plot/layout.hpp"
#include "app/view/plot/limits.hpp"
#include "app/view/plot/ticks.hpp"
#include "solver/units.hpp"

namespace lapl {

struct PlotAxis {
  std::string name;
  double spacing = 1;                    ///< distance between neighbouring nodes
  double origin = 0;                     ///< position of the first node
  std::optional<std::string> unit = {};  ///< if it is no length

  double position(std::int64_t index) const {
    return static_cast<double>(index) * spacing + origin;
  }
};

/// Axes of a picture: x to the right, y upwards or downwards, z perpendicular to the picture.
struct PlotAxes {
  PlotAxis x{"x"}, y{"y"}, z{"z"};
  bool has_positions = false;   ///< false: the axes count nodes
  Units units = {};             ///< of positions and times
  bool first_row_below = true;  ///< if false, the first row is on top
  /// words for the values that are drawn, by dataset
  std::map<std::string, FieldLabels> labels = {};

  const std::string& unit(const PlotAxis& axis) const {
    return axis.unit ? *axis.unit : units.length;
  }
};

/// A straight line in units of a box: 0 to 1 to the right, and from the first row to the last.
struct Segment {
  double x0, y0, x1, y1;
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
  bool line = false;            ///< one axis: a graph of the values, without a colour bar
  std::string unit = {};        ///< of the values; empty if there is none
  Scale scale = Scale::linear;  ///< of pixels, limits and graphs
  struct Graph {
    std::string label;
    std::vector<double> values;
    std::vector<double> places = {};  ///< within `across`; empty: of nodes
  };
  std::vector<Graph> graphs = {};     ///< several graphs with a legend in place of that of `pixels`
  std::optional<Limits> across = {};  ///< of graphs over a quantity other than positions of nodes
  struct Lines {
    std::vector<Segment> segments;
    Rgb color;
  };
  std::vector<Lines> lines = {};       ///< drawn over the pixels
  std::vector<double> bar_marks = {};  ///< values marked in the colour bar
  struct Name {
    std::string text;
    double x, y;  ///< of its middle, in units of the box
  };
  bool surface = false;          ///< of a volume: white where `pixels` are NaN
  std::vector<Name> names = {};  ///< written over the pixels
};

enum class PictureFormat { png, svg, pdf };

/// A PNG with the size of the layout in pixels, or an SVG or PDF with that size in points, with
/// texts that say where it comes from; in a PDF they are JSON in its entry Subject. Throws IoError
/// if cairo fails or cannot be loaded, ConfigError if lapl was built without cairo.
std::string draw_figure(PictureFormat format, const FigureLayout& layout,
                        const std::vector<Panel>& panels,
                        const std::vector<std::pair<std::string, std::string>>& about);

/// The pixels, row by row from the top.
std::vector<Rgb> draw_pixels(const FigureLayout& layout, const std::vector<Panel>& panels);

/// Throws the same exceptions as draw_figure if there is no cairo.
void require_drawing();

/// The size of a field in a picture with these axes; a graph is half as high as wide.
inline Extent plot_extent(Shape shape, const PlotAxes& axes) {
  if (shape.axes == 1) return {0.5, 1};
  return {static_cast<double>(shape.rows) * (axes.y.spacing / axes.x.spacing),
          static_cast<double>(shape.columns)};
}

/// Rows and columns to which a field is resampled; SVG and PDF have two for each point.
inline Shape box_pixels(const PanelLayout& panel, PictureFormat format) {
  const int scale = format == PictureFormat::png ? 1 : 2;
  return {scale * static_cast<std::int64_t>(panel.box.height),
          scale * static_cast<std::int64_t>(panel.box.width)};
}

}  // namespace lapl
