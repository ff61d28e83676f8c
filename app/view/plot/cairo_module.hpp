// The functions of the library lapl_cairo. It alone is linked with cairo, and is loaded where a
// picture is drawn.
#pragma once

#include "app/view/plot/figure.hpp"

namespace lapl {

/// Each as figure.hpp has it.
struct CairoModule {
  std::string (*draw_figure)(PictureFormat format, const FigureLayout& layout,
                             const std::vector<Panel>& panels);
  std::vector<Rgb> (*draw_pixels)(const FigureLayout& layout, const std::vector<Panel>& panels);
};

}  // namespace lapl
