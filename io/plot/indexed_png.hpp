// A field alone as a picture: small files, without axes.
#pragma once

#include <string>

#include "io/plot/figure.hpp"

namespace lapl {

/// PNG of the panel's pixels, one of 256 colours each. Throws IoError where libpng fails.
std::string indexed_png(const Panel& panel);

}  // namespace lapl
