// Where the parts of a picture lie, in pixels from its top left corner.
//
//     +-------------- cell ---------------+
//     |          title                    |
//     |          subtitle          x10^-5 |    common factor of the colour bar's numbers
//     |      +-------------------+ +-+    |
//     |    2-|                   | | |- 1 |
//     |  y 1-|        box        | | |- 0 |    or, for a flat box, the bar below it
//     |    0-|                   | | |--1 |
//     |      +-------------------+ +-+    |
//     |      0    1    2    3    4        |
//     |                x                  |
//     +-----------------------------------+
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/images/pixels.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

/// The size of a field in a picture, in units of a column's width.
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
  Rectangle cell;  ///< the area of the panel
  Rectangle box;   ///< the area of the field; whole pixels
  Rectangle bar;   ///< the colour bar; width 0 if there is none
  bool bar_below = false;
  /// of a sheet: no title, the subtitle close to the box, numbers only at the sheet's left and
  /// below
  bool in_sheet = false;
  bool numbers_across = true, numbers_upwards = true;
};

/// A text beside the panels.
struct FigureText {
  std::string text;
  double x = 0, y = 0;  ///< of its middle, or of its right end
  double room = 0;      ///< width to fit into
  double size = 1;      ///< in units of the letter size
  bool to_the_left = false, upwards = false;
};

struct FigureLayout {
  PictureSize size;
  double font = 13;  ///< letter size; the distances around the boxes are multiples of it
  std::vector<PanelLayout> panels;
  std::vector<FigureText> texts = {};
};

/// The arrangement of equal panels with the largest boxes. Cells are square, but a box has a least
/// width and height in letters. `rows`: the number of rows; 0: the best. Throws ConfigError if the
/// size leaves no room.
FigureLayout figure_layout(PictureSize size, int panels, Extent extent, int rows = 0);

/// A size that suits the extent, for `panels` panels in `rows` rows.
PictureSize default_size(int panels, Extent extent, int rows = 1);

/// `rows` rows of panels, each with the extents `beside` from left to right, all with the same
/// scale, and one colour bar at the end of each row. Throws the same as figure_layout.
FigureLayout slices_layout(PictureSize size, const std::vector<Extent>& beside, int rows);
PictureSize slices_size(const std::vector<Extent>& beside, int rows);

/// The texts of a sheet: a table of panels with labels of rows and columns.
struct SheetTexts {
  std::string title, across, upwards;  ///< of the sheet, of the columns, of the rows
  std::vector<std::string> columns,
      rows;                ///< a label for each; no labels: only their number counts
  bool subtitles = false;  ///< of panels
  bool numbers = true;     ///< along the axes of panels
  bool bar = true;
};

/// A sheet of panels with the extents `panels`, row by row; the last row may have fewer. All boxes
/// fit into the same rectangle, and one colour bar is at the right. Throws the same as
/// figure_layout.
FigureLayout sheet_layout(std::optional<PictureSize> size, const SheetTexts& texts,
                          const std::vector<Extent>& panels);

}  // namespace lapl
