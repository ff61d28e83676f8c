// Draws figures with cairo; part of the library lapl_cairo.
#include <cairo-pdf.h>
#include <cairo-svg.h>

#include <algorithm>
#include <cmath>

#include "app/view/plot/cairo_module.hpp"
#include "app/view/plot/canvas.hpp"
#include "app/view/plot/ticks.hpp"

namespace lapl {
namespace {

using Align = Canvas::Align;

// Lengths in units of the letter size; `mark` is that of a tick mark.
constexpr double mark = 0.35;
constexpr double gap = 0.3;
constexpr double triangle_height = 0.8;
constexpr double number_height = 1.25;
constexpr double space = 0.7;  // between neighbouring numbers
constexpr int most_numbers = 7;

/// The middle of the pixel at `place`, where thin lines are sharp.
double crisp(double place) { return std::floor(place) + 0.5; }

/// As many ticks as fit without overlapping labels. `length`: pixels of the axis; `range`: pixels
/// between its low and its high end. `make_ticks(n)` returns at most n ticks.
template <class TicksOf>
Ticks ticks_with_room(const Canvas& canvas, bool across, double font, double length, double range,
                      TicksOf make_ticks) {
  int most = std::clamp(static_cast<int>(range / ((across ? 3 : 1.4) * font)), 1, most_numbers);
  for (;; --most) {
    Ticks ticks = make_ticks(most);
    bool apart = true;
    const Tick* before = nullptr;
    for (const Tick& b : ticks.ticks) {
      if (b.label.empty()) continue;
      const Tick& a = before ? *before : b;
      const double needed =
          across ? (canvas.text_width(a.label, font) + canvas.text_width(b.label, font)) / 2 +
                       space * font
                 : number_height * font;
      apart = apart && (!before || (b.fraction - a.fraction) * length >= needed);
      before = &b;
    }
    if (apart || most == 1) return ticks;
  }
}

/// The length of a tick mark.
double mark_length(const Tick& tick, double font) {
  return (tick.label.empty() ? mark / 2 : mark) * font;
}

Ticks axis_ticks(const Canvas& canvas, std::int64_t cells, const PlotAxis& axis, bool across,
                 double font, double length) {
  const double range = length * static_cast<double>(cells - 1) / static_cast<double>(cells);
  return ticks_with_room(canvas, across, font, length, range, [&](int most) {
    return cell_ticks(cells, axis.spacing, most, axis.origin);
  });
}

void draw_across(const Canvas& canvas, const Panel& panel, const PanelLayout& layout, double font) {
  const Rectangle& box = layout.box;
  const double end = box.y + box.height;
  const auto values = [&](int most) {
    return round_ticks(panel.across->low, panel.across->high, most);
  };
  const Ticks x =
      panel.across ? ticks_with_room(canvas, true, font, box.width, box.width, values)
                   : axis_ticks(canvas, panel.shape.columns, panel.axes.x, true, font, box.width);
  for (const Tick& tick : x.ticks) {
    const double at = box.x + tick.fraction * box.width;
    canvas.line(crisp(at), end, crisp(at), end + mark * font);
    canvas.text(tick.label, at, end + (mark + gap + 0.5) * font, font, Align::centre);
  }
  const double room = std::min(std::max(box.width, 9 * font), layout.cell.width);
  canvas.text(axis_title(panel.axes.x.name, panel.axes.unit(panel.axes.x), x),
              box.x + box.width / 2, end + (mark + gap + 2.1) * font, font, Align::centre, room);
}

void draw_upwards(const Canvas& canvas, const Panel& panel, const PanelLayout& layout,
                  double font) {
  const Rectangle& box = layout.box;
  const double end = box.y + box.height;
  const auto values = [&](int most) {
    return value_ticks(panel.scale, panel.limits.low, panel.limits.high, most);
  };
  const Ticks y = panel.line
                      ? ticks_with_room(canvas, false, font, box.height, box.height, values)
                      : axis_ticks(canvas, panel.shape.rows, panel.axes.y, false, font, box.height);
  const bool upwards = panel.line || panel.axes.first_row_below;
  double widest = 0;
  for (const Tick& tick : y.ticks) {
    widest = std::max(widest, canvas.text_width(tick.label, font));
    const double from_first = tick.fraction * box.height;
    const double at = upwards ? end - from_first : box.y + from_first;
    canvas.line(box.x - mark_length(tick, font), crisp(at), box.x, crisp(at));
    canvas.text(tick.label, box.x - (mark + gap) * font, at, font, Align::right);
  }
  // The title of a graph names the quantity; its y axis shows only the common factor and unit.
  const std::string title = panel.line
                                ? y.common_text(panel.unit)
                                : axis_title(panel.axes.y.name, panel.axes.unit(panel.axes.y), y);
  canvas.text_upwards(title, box.x - (mark + gap + 1.15) * font - widest, box.y + box.height / 2,
                      font, box.height + 3 * font);
}

void draw_axes(const Canvas& canvas, const Panel& panel, const PanelLayout& layout, double font) {
  const Rectangle& box = layout.box;
  if (layout.numbers_across) draw_across(canvas, panel, layout, font);
  if (layout.numbers_upwards) draw_upwards(canvas, panel, layout, font);
  canvas.frame({crisp(box.x) - 1, crisp(box.y) - 1, box.width + 1, box.height + 1});
}

/// Where a value of a graph lies in its box: 0 at the left side, 1 at the right one.
double place(const Panel& panel, const Panel::Graph& graph, std::size_t i) {
  if (!graph.places.empty()) return panel.across->fraction(graph.places[i]);
  return (static_cast<double>(i) + 0.5) / static_cast<double>(graph.values.size());
}

/// Draws lines between the values, with gaps at those that are not finite. Lines are clipped at the
/// limits.
void draw_graph(const Canvas& canvas, const Panel& panel, const Panel::Graph& graph, Rgb color,
                const Rectangle& box, double font) {
  const std::size_t count = graph.values.size();
  const auto fraction = [&](std::size_t i) { return panel.limits.fraction(graph.values[i]); };
  for (std::size_t i = 0; i < std::max<std::size_t>(count - 1, 1); ++i) {
    const bool single = count == 1;  // one value: a line as wide as the box
    const double a = fraction(i), b = fraction(single ? i : i + 1);
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    // Clips the segment from a to b to the limits.
    const double slope = b - a;
    double first = 0, last = 1;
    if (slope == 0) {
      if (a < 0 || a > 1) continue;
    } else {
      first = std::max(0.0, std::min(-a / slope, (1 - a) / slope));
      last = std::min(1.0, std::max(-a / slope, (1 - a) / slope));
      if (first >= last) continue;
    }
    const double from = single ? 0 : place(panel, graph, i);
    const double to = single ? 1 : place(panel, graph, i + 1);
    const auto x = [&](double part) { return box.x + (from + part * (to - from)) * box.width; };
    const auto y = [&](double part) { return box.y + box.height * (1 - a - part * slope); };
    canvas.line(x(first), y(first), x(last), y(last), color, std::max(1.5, font / 8));
  }
}

/// The upper left corner of a legend of this size: in the corner of the box with the fewest nodes
/// of graphs behind it.
std::pair<double, double> legend_corner(const Panel& panel, const Rectangle& box, double width,
                                        double height) {
  const auto behind = [&](double left, double top) {
    std::size_t nodes = 0;
    for (const Panel::Graph& graph : panel.graphs)
      for (std::size_t i = 0; i < graph.values.size(); ++i) {
        const double x = box.x + box.width * place(panel, graph, i);
        const double y = box.y + box.height * (1 - panel.limits.fraction(graph.values[i]));
        nodes += x >= left && x <= left + width && y >= top && y <= top + height ? 1 : 0;
      }
    return nodes;
  };
  const double right = box.x + box.width - width, below = box.y + box.height - height;
  return std::ranges::min({std::pair{right, box.y}, {box.x, box.y}, {right, below}, {box.x, below}},
                          {},
                          [&](const auto& corner) { return behind(corner.first, corner.second); });
}

/// Draws the graphs of a panel from light to dark, and their legend.
void draw_graphs(const Canvas& canvas, const Panel& panel, const Rectangle& box, double font) {
  if (panel.graphs.size() < 2)
    return draw_graph(canvas, panel,
                      panel.graphs.empty() ? Panel::Graph{"", panel.pixels} : panel.graphs.front(),
                      panel.colormap.color(0.3), box, font);
  const auto last = static_cast<double>(panel.graphs.size() - 1);
  double widest = 0;
  for (const Panel::Graph& graph : panel.graphs)
    widest = std::max(widest, canvas.text_width(graph.label, font));
  const double height = (1.4 * static_cast<double>(panel.graphs.size()) + 0.8) * font;
  const auto [left, top] = legend_corner(panel, box, widest + 4.2 * font, height);
  for (std::size_t i = 0; i < panel.graphs.size(); ++i) {
    const Rgb color = panel.colormap.color(0.85 - 0.8 * static_cast<double>(i) / last);
    draw_graph(canvas, panel, panel.graphs[i], color, box, font);
    const double y = top + (1.1 + 1.4 * static_cast<double>(i)) * font;
    canvas.line(left + 0.8 * font, y, left + 2.8 * font, y, color, std::max(1.5, font / 8));
    canvas.text(panel.graphs[i].label, left + 3.4 * font, y, font, Align::left);
  }
}

void draw_field(const Canvas& canvas, const Panel& panel, const PanelLayout& layout, double width) {
  std::vector<Rgb> pixels(panel.pixels.size());
  const auto rows = static_cast<std::size_t>(panel.drawn.rows);
  const auto columns = static_cast<std::size_t>(panel.drawn.columns);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t line = panel.axes.first_row_below ? rows - 1 - row : row;
    for (std::size_t column = 0; column < columns; ++column)
      pixels[line * columns + column] =
          panel.colormap.color(panel.limits.fraction(panel.pixels[row * columns + column]));
  }
  if (panel.surface)
    for (std::size_t i = 0; i < pixels.size(); ++i)
      if (std::isnan(panel.pixels[i])) pixels[i] = 0xffffff;
  canvas.image(std::move(pixels), panel.drawn, layout.box);
  for (const Panel::Lines& lines : panel.lines)
    canvas.segments(lines, layout.box, panel.axes.first_row_below, width);
  for (const Panel::Name& name : panel.names)
    canvas.text(name.text, layout.box.x + name.x * layout.box.width,
                layout.box.y + name.y * layout.box.height, 11 * width, Align::centre);
}

/// Draws the colours of the bar, without the triangles that stand for values beyond its ends.
void draw_bar_colors(const Canvas& canvas, const Colormap& colormap, const Rectangle& bar,
                     bool across) {
  constexpr std::int64_t count = 512;
  std::vector<Rgb> colors(count);
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const double fraction = (static_cast<double>(i) + 0.5) / count;
    colors[i] = colormap.color(across ? fraction : 1 - fraction);
  }
  canvas.image(std::move(colors), across ? Shape{1, count} : Shape{count, 1}, bar);
  canvas.frame({crisp(bar.x), crisp(bar.y), bar.width - 1, bar.height - 1});
}

