// Makes the panels of a picture from fields, with the given colours and limits, or with some that
// suit the field.
#pragma once

#include <optional>
#include <string>

#include "app/view/plot/contours.hpp"
#include "app/view/plot/cut.hpp"
#include "app/view/plot/plot_source.hpp"

namespace lapl {

/// Colours and limits given on the command line.
struct PlotStyle {
  std::optional<std::string> colormap;
  std::optional<Limits> limits;
  std::optional<Limits> percentiles;
  bool of_cells = false;  ///< percentiles of the cells, even if a pixel shows several
  bool log = false;       ///< a logarithmic scale of values; graphs have gaps at others than > 0
  std::vector<LineChoice> lines = {};  ///< drawn over the field
};

/// A field resampled to the pixels of a box, and the range for its limits.
struct DrawnField {
  std::string name;  ///< of the dataset
  Shape shape;
  Shape drawn;
  std::vector<double> pixels;
  Limits range;                    ///< the values at the two percentiles
  bool signs = false;              ///< colours diverge from 0: both signs matter
  std::optional<double> constant;  ///< the value of all cells, if they have the same
  std::string cut = {};            ///< cut_text
};

/// Resamples a field and finds its range. Percentiles are those of the pixels if a pixel shows
/// several cells, unless `style.of_cells` is set; else of the cells. Without percentiles in the
/// style, the range of the Laplacian is from its 5th to its 95th percentile, except in graphs;
/// other fields have their whole range.
DrawnField drawn_field(const std::string& name, FieldView values, Shape shape, Shape box,
                       const PlotStyle& style);

/// Limits of a graph of values in this range, which keep it away from its frame; of their
/// logarithms if `log`. Throws ConfigError that begins with `name` if there is nothing to draw on a
/// logarithmic scale.
Limits graph_limits(const std::string& name, Limits range, bool log);

/// Replaces values by their decimal logarithms; those that are not above 0 by `other`.
void take_logs(std::vector<double>& values, double other);

/// The panel of a field, with limits that suit its range unless the style has limits.
Panel make_panel(DrawnField field, std::string subtitle, const PlotStyle& style,
                 const PlotAxes& axes);

/// The pixels for a field in a box with sides of at most `longest`; at most one per cell.
Shape box_within(Shape shape, std::int64_t longest);

/// A panel of a few hundred pixels for a terminal, with the colours of `lapl plot`. Shows the
/// middle plane of a grid of three axes.
Panel small_panel(const std::string& name, FieldView values, Shape shape, std::int64_t step,
                  bool first_row_below);

}  // namespace lapl
