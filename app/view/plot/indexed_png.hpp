// Pictures of a field without axes, in small files.
#pragma once

#include <string>

#include "app/view/plot/figure.hpp"

namespace lapl {

/// PNG of the panel's pixels with 256 colours, or with 255 and missing_color; a greyscale PNG if
/// the colours are the 256 greys. Throws IoError if libpng fails.
std::string indexed_png(const Panel& panel);

/// Greyscale PNG of a field, its first row on top: 0 is black, 1 is white, as read_png has them.
std::string grey_png(Shape shape, std::vector<double> values);

/// PNG of the pixels of draw_pixels, compressed fast. Throws IoError if libpng fails.
std::string drawn_png(PictureSize size, const std::vector<Rgb>& pixels);

}  // namespace lapl
