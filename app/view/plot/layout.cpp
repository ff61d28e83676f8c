#include "app/view/plot/layout.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/error.hpp"

namespace lapl {
namespace {

// Lengths in units of the letter size. A digit is 0.64 wide, a label has at most six digits.
constexpr double left_margin = 5.6;    // y title, numbers, marks
constexpr double top_margin = 5.2;     // title, subtitle, common factor of the bar's numbers
constexpr double bottom_margin = 3.8;  // marks, numbers, x title
constexpr double right_margin = 7.4;   // gap, bar, marks, numbers
constexpr double right_no_bar = 2;     // half of the last number on x
constexpr double bar_gap = 0.9;
constexpr double bar_width = 1.1;
constexpr double below = 4.6;  // a bar below: common factor, bar, marks, numbers
constexpr double thinnest_box = 2;
constexpr double flat_box = 9;  // a box of less height has no room for the bar's numbers
constexpr double usual_box = 28;
constexpr double usual_font = 13;
constexpr double smallest_font = 6;
constexpr double smallest_width = 20, smallest_height = 13;  // least size of a cell

double font_for(double width, double height) {
  return std::max(smallest_font, std::min({std::sqrt(width * height) / 38, width / smallest_width,
                                           height / smallest_height}));
}

Rectangle fitted(double width, double height, double thinnest, Extent extent) {
  const double scale = std::min(width / extent.columns, height / extent.rows);
  Rectangle box;
  box.width = std::floor(std::clamp(extent.columns * scale, std::min(thinnest, width), width));
  box.height = std::floor(std::clamp(extent.rows * scale, std::min(thinnest, height), height));
  return box;
}

PanelLayout panel_layout(Rectangle cell, double font, Extent extent) {
  PanelLayout panel;
  panel.cell = cell;
  const double height = cell.height - (top_margin + bottom_margin) * font;
  panel.box =
      fitted(cell.width - (left_margin + right_margin) * font, height, thinnest_box * font, extent);
  double used_below = bottom_margin, used_right = right_margin;
  if (panel.box.height < flat_box * font) {
    const Rectangle box = fitted(cell.width - (left_margin + right_no_bar) * font,
                                 height - below * font, thinnest_box * font, extent);
    // A box that is also narrow has no room for the numbers below it either.
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

[[noreturn]] void throw_no_room(PictureSize size, int beside, int rows) {
  const int panels = beside * rows;
  throw ConfigError("a picture of {} x {} pixels has no room for {} panel{} (at least {} x {})",
                    size.width, size.height, panels, panels == 1 ? "" : "s",
                    beside * smallest_width * smallest_font,
                    rows * smallest_height * smallest_font);
}

double shown_area(const FigureLayout& layout) {
  const Rectangle& box = layout.panels.front().box;
  return box.width * box.height;
}

}  // namespace

FigureLayout figure_layout(PictureSize size, int panels, Extent extent, int asked_rows) {
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
          {width * (i % columns), height * (i / columns), width, height}, layout.font, extent));
    if (best.panels.empty() || shown_area(layout) > shown_area(best)) best = std::move(layout);
  }
  if (best.panels.empty()) throw_no_room(size, panels, 1);
  return best;
}

PictureSize default_size(int panels, Extent extent, int rows) {
  if (rows > 1) {  // `rows` times the height of one row
    const PictureSize row = default_size(1, extent);
    return {row.width * (panels / rows), row.height * rows};
  }
  const double ratio = extent.columns / extent.rows;
  const bool stacked = ratio > 2 && panels > 1;
  const double longest = usual_box * (stacked || panels == 1 ? 1.6 : 1);
  const double width = std::max(longest * std::min(1.0, ratio), thinnest_box);
  const double height = std::max(longest * std::min(1.0, 1 / ratio), thinnest_box);
  const bool flat = height < flat_box;
  const double cell_width =
      std::max(width, flat_box) + left_margin + (flat ? right_no_bar : right_margin);
  const double cell_height = height + top_margin + bottom_margin + (flat ? below : 0);
  // Titles next to each other need room too.
  const double wide = std::max(cell_width, 22.0);
  return {static_cast<int>(std::lround(usual_font * wide * (stacked ? 1 : panels))),
          static_cast<int>(std::lround(usual_font * cell_height * (stacked ? panels : 1)))};
}

