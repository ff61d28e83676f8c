#include "app/view/plot/canvas.hpp"

#include <algorithm>

#include "kernels/error.hpp"

namespace lapl {
namespace {

constexpr Rgb ink = 0x202020;
constexpr double digit_height = 0.73;  // in units of the letter size
constexpr double superscript_size = 0.72;
constexpr double superscript_rise = 0.38;
constexpr double smallest_shrink = 0.6;

// Removes the last character, which may have several bytes (UTF-8).
void drop_last(std::string& text) {
  while (!text.empty() && (text.back() & 0xc0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

}  // namespace

void check_cairo(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw IoError(std::string("cannot draw: ") + cairo_status_to_string(status));
}

Canvas::Canvas(cairo_surface_t* surface) : cairo_(cairo_create(surface)) {
  check_cairo(status());
  cairo_set_source_rgb(cairo_.get(), 1, 1, 1);
  cairo_paint(cairo_.get());
  cairo_select_font_face(cairo_.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         CAIRO_FONT_WEIGHT_NORMAL);
  color(ink);
}

// Draws text from the current point, or only measures it if `draw` is false; returns its width.
double Canvas::show(const std::string& text, double font, bool draw) const {
  double width = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool raised = text.compare(at, 2, "^{") == 0;
    const std::size_t start = raised ? at + 2 : at;
    std::size_t end = raised ? text.find('}', start) : text.find("^{", start);
    end = std::min(end, text.size());
    const std::string part = text.substr(start, end - start);
    cairo_set_font_size(cairo_.get(), raised ? font * superscript_size : font);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_.get(), part.c_str(), &extents);
    width += extents.x_advance;
    if (draw) {
      const double rise = raised ? font * superscript_rise : 0;
      cairo_rel_move_to(cairo_.get(), 0, -rise);
      cairo_show_text(cairo_.get(), part.c_str());
      cairo_rel_move_to(cairo_.get(), 0, rise);
    }
    at = raised ? end + 1 : end;
  }
  return width;
}

void Canvas::text(const std::string& text, double x, double y, double font, Align align,
                  double room) const {
  std::string shown = text;
  double width = text_width(shown, font);
  if (room > 0 && width > room) {
    font *= std::max(smallest_shrink, room / width);
    for (std::string kept = text; !kept.empty() && text_width(shown, font) > room * 1.001;) {
      drop_last(kept);
      shown = kept + "…";
    }
    width = text_width(shown, font);
  }
  const double shift = align == Align::left ? 0 : align == Align::centre ? width / 2 : width;
  cairo_move_to(cairo_.get(), x - shift, y + digit_height / 2 * font);
  show(shown, font, true);
}

void Canvas::text_upwards(const std::string& text, double x, double y, double font,
                          double room) const {
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), x, y);
  cairo_rotate(cairo_.get(), -1.5707963267948966);
  this->text(text, 0, 0, font, Align::centre, room);
  cairo_restore(cairo_.get());
}

void Canvas::color(Rgb rgb) const {
  cairo_set_source_rgb(cairo_.get(), (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
                       (rgb & 255) / 255.0);
}

void Canvas::line(double x0, double y0, double x1, double y1) const {
  cairo_move_to(cairo_.get(), x0, y0);
  cairo_line_to(cairo_.get(), x1, y1);
  cairo_stroke(cairo_.get());
}

void Canvas::line(double x0, double y0, double x1, double y1, Rgb rgb, double width) const {
  cairo_save(cairo_.get());
  color(rgb);
  line_width(width);
  cairo_set_line_cap(cairo_.get(), CAIRO_LINE_CAP_ROUND);
  line(x0, y0, x1, y1);
  cairo_restore(cairo_.get());
}

void Canvas::segments(const Panel::Lines& lines, Rectangle box, bool upwards, double width) const {
  cairo_save(cairo_.get());
  cairo_set_line_cap(cairo_.get(), CAIRO_LINE_CAP_ROUND);
  for (const Segment& segment : lines.segments) {
    const auto y = [&](double part) { return box.y + box.height * (upwards ? 1 - part : part); };
    cairo_move_to(cairo_.get(), box.x + box.width * segment.x0, y(segment.y0));
    cairo_line_to(cairo_.get(), box.x + box.width * segment.x1, y(segment.y1));
  }
  const bool pale = (lines.color >> 8 & 255) > 160;
  for (const bool edge : {true, false}) {
    color(edge ? (pale ? ink : 0xffffff) : lines.color);
    line_width(edge ? 2 * width : width);
    cairo_stroke_preserve(cairo_.get());
  }
  cairo_new_path(cairo_.get());
  cairo_restore(cairo_.get());
}

void Canvas::frame(Rectangle rectangle) const {
  cairo_rectangle(cairo_.get(), rectangle.x, rectangle.y, rectangle.width, rectangle.height);
  cairo_stroke(cairo_.get());
}

void Canvas::triangle(double x0, double y0, double x1, double y1, double x2, double y2,
                      Rgb rgb) const {
  cairo_move_to(cairo_.get(), x0, y0);
  cairo_line_to(cairo_.get(), x1, y1);
  cairo_line_to(cairo_.get(), x2, y2);
  cairo_close_path(cairo_.get());
  color(rgb);
  cairo_fill_preserve(cairo_.get());
  color(ink);
  cairo_stroke(cairo_.get());
}

void Canvas::image(std::vector<Rgb> pixels, Shape size, Rectangle rectangle) const {
  const int width = static_cast<int>(size.columns), height = static_cast<int>(size.rows);
  const CairoSurface picture(cairo_image_surface_create_for_data(
      reinterpret_cast<unsigned char*>(pixels.data()), CAIRO_FORMAT_RGB24, width, height,
      cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, width)));
  check_cairo(cairo_surface_status(picture.get()));
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), rectangle.x, rectangle.y);
  cairo_scale(cairo_.get(), rectangle.width / width, rectangle.height / height);
  cairo_set_source_surface(cairo_.get(), picture.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo_.get()), CAIRO_FILTER_NEAREST);
  cairo_rectangle(cairo_.get(), 0, 0, width, height);
  cairo_fill(cairo_.get());
  cairo_restore(cairo_.get());
  color(ink);
}

}  // namespace lapl
