// The functions of the library lapl_drawing. It alone is linked with cairo, which brings dozens of
// libraries, and is loaded where a picture is drawn.
#pragma once

#include "app/view/plot/figure.hpp"

namespace lapl {

/// draw_figure and draw_pixels.
struct DrawingModule {
  decltype(&draw_figure) figure;
  decltype(&draw_pixels) pixels;
};

}  // namespace lapl
