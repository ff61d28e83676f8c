// Draws graphs and pictures in characters.
#pragma once

#include <span>

#include "app/view/plot/figure.hpp"
#include "app/view/terminal/text_grid.hpp"
#include "io/run/run_view.hpp"

namespace lapl {

inline constexpr Rgb max_ink = 0xd75f00, mean_ink = 0x5f8700, min_ink = 0x0087d7;

/// Draws the least, largest and mean value of a field over the steps, as lines of braille dots with
/// numbers on their left. Values that are not finite are left out.
void draw_history(TextGrid& grid, TextArea area, std::span<const DiagnosticsLine> history,
                  std::size_t field);

/// Draws the values of a panel of one axis as a line of braille dots.
void draw_values(TextGrid& grid, TextArea area, const Panel& panel);

/// Draws the panel's field as large as possible, two pixels per character; in shades of block
/// characters if there are no colours.
void draw_thumbnail(TextGrid& grid, TextArea area, const Panel& panel, TerminalColors colors);

}  // namespace lapl
