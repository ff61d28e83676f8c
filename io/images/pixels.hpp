// Pixels and the size of pictures.
#pragma once

#include <cstdint>

namespace lapl {

/// Red, green and blue of a pixel, 0x00RRGGBB.
using Rgb = std::uint32_t;

struct PictureSize {
  int width = 0;
  int height = 0;
};

}  // namespace lapl
