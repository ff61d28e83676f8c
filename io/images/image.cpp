#include "io/images/image.hpp"

#include <fcntl.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/durable/posix_file.hpp"
#include "io/readers/file_kind.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/size_text.hpp"

namespace lapl {
namespace {

/// The largest compression ratio of deflate.
constexpr std::uint64_t png_deflate_ratio = 1032;

struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::array<char, 200> message{};

  PngReader() = default;
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

bool is_indexed(const PngReader& reader) {
  return png_get_color_type(reader.png, reader.info) == PNG_COLOR_TYPE_PALETTE;
}

// libpng reports an error by longjmp to the setjmp in the function that called it. So the three
// functions that read with it own nothing with a destructor; they return false on an error.

[[noreturn]] void keep_message(png_structp png, png_const_charp message) {
  auto& kept = *static_cast<std::array<char, 200>*>(png_get_error_ptr(png));
  std::snprintf(kept.data(), kept.size(), "%s", message);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

bool read_header(const PngReader& reader, std::FILE* file) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_init_io(reader.png, file);
  png_read_info(reader.png, reader.info);
  return true;
}

/// Requests rows as 16-bit grey or RGB, or as bytes that are palette indices. Returns false if
/// libpng fails.
bool choose_format(const PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  if (is_indexed(reader)) {
    png_set_packing(reader.png);
  } else {
    png_set_expand_gray_1_2_4_to_8(reader.png);
    // An 8-bit value v becomes 257 v, the same fraction of the largest value.
    png_set_expand_16(reader.png);
    png_set_strip_alpha(reader.png);
  }
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_rows(const PngReader& reader, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_image(reader.png, rows);
  png_read_end(reader.png, nullptr);
  return true;
}

std::uint64_t sample(const png_byte* bytes) {
  return static_cast<std::uint64_t>(bytes[0]) << 8 | bytes[1];
}

/// Luminance of one pixel, from 0 to 1. The sum is computed in integers, so that a grey pixel
/// stored as colour has the same value as one stored as grey.
double luminance(const png_byte* pixel, int channels) {
  if (channels == 1) return static_cast<double>(sample(pixel)) / 65535;
  const std::uint64_t sum =
      2126 * sample(pixel) + 7152 * sample(pixel + 2) + 722 * sample(pixel + 4);
  return static_cast<double>(sum) / (10000.0 * 65535);
}

/// Luminance of each palette colour.
std::vector<double> png_palette(const PngReader& reader) {
  png_colorp colours = nullptr;
  int count = 0;
  png_get_PLTE(reader.png, reader.info, &colours, &count);
  std::vector<double> palette;
  for (const auto& [red, green, blue] : std::span(colours, static_cast<std::size_t>(count)))
    palette.push_back(luminance(std::array{red, red, green, green, blue, blue}.data(), 3));
  return palette;
}

/// An open file with a valid and plausible header; no pixel is decoded yet.
struct OpenPng {
  std::string name;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream{nullptr, &std::fclose};
  PngReader reader;

  explicit OpenPng(const std::filesystem::path& path) : name(path.string()) {
    const PosixFile file(path, O_RDONLY, name);
    const std::uint64_t length = file.size();
    stream = file.stream();
    reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader.message, keep_message,
                                        ignore_warning);
    if (reader.png != nullptr) reader.info = png_create_info_struct(reader.png);
    if (reader.info == nullptr) throw IoError(name + ": cannot set up libpng");
    if (!read_header(reader, stream.get())) {
      const std::string kind = other_file_kind(path);
      if (!kind.empty() && kind != "a PNG picture")
        throw IoError(name + ": is " + kind + ", expected a PNG picture");
      require(false);
    }
    check_size(length);
  }

  void require(bool good) const {
    if (!good) throw IoError(name + ": cannot read as PNG: " + reader.message.data());
  }

  Shape shape() const {
    return {png_get_image_height(reader.png, reader.info),
            png_get_image_width(reader.png, reader.info)};
  }

 private:
  /// Throws IoError unless a file of `length` bytes can hold the picture that it declares.
  void check_size(std::uint64_t length) const {
    const std::uint64_t width = png_get_image_width(reader.png, reader.info);
    const std::uint64_t height = png_get_image_height(reader.png, reader.info);
    const std::uint64_t bits = width * height * png_get_bit_depth(reader.png, reader.info) *
                               png_get_channels(reader.png, reader.info);
    if (bits / 8 > length * png_deflate_ratio)
      throw IoError(name + ": declares " + std::to_string(height) + " x " + std::to_string(width) +
                    " pixels, more than a PNG of " + size_text(static_cast<double>(length)) +
                    " can hold");
  }
};

// The last number in a file's name, by which frame-2.png comes before frame-10.png.
std::uint64_t number_in(const std::filesystem::path& path) {
  const std::string name = path.stem().string();
  const auto last = name.find_last_of("0123456789");
  if (last == std::string::npos) return std::numeric_limits<std::uint64_t>::max();
  auto first = last;
  while (first > 0 && last - first < 17 &&
         std::isdigit(static_cast<unsigned char>(name[first - 1])))
    --first;
  return std::stoull(name.substr(first, last - first + 1));
}

}  // namespace

bool is_png(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png";
}

std::vector<std::filesystem::path> pictures_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (is_png(entry.path())) files.push_back(entry.path());
  std::ranges::sort(files, {}, [](const std::filesystem::path& path) {
    return std::pair(number_in(path), path);
  });
  if (files.empty())
    throw IoError(folder.string() +
                  ": holds no PNG files (tiffcp *.tif OUT.tif makes one TIFF of several)");
  return files;
}

Shape png_shape(const std::filesystem::path& path) { return OpenPng(path).shape(); }

GreyImage read_png(const std::filesystem::path& path,
                   const std::function<void(Shape)>& receive_shape) {
  OpenPng open(path);
  if (receive_shape) receive_shape(open.shape());
  const PngReader& reader = open.reader;
  open.require(choose_format(reader));

  const std::size_t width = png_get_image_width(reader.png, reader.info);
  const std::size_t height = png_get_image_height(reader.png, reader.info);
  const std::size_t row_size = png_get_rowbytes(reader.png, reader.info);
  const int channels = png_get_channels(reader.png, reader.info);
  const auto pixels = std::make_unique_for_overwrite<png_byte[]>(row_size * height);
  std::vector<png_bytep> rows(height);
  for (std::size_t row = 0; row < height; ++row) rows[row] = pixels.get() + row * row_size;
  open.require(read_rows(reader, rows.data()));

  GreyImage image{open.shape(), {}};
  image.values.resize(width * height);
  const std::vector<double> palette =
      is_indexed(reader) ? png_palette(reader) : std::vector<double>();
  const std::size_t pixel_size = 2 * static_cast<std::size_t>(channels);
  for (std::size_t row = 0; row < height; ++row)
    for (std::size_t column = 0; column < width; ++column) {
      double& value = image.values[row * width + column];
      if (palette.empty()) {
        value = luminance(rows[row] + column * pixel_size, channels);
        continue;
      }
      const std::size_t index = rows[row][column];
      if (index >= palette.size())
        throw IoError("{}: the pixel at row {}, column {} has colour {} of a palette of {}",
                      open.name, row, column, index, palette.size());
      value = palette[index];
    }
  return image;
}

}  // namespace lapl