/// Draws a vertical or horizontal bar. `along` is the coordinate along it, `side` the other.
void draw_bar(const Canvas& canvas, const Panel& panel, const PanelLayout& layout, double font) {
  const bool across = layout.bar_below;
  Rectangle bar = layout.bar;
  double &along = across ? bar.x : bar.y, &length = across ? bar.width : bar.height;
  double &side = across ? bar.y : bar.x, &thickness = across ? bar.height : bar.width;
  side = std::round(side);
  thickness = std::round(thickness);
  const double other_side = side + thickness, tip = std::round(triangle_height * font);
  const auto triangle = [&](double base, double point, Rgb color) {
    const double left = crisp(side), middle = side + thickness / 2, right = other_side - 0.5;
    if (across)
      canvas.triangle(base, left, point, middle, base, right, color);
    else
      canvas.triangle(left, base, middle, point, right, base, color);
  };
  const auto is_below = [&](double value) { return value < panel.limits.low; };
  const auto is_above = [&](double value) { return value > panel.limits.high; };
  const bool room_for_both = across || length >= 6 * tip;
  const bool some_below = room_for_both && std::ranges::any_of(panel.pixels, is_below);
  const bool some_above = room_for_both && std::ranges::any_of(panel.pixels, is_above);
  // A horizontal bar begins with its low end, a vertical one with its high end.
  if (across ? some_below : some_above) {
    triangle(along + tip, along, panel.colormap.color(across ? 0 : 1));
    along += tip;
    length -= tip;
  }
  if (across ? some_above : some_below) {
    length -= tip;
    triangle(along + length, along + length + tip, panel.colormap.color(across ? 1 : 0));
  }
  draw_bar_colors(canvas, panel.colormap, bar, across);

  for (const double value : panel.bar_marks) {
    const double shown = panel.scale == Scale::logarithmic ? std::log10(value) : value;
    const double part = panel.limits.fraction(shown), at = across ? part : 1 - part;
    if (!(part >= 0 && part <= 1)) continue;
    const Segment mark_in_bar = across ? Segment{at, 0, at, 1} : Segment{0, at, 1, at};
    canvas.segments({{mark_in_bar}, panel.lines.front().color}, bar, false, font / 11);
  }

  const Ticks ticks = ticks_with_room(canvas, across, font, length, length, [&](int most) {
    return value_ticks(panel.scale, panel.limits.low, panel.limits.high, most);
  });
  const std::string common = ticks.common_text(panel.unit);
  const double start = other_side + (mark + gap) * font;
  const double cell_end = layout.cell.x + layout.cell.width - 0.3 * font;
  for (const Tick& tick : ticks.ticks) {
    const double at = along + length * (across ? tick.fraction : 1 - tick.fraction);
    if (across) {
      canvas.line(crisp(at), other_side, crisp(at), other_side + mark_length(tick, font));
      canvas.text(tick.label, at, start + 0.5 * font, font, Align::centre);
    } else {
      canvas.line(other_side, crisp(at), other_side + mark_length(tick, font), crisp(at));
      canvas.text(tick.label, start, at, font, Align::left, cell_end - start);
    }
  }
  if (across) {
    canvas.text(common, layout.bar.x + layout.bar.width, bar.y - 0.8 * font, font, Align::right,
                layout.bar.width);
    return;
  }
  // The common factor is above the bar; a long text ends at the edge of the cell.
  const double width = canvas.text_width(common, font);
  canvas.text(common, std::max(layout.cell.x + 0.3 * font, std::min(bar.x, cell_end - width)),
              layout.bar.y - font, font, Align::left, layout.cell.width - 0.6 * font);
}

