// Where the parts of a picture lie, in pixels from its top left corner.
//
//     +-------------- cell ---------------+
//     |          title                    |
//     |          subtitle          x10^-5 |    what the colour bar's numbers share
//     |      +-------------------+ +-+    |
//     |    2-|                   | | |- 1 |
//     |  y 1-|        box        | | |- 0 |    or, for a flat box, the bar below it
//     |    0-|                   | | |--1 |
//     |      +-------------------+ +-+    |
//     |      0    1    2    3    4        |
//     |                x                  |
//     +-----------------------------------+
#pragma once

#include <vector>

#include "io/images/pixels.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

/// How a field lies in a picture, in units of a column's width.
struct Extent {
  Extent(double of_rows, double of_columns) : rows(of_rows), columns(of_columns) {}
  Extent(Shape shape)  // NOLINT(google-explicit-constructor): of square cells
      : rows(static_cast<double>(shape.rows)), columns(static_cast<double>(shape.columns)) {}
  double rows, columns;
};

struct Rectangle {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

struct PanelLayout {
  Rectangle cell;  ///< the panel's part of the picture
  Rectangle box;   ///< the field; whole pixels
  Rectangle bar;   ///< colour bar; none where it has no width
  bool bar_below = false;
};

struct FigureLayout {
  PictureSize size;
  double font = 13;  ///< size of the letters; all distances around the boxes are multiples of it
  std::vector<PanelLayout> panels;
};

/// Panels of one extent in rows and columns that show them largest; cells are square,
/// but a box is never thinner than some letters; in `rows` rows where that is not 0. Throws
/// ConfigError for a size that leaves no room.
FigureLayout figure_layout(PictureSize size, int panels, Extent extent, int rows = 0);

/// A size that suits the extent, and as many rows of panels.
PictureSize default_size(int panels, Extent extent, int rows = 1);

/// Rows of panels beside each other, `beside` in each row, all on one scale, with one colour bar at
/// the end of a row. Throws as figure_layout.
FigureLayout slices_layout(PictureSize size, const std::vector<Extent>& beside, int rows);
PictureSize slices_size(const std::vector<Extent>& beside, int rows);

}  // namespace lapl