FigureLayout slices_layout(PictureSize size, const std::vector<Extent>& beside, int rows) {
  const auto count = static_cast<double>(beside.size());
  const double cell_height = static_cast<double>(size.height) / rows;
  const double font = font_for(size.width / count, cell_height);
  if (size.width < count * smallest_width * smallest_font ||
      cell_height < smallest_height * smallest_font)
    throw_no_room(size, static_cast<int>(beside.size()), rows);
  const double bar = (right_margin - right_no_bar) * font, thinnest = thinnest_box * font;
  const double width = size.width - bar - count * (left_margin + right_no_bar) * font;
  const double height = cell_height - (top_margin + bottom_margin) * font;
  double columns = 0, tallest = 0;
  for (const Extent& extent : beside) {
    columns += extent.columns;
    tallest = std::max(tallest, extent.rows);
  }
  // Thin boxes get the least width; the remaining boxes shrink so that all fit.
  double scale = std::min(width / columns, height / tallest), used = 0;
  const auto box_width_with_axis = [&](const Extent& extent) {
    return std::floor(std::max(extent.columns * scale, thinnest));
  };
  const auto all_widths = [&] {
    double sum = 0;
    for (const Extent& extent : beside) sum += box_width_with_axis(extent);
    return sum;
  };
  while ((used = all_widths()) > width && scale * columns > 1) scale *= 0.98;
  const double longest = std::min(std::max(std::floor(tallest * scale), flat_box * font), height);
  const double free = std::max(width - used, 0.0) / count;

  FigureLayout layout{size, font, {}};
  for (int row = 0; row < rows; ++row) {
    double x = 0;
    for (const Extent& extent : beside) {
      const bool last = &extent == &beside.back();
      PanelLayout& panel = layout.panels.emplace_back();
      const double box_width = box_width_with_axis(extent);
      panel.cell = {x, row * cell_height,
                    box_width + free + (left_margin + right_no_bar) * font + (last ? bar : 0),
                    cell_height};
      panel.box = {std::round(x + left_margin * font + free / 2), 0, box_width,
                   std::floor(std::clamp(extent.rows * scale, std::min(thinnest, height), height))};
      const double end = std::round(panel.cell.y + top_margin * font + height / 2 + longest / 2);
      panel.box.y = end - panel.box.height;
      if (last)
        panel.bar = {panel.box.x + box_width + bar_gap * font, end - longest, bar_width * font,
                     longest};
      x += panel.cell.width;
    }
  }
  return layout;
}

PictureSize slices_size(const std::vector<Extent>& beside, int rows) {
  double longest = 0, tallest = 0, width = right_margin - right_no_bar;
  for (const Extent& extent : beside) {
    longest = std::max({longest, extent.rows, extent.columns});
    tallest = std::max(tallest, extent.rows);
  }
  const double scale = usual_box / longest;
  for (const Extent& extent : beside)
    width += std::max(extent.columns * scale, flat_box) + left_margin + right_no_bar;
  const double height = std::max(tallest * scale, flat_box) + top_margin + bottom_margin;
  return {static_cast<int>(std::lround(usual_font * width)),
          static_cast<int>(std::lround(usual_font * height)) * rows};
}