// Draws the titles, field, axes and colour bar of a panel.
void draw_panel(const Canvas& canvas, const Panel& panel, const PanelLayout& layout, double font) {
  const Rectangle &cell = layout.cell, &box = layout.box;
  canvas.line_width(std::max(1.0, std::round(font / 13)));
  if (panel.pixels.empty())  // there is nothing to draw: the title says why
    canvas.text(panel.title, box.x + box.width / 2, box.y + box.height / 2, font, Align::centre,
                box.width);
  else if (panel.line)
    draw_graphs(canvas, panel, box, font);
  else
    draw_field(canvas, panel, layout, font / 11);
  draw_axes(canvas, panel, layout, font);
  if (layout.bar.width > 0 && !panel.line) draw_bar(canvas, panel, layout, font);

  // Centred over the box, shifted if the edge of the cell would cut it off.
  const double room = cell.width - 1.2 * font;
  const auto title = [&](const std::string& text, double y, double size) {
    const double half = std::min(canvas.text_width(text, size), room) / 2;
    const double middle = std::clamp(box.x + box.width / 2, cell.x + 0.6 * font + half,
                                     cell.x + cell.width - 0.6 * font - half + 1e-6);
    canvas.text(text, middle, y, size, Align::centre, room);
  };
  if (layout.in_sheet)
    return canvas.text(panel.subtitle, box.x + box.width / 2, box.y - 0.75 * font, font,
                       Align::centre, box.width);
  title(panel.title, box.y - 4.1 * font, 1.2 * font);
  title(panel.subtitle, box.y - 2.6 * font, font);
}

