// Reads PNG pictures as fields.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "kernels/grid/grid.hpp"

namespace lapl {

/// Grey values of a picture, row by row from the top.
struct GreyImage {
  Shape shape;
  std::vector<double> values;  ///< 0 (black) to 1 (white)
};

/// True if the name ends in .png, in upper or lower case.
bool is_png(const std::filesystem::path& path);

/// The PNG files of a folder, sorted by the last number in their names, then by name. Throws
/// IoError if there are none.
std::vector<std::filesystem::path> pictures_in(const std::filesystem::path& folder);

/// Rows and columns of a PNG, from its header. Throws IoError as read_png does.
Shape png_shape(const std::filesystem::path& path);

/// Reads a PNG of any kind: 1 to 16 bits, grey, colour or palette, interlaced or not. A grey value
/// g of b bits becomes g / (2^b - 1), without gamma; a colour becomes the luminance 0.2126 R +
/// 0.7152 G + 0.0722 B (Rec. ITU-R BT.709) of the stored values; transparency is ignored.
/// `receive_shape` receives the shape before memory is allocated; its exceptions pass through.
/// Throws IoError with the file's name and what is wrong with it.
GreyImage read_png(const std::filesystem::path& path,
                   const std::function<void(Shape)>& receive_shape = {});

}  // namespace lapl
