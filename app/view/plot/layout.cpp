#include "app/view/plot/layout.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/error.hpp"

namespace lapl {
namespace {

// All in letter sizes. A digit is 0.64 wide, a label has six at most.
constexpr double left_margin = 5.6;    // y, its numbers and marks
constexpr double top_margin = 5.2;     // title, subtitle, what the bar's numbers share
constexpr double bottom_margin = 3.8;  // marks, numbers, x
constexpr double right_margin = 7.4;   // gap, bar, marks, numbers
constexpr double right_no_bar = 2;     // half of the last number of x
constexpr double bar_gap = 0.9;
constexpr double bar_width = 1.1;
constexpr double below = 4.6;  // what the numbers share, bar, marks, numbers
constexpr double thinnest_box = 2;
constexpr double flat_box = 9;  // less height than this has no room for the bar's numbers
constexpr double usual_box = 28;
constexpr double usual_font = 13;
constexpr double smallest_font = 6;
constexpr double smallest_width = 20, smallest_height = 13;  // of a cell

double font_for(double width, double height) {
  return std::max(smallest_font, std::min({std::sqrt(width * height) / 38, width / smallest_width,
                                           height / smallest_height}));
}

Rectangle fitted(double width, double height, double thinnest, Shape shape) {
  const double rows = static_cast<double>(shape.rows), columns = static_cast<double>(shape.columns);
  const double scale = std::min(width / columns, height / rows);
  Rectangle box;
  box.width = std::floor(std::clamp(columns * scale, std::min(thinnest, width), width));
  box.height = std::floor(std::clamp(rows * scale, std::min(thinnest, height), height));
  return box;
}

PanelLayout panel_layout(Rectangle cell, double font, Shape shape) {
  PanelLayout panel;
  panel.cell = cell;
  const double height = cell.height - (top_margin + bottom_margin) * font;
  panel.box =
      fitted(cell.width - (left_margin + right_margin) * font, height, thinnest_box * font, shape);
  double used_below = bottom_margin, used_right = right_margin;
  if (panel.box.height < flat_box * font) {
    const Rectangle box = fitted(cell.width - (left_margin + right_no_bar) * font,
                                 height - below * font, thinnest_box * font, shape);
    // A box that is narrow too would have no room for the numbers below it either.
    if (box.height >= 1 && box.width >= flat_box * font) {
      panel.box = box;
      panel.bar_below = true;
      used_below += below;
      used_right = right_no_bar;
    }
  }
  Rectangle& box = panel.box;
  box.x = std::round(cell.x + left_margin * font +
                     (cell.width - (left_margin + used_right) * font - box.width) / 2);
  box.y = std::round(cell.y + top_margin * font +
                     (cell.height - (top_margin + used_below) * font - box.height) / 2);
  if (panel.bar_below)
    panel.bar = {box.x, box.y + box.height + (bottom_margin + 1.6) * font, box.width,
                 bar_width * font};
  else
    panel.bar = {box.x + box.width + bar_gap * font, box.y, bar_width * font, box.height};
  return panel;
}

double shown_area(const FigureLayout& layout) {
  const Rectangle& box = layout.panels.front().box;
  return box.width * box.height;
}

}  // namespace

FigureLayout figure_layout(PictureSize size, int panels, Shape shape, int asked_rows) {
  FigureLayout best;
  for (int columns = panels; columns >= 1; --columns) {
    const int rows = (panels + columns - 1) / columns;
    if (asked_rows > 0 && rows != asked_rows) continue;
    const double width = static_cast<double>(size.width) / columns;
    const double height = static_cast<double>(size.height) / rows;
    if (width < smallest_width * smallest_font || height < smallest_height * smallest_font)
      continue;
    FigureLayout layout{size, font_for(width, height), {}};
    for (int i = 0; i < panels; ++i)
      layout.panels.push_back(panel_layout(
          {width * (i % columns), height * (i / columns), width, height}, layout.font, shape));
    if (best.panels.empty() || shown_area(layout) > shown_area(best)) best = std::move(layout);
  }
  if (best.panels.empty())
    throw ConfigError("a picture of {} x {} pixels has no room for {} panel{} (at least {} x {})",
                      size.width, size.height, panels, panels == 1 ? "" : "s",
                      panels * smallest_width * smallest_font, smallest_height * smallest_font);
  return best;
}

PictureSize default_size(int panels, Shape shape, int rows) {
  if (rows > 1) {  // as many of one row
    const PictureSize row = default_size(1, shape);
    return {row.width * (panels / rows), row.height * rows};
  }
  const double ratio = static_cast<double>(shape.columns) / static_cast<double>(shape.rows);
  const bool stacked = ratio > 2 && panels > 1;
  const double longest = usual_box * (stacked || panels == 1 ? 1.6 : 1);
  const double width = std::max(longest * std::min(1.0, ratio), thinnest_box);
  const double height = std::max(longest * std::min(1.0, 1 / ratio), thinnest_box);
  const bool flat = height < flat_box;
  const double cell_width =
      std::max(width, flat_box) + left_margin + (flat ? right_no_bar : right_margin);
  const double cell_height = height + top_margin + bottom_margin + (flat ? below : 0);
  // Titles need some room beside each other too.
  const double wide = std::max(cell_width, 22.0);
  return {static_cast<int>(std::lround(usual_font * wide * (stacked ? 1 : panels))),
          static_cast<int>(std::lround(usual_font * cell_height * (stacked ? panels : 1)))};
}

}  // namespace lapl
