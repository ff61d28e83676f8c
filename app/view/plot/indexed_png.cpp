#include "app/view/plot/indexed_png.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/error.hpp"

namespace lapl {
namespace {

png_image picture(std::size_t columns, std::size_t rows, png_uint_32 format) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(columns);
  image.height = static_cast<png_uint_32>(rows);
  image.format = format;
  return image;
}

std::string encoded(png_image image, const png_byte* pixels, const png_byte* colors) {
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels, 0, colors) == 0)
    throw IoError(std::string("cannot make a PNG: ") + image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::string indexed_png(const Panel& panel) {
  // The last entry is for cells without a finite value, if there are any.
  constexpr std::size_t entries = 256;
  const bool missing =
      std::ranges::any_of(panel.pixels, [](double value) { return std::isnan(value); });
  const std::size_t levels = missing ? entries - 1 : entries;
  std::array<png_byte, 3 * entries> colors;
  bool grey = !missing;
  for (std::size_t i = 0; i < entries; ++i) {
    const double fraction = static_cast<double>(i) / static_cast<double>(levels - 1);
    const Rgb color = i < levels ? panel.colormap.color(fraction) : missing_color;
    for (std::size_t part = 0; part < 3; ++part) {
      colors[3 * i + part] = static_cast<png_byte>(color >> (16 - 8 * part) & 255);
      grey = grey && colors[3 * i + part] == i;
    }
  }
  const auto rows = static_cast<std::size_t>(panel.drawn.rows);
  const auto columns = static_cast<std::size_t>(panel.drawn.columns);
  std::vector<png_byte> pixels(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t line = panel.axes.first_row_below ? rows - 1 - row : row;
    for (std::size_t column = 0; column < columns; ++column) {
      const double fraction = panel.limits.fraction(panel.pixels[row * columns + column]);
      pixels[line * columns + column] = static_cast<png_byte>(
          std::isnan(fraction)
              ? levels
              : static_cast<std::size_t>(
                    std::lround(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(levels - 1))));
    }
  }

  png_image image = picture(columns, rows, grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB_COLORMAP);
  image.colormap_entries = grey ? 0 : entries;
  return encoded(image, pixels.data(), grey ? nullptr : colors.data());
}

std::string grey_png(Shape shape, std::vector<double> values) {
  const PlotAxes axes{.first_row_below = false};
  return indexed_png(
      {"", "", shape, shape, std::move(values), {0, 1}, colormap_named("gray"), axes});
}

std::string drawn_png(PictureSize size, const std::vector<Rgb>& pixels) {
  std::vector<png_byte> bytes(3 * pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i)
    for (std::size_t part = 0; part < 3; ++part)
      bytes[3 * i + part] = static_cast<png_byte>(pixels[i] >> (16 - 8 * part) & 255);
  png_image image = picture(size.width, size.height, PNG_FORMAT_RGB);
  // Choosing a filter for each row would take longer than drawing, and saves little space.
  image.flags = PNG_IMAGE_FLAG_FAST;
  return encoded(image, bytes.data(), nullptr);
}

}  // namespace lapl
