// A field alone as a picture: small files, without axes.
#pragma once

#include <string>

#include "app/view/plot/figure.hpp"

namespace lapl {

/// PNG of the panel's pixels, one of 256 colours each, or 255 and missing_color; where the colours
/// are the 256 greys, it is a greyscale PNG. Throws IoError where libpng fails.
std::string indexed_png(const Panel& panel);

/// Greyscale PNG of a field, its first row on top: 0 is black, 1 is white, as read_png has them.
std::string grey_png(Shape shape, std::vector<double> values);

/// PNG of what draw_pixels makes, soon done rather than small. Throws IoError where libpng fails.
std::string drawn_png(PictureSize size, const std::vector<Rgb>& pixels);

}  // namespace lapl
