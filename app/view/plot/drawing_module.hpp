// The functions of the library lapl_drawing. It alone is linked with cairo, which brings dozens of
// libraries, and is loaded where a picture is drawn.
#pragma once

#include "app/view/plot/figure.hpp"

namespace lapl {

/// As figure.hpp has draw_figure and draw_pixels.
struct DrawingModule {
  decltype(&draw_figure) vectors;  ///< of SVG and PDF
  decltype(&draw_pixels) pixels;
};

}  // namespace lapl
