// A drawing surface of cairo: frees cairo's objects and checks its errors. Lengths are in pixels,
// or in points for SVG and PDF.
#pragma once

#include <cairo.h>

#include <memory>
#include <string>
#include <vector>

#include "app/view/plot/colormap.hpp"
#include "app/view/plot/figure.hpp"

namespace lapl {

struct CairoDeleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using CairoSurface = std::unique_ptr<cairo_surface_t, CairoDeleter>;

/// Throws IoError "cannot draw: reason" unless the status is success.
void check_cairo(cairo_status_t status);

/// Draws in black on white.
class Canvas {
 public:
  enum class Align { left, centre, right };

  explicit Canvas(cairo_surface_t* surface);

  /// Width of a line of text; ^{...} in it is a superscript.
  double text_width(const std::string& text, double font) const { return show(text, font, false); }

  /// Draws a line of text; `y` is the middle of its digits. If `room` is given, letters shrink to
  /// fit into this width, but not below 60%; a longer text is cut and ends in dots.
  void text(const std::string& text, double x, double y, double font, Align align,
            double room = 0) const;
  /// Draws text upwards, centred at x and y.
  void text_upwards(const std::string& text, double x, double y, double font, double room) const;

  void color(Rgb rgb) const;
  void line(double x0, double y0, double x1, double y1) const;
  /// Draws a line in this colour and width.
  void line(double x0, double y0, double x1, double y1, Rgb rgb, double width) const;
  /// Draws segments over `box`, with the first row below if `upwards`, in a pale or dark edge that
  /// sets them off from any colour.
  void segments(const Panel::Lines& lines, Rectangle box, bool upwards, double width) const;
  void frame(Rectangle rectangle) const;
  void triangle(double x0, double y0, double x1, double y1, double x2, double y2, Rgb rgb) const;

  /// Draws pixels, `size.rows` x `size.columns` from the top, stretched over `rectangle` without
  /// smoothing.
  void image(std::vector<Rgb> pixels, Shape size, Rectangle rectangle) const;

  void line_width(double width) const { cairo_set_line_width(cairo_.get(), width); }
  cairo_status_t status() const { return cairo_status(cairo_.get()); }

 private:
  double show(const std::string& text, double font, bool draw) const;

  std::unique_ptr<cairo_t, CairoDeleter> cairo_;
};

}  // namespace lapl
