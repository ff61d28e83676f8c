#include "io/plot/indexed_png.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/error.hpp"

namespace lapl {
namespace {

constexpr std::size_t levels = 255;  // and one for cells without a value

}  // namespace

std::string indexed_png(const Panel& panel) {
  std::array<png_byte, 3 * (levels + 1)> colors;
  for (std::size_t i = 0; i <= levels; ++i) {
    const double fraction = static_cast<double>(i) / static_cast<double>(levels - 1);
    const Rgb color = i < levels ? panel.colormap.color(fraction) : missing_color;
    for (std::size_t part = 0; part < 3; ++part)
      colors[3 * i + part] = static_cast<png_byte>(color >> (16 - 8 * part) & 255);
  }
  const auto rows = static_cast<std::size_t>(panel.drawn.rows);
  const auto columns = static_cast<std::size_t>(panel.drawn.columns);
  std::vector<png_byte> pixels(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t line = panel.axes.first_row_below ? rows - 1 - row : row;
    for (std::size_t column = 0; column < columns; ++column) {
      const double fraction = panel.limits.fraction(panel.pixels[row * columns + column]);
      pixels[line * columns + column] = static_cast<png_byte>(
          std::isnan(fraction) ? levels
                               : static_cast<std::size_t>(
                                     std::lround(std::clamp(fraction, 0.0, 1.0) * (levels - 1))));
    }
  }

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(columns);
  image.height = static_cast<png_uint_32>(rows);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = levels + 1;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, colors.data()) ==
      0)
    throw IoError(std::string("cannot make a PNG: ") + image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace lapl