FigureLayout sheet_layout(std::optional<PictureSize> size, const SheetTexts& texts,
                          const std::vector<Extent>& panels) {
  constexpr double letter = 0.62, label_height = 1.5, box_gap = 0.6;
  constexpr double whole_sheet = 1600, smallest_box = 48, largest_box = 280, least_box = 8;
  const auto columns = static_cast<double>(texts.columns.size());
  const auto rows = static_cast<double>(texts.rows.size());
  Extent box{0, 0};  // around all panels, whose longer sides are 1
  for (const Extent& each : panels) {
    const double longest = std::max(each.rows, each.columns);
    box.rows = std::max(box.rows, each.rows / longest);
    box.columns = std::max(box.columns, each.columns / longest);
  }
  double widest = 0;
  for (const std::string& row : texts.rows)
    widest = std::max(widest, std::min(letter * static_cast<double>(row.size()), 12.0));
  double font = usual_font;
  const double labels = texts.upwards.empty() ? 0 : widest + 2.6;
  const double left = labels + (texts.numbers ? left_margin : 1);
  const double top =
      2.6 + (texts.across.empty() ? 0 : 2 * label_height) + (texts.subtitles ? 0 : 0.5);
  const double right = texts.bar ? right_margin : right_no_bar;
  const double bottom = texts.numbers ? bottom_margin : 1;
  const double above = texts.subtitles ? label_height : 0;  // each box
  if (size)
    font = std::clamp(std::sqrt(1.0 * size->width * size->height) / 70, smallest_font, usual_font);
  double side = std::clamp(whole_sheet / std::max(columns, rows), smallest_box, largest_box);
  const auto whole = [&](double of_side) {
    return std::pair((left + right + (columns - 1) * box_gap) * font +
                         columns * std::floor(of_side * box.columns),
                     (top + bottom + (rows - 1) * box_gap + rows * above) * font +
                         rows * std::floor(of_side * box.rows));
  };
  if (size) {
    const auto [width, height] = whole(0);
    side = std::min((size->width - width) / (columns * box.columns),
                    (size->height - height) / (rows * box.rows));
    if (side < least_box) throw_no_room(*size, static_cast<int>(columns), static_cast<int>(rows));
  }
  const auto [width, height] = whole(side);
  FigureLayout layout{size.value_or(PictureSize{static_cast<int>(std::ceil(width)),
                                                static_cast<int>(std::ceil(height))}),
                      font,
                      {}};
  const double box_width = std::floor(side * box.columns), box_height = std::floor(side * box.rows);
  const double x0 = left * font + std::max((layout.size.width - width) / 2, 0.0);
  const double y0 = top * font + std::max((layout.size.height - height) / 2, 0.0);
  const auto x_at = [&](double column) {
    return std::round(x0 + column * (box_width + box_gap * font));
  };
  const auto y_at = [&](double row) {
    return std::round(y0 + row * (box_height + (box_gap + above) * font) + above * font);
  };
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const auto row = std::floor(static_cast<double>(i) / columns);
    const double column = static_cast<double>(i) - row * columns;
    PanelLayout& panel = layout.panels.emplace_back();
    panel.box = fitted(box_width, box_height, 1, panels[i]);
    panel.box.x = x_at(column) + std::floor((box_width - panel.box.width) / 2);
    panel.box.y = y_at(row) + std::floor((box_height - panel.box.height) / 2);
    panel.cell = {x_at(column), y_at(row), box_width, box_height};
    panel.in_sheet = true;
    panel.numbers_upwards = texts.numbers && column == 0;
    panel.numbers_across = texts.numbers && i + texts.columns.size() >= panels.size();
  }
  const double end_x = x_at(columns - 1) + box_width, end_y = y_at(rows - 1) + box_height;
  if (texts.bar) {
    const double longest = std::min(end_y - y_at(0), usual_box * font);
    layout.panels.back().bar = {end_x + bar_gap * font, (y_at(0) + end_y - longest) / 2,
                                bar_width * font, longest};
    // room for the bar's numbers
    layout.panels.back().cell.width = layout.size.width - layout.panels.back().cell.x;
  }
  const double middle = (x_at(0) + end_x) / 2, head = y0 - (top - 1.3) * font;
  layout.texts.push_back({texts.title, middle, head, layout.size.width - 2 * font, 1.2});
  if (!texts.across.empty()) {
    layout.texts.push_back({texts.across, middle, head + 1.9 * font, end_x - x_at(0)});
    for (std::size_t i = 0; i < texts.columns.size(); ++i)
      layout.texts.push_back({texts.columns[i], x_at(static_cast<double>(i)) + box_width / 2,
                              head + (1.9 + label_height) * font, box_width});
  }
  if (!texts.upwards.empty()) {
    const double labels_end = x0 - (texts.numbers ? left_margin : 0.6) * font;
    for (std::size_t i = 0; i < texts.rows.size(); ++i)
      layout.texts.push_back({texts.rows[i], labels_end,
                              y_at(static_cast<double>(i)) + box_height / 2, widest * font, 1,
                              true});
    layout.texts.push_back({texts.upwards, labels_end - (widest + 1.2) * font,
                            (y_at(0) + end_y) / 2, end_y - y_at(0), 1, false, true});
  }
  return layout;
}

}  // namespace lapl