cairo_status_t append(void* text, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

void draw(const CairoSurface& surface, const FigureLayout& layout,
          const std::vector<Panel>& panels) {
  check_cairo(cairo_surface_status(surface.get()));
  const Canvas canvas(surface.get());
  for (std::size_t i = 0; i < panels.size(); ++i)
    draw_panel(canvas, panels[i], layout.panels[i], layout.font);
  for (const FigureText& text : layout.texts)
    if (text.upwards)
      canvas.text_upwards(text.text, text.x, text.y, text.size * layout.font, text.room);
    else
      canvas.text(text.text, text.x, text.y, text.size * layout.font,
                  text.to_the_left ? Align::right : Align::centre, text.room);
  check_cairo(canvas.status());
}

std::string figure(PictureFormat format, const FigureLayout& layout,
                   const std::vector<Panel>& panels, const std::string& subject) {
  std::string bytes;
  const auto create = format == PictureFormat::svg ? cairo_svg_surface_create_for_stream
                                                   : cairo_pdf_surface_create_for_stream;
  const CairoSurface surface(create(append, &bytes, layout.size.width, layout.size.height));
  if (format == PictureFormat::pdf) {
    // without the time of day, equal figures are equal files
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_SUBJECT, subject.c_str());
  }
  draw(surface, layout, panels);
  cairo_surface_finish(surface.get());
  check_cairo(cairo_surface_status(surface.get()));
  return bytes;
}

std::vector<Rgb> figure_pixels(const FigureLayout& layout, const std::vector<Panel>& panels) {
  const CairoSurface surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, layout.size.width, layout.size.height));
  draw(surface, layout, panels);
  cairo_surface_flush(surface.get());
  // Rows of 32-bit pixels have no padding.
  const auto* pixels = reinterpret_cast<const Rgb*>(cairo_image_surface_get_data(surface.get()));
  return {pixels, pixels + std::int64_t{layout.size.width} * layout.size.height};
}

}  // namespace
}  // namespace lapl

extern "C" const lapl::CairoModule lapl_cairo;
const lapl::CairoModule lapl_cairo = {lapl::figure, lapl::figure_pixels};
