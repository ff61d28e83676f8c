// From fields to panels: colours and limits as asked for, or as suits the field.
#pragma once

#include <optional>
#include <string>

#include "app/view/plot/cut.hpp"
#include "app/view/plot/plot_source.hpp"

namespace lapl {

/// Colours and limits that the command line sets.
struct PlotStyle {
  std::optional<std::string> colormap;
  std::optional<Limits> limits;
  std::optional<Limits> percentiles;
  bool of_cells = false;  ///< percentiles of the cells, also where a pixel shows several
};

/// A field in the pixels of a box, and the values that count for its limits.
struct DrawnField {
  std::string name;
  Shape shape;
  Shape drawn;
  std::vector<double> pixels;
  Limits range;        ///< at the percentiles
  bool signs = false;  ///< positive and negative values matter alike
};

/// Percentiles are those of the cells or, unless the style says otherwise, where a pixel shows
/// several cells, of their means. The
/// Laplacian is taken from its 5th to its 95th percentile, but for a graph, all else from the least
/// to the largest.
DrawnField drawn_field(const std::string& name, FieldView values, Shape shape, Shape box,
                       const PlotStyle& style);

/// The panel of a field, with limits that suit its range unless the style has some.
Panel make_panel(DrawnField field, std::string subtitle, const PlotStyle& style,
                 const PlotAxes& axes);

/// The field's pixels in a box with sides of at most `longest`: no more pixels than cells.
Shape box_within(Shape shape, std::int64_t longest);

/// A panel of a few hundred pixels for a terminal, in the colours that `lapl plot` chooses: of a
/// grid of three axes the middle plane.
Panel small_panel(const std::string& name, FieldView values, Shape shape, std::int64_t step,
                  bool first_row_below);

}  // namespace lapl
