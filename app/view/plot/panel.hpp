// Draws one panel of a picture.
#pragma once

#include "app/view/plot/canvas.hpp"

namespace lapl {

/// Draws the panel: titles, field, axes, colour bar.
void draw_panel(const Canvas& canvas, const Panel& panel, const PanelLayout& layout, double font);

}  // namespace lapl
