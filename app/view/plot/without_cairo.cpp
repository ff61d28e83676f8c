// Compiled in place of canvas.cpp, panel.cpp and figure.cpp where cairo was not found.
#include "app/view/plot/figure.hpp"
#include "kernels/error.hpp"

namespace lapl {

void require_drawing() {
  throw ConfigError(
      "lapl was built without cairo and cannot draw: install libcairo2-dev, then configure and "
      "build again");
}

std::string draw_figure(PictureFormat, const FigureLayout&, const std::vector<Panel>&) {
  require_drawing();
  return {};
}

std::vector<Rgb> draw_pixels(const FigureLayout&, const std::vector<Panel>&) {
  require_drawing();
  return {};
}

}  // namespace lapl
