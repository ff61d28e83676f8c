// The functions of lapl_cairo, the only library linked with cairo. It is loaded when the first
// picture is drawn.
#pragma once

#include "app/view/plot/figure.hpp"

namespace lapl {

/// Each member is documented in figure.hpp.
struct CairoModule {
  std::string (*draw_figure)(PictureFormat format, const FigureLayout& layout,
                             const std::vector<Panel>& panels, const std::string& subject);
  std::vector<Rgb> (*draw_pixels)(const FigureLayout& layout, const std::vector<Panel>& panels);
};

}  // namespace lapl
