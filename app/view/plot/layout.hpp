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
#include "kernels/grid.hpp"

namespace lapl {

struct Rectangle {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

struct PanelLayout {
  Rectangle cell;  ///< the panel's part of the picture
  Rectangle box;   ///< the field; whole pixels
  Rectangle bar;   ///< colour bar
  bool bar_below = false;
};

struct FigureLayout {
  PictureSize size;
  double font = 13;  ///< size of the letters; all distances around the boxes are multiples of it
  std::vector<PanelLayout> panels;
};

/// Panels of one shape in rows and columns that show them largest; cells are square,
/// but a box is never thinner than some letters; in `rows` rows where that is not 0. Throws
/// ConfigError for a size that leaves no room.
FigureLayout figure_layout(PictureSize size, int panels, Shape shape, int rows = 0);

/// A size that suits the shape, and as many rows of panels.
PictureSize default_size(int panels, Shape shape, int rows = 1);

}  // namespace lapl
