// Reads TIFF with libtiff; part of the library lapl_tiff.
#include "io/images/tiff_module.hpp"

#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

#include "kernels/error.hpp"

namespace lapl {
namespace {

std::string& last_message() {
  thread_local std::string message;
  return message;
}

void keep_message(const char*, const char* format, va_list values) {
  char text[200];
  std::vsnprintf(text, sizeof text, format, values);
  last_message() = text;
}

class Tiff {
 public:
  explicit Tiff(const std::string& name) : name_(name) {
    TIFFSetWarningHandler(nullptr);
    TIFFSetErrorHandler(keep_message);
    file_.reset(TIFFOpen(name.c_str(), "r"));
    require(file_ != nullptr);
  }

  TiffPages layout() {
    TiffPages pages;
    const std::int64_t images = declared_images();
    while (true) {
      const TiffPages page = layout_of_page(pages.pages);
      if (pages.pages > 0 && (page.rows != pages.rows || page.columns != pages.columns ||
                              page.kind != pages.kind || page.value_size != pages.value_size))
        refuse(
            fmt::format("page {} is {} x {} of {}{}, page 0 {} x {} of {}{} (expected equal "
                        "pages: tiffcp IN.tif,0 OUT.tif takes one)",
                        pages.pages, page.rows, page.columns, page.kind, 8 * page.value_size,
                        pages.rows, pages.columns, pages.kind, 8 * pages.value_size));
      const std::int64_t count = pages.pages + 1;
      pages = page;
      pages.pages = count;
      if (TIFFLastDirectory(file_.get()) != 0) {
        if (!has_whole_directory()) refuse("cannot read as TIFF: it is truncated");
        break;
      }
      require(TIFFReadDirectory(file_.get()) != 0);
    }
    if (images > pages.pages)
      refuse(
          fmt::format("ImageJ stored {} images in it without pages (expected {} pages: save it "
                      "as OME-TIFF, or as an image sequence)",
                      images, images));
    at_ = pages.pages - 1;
    return pages;
  }

  void read(std::int64_t page, const TiffPages& pages, std::span<std::byte> buffer) {
    TIFF* const file = file_.get();
    if (page != at_)
      require((page == at_ + 1 ? TIFFReadDirectory(file)
                               : TIFFSetDirectory(file, static_cast<tdir_t>(page))) != 0);
    at_ = page;
    const auto row_size = static_cast<std::size_t>(pages.columns) * pages.value_size;
    if (TIFFIsTiled(file) != 0) return read_tiles(pages, row_size, buffer);
    const auto strip_size = static_cast<std::size_t>(TIFFStripSize(file));
    for (std::uint32_t strip = 0; strip < TIFFNumberOfStrips(file); ++strip) {
      const std::size_t first = std::min(strip * strip_size, buffer.size()),
                        count = std::min(strip_size, buffer.size() - first);
      require(TIFFReadEncodedStrip(file, strip, buffer.data() + first,
                                   static_cast<tmsize_t>(count)) == static_cast<tmsize_t>(count));
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw IoError(name_ + ": " + what); }
  void require(bool good) const {
    if (!good) refuse("cannot read as TIFF: " + last_message());
  }

  // libtiff takes a directory whose pointer to the next one is cut off for the last one.
  bool has_whole_directory() const {
    const bool is_big = TIFFIsBigTIFF(file_.get()) != 0;
    std::ifstream file(name_, std::ios::binary);
    std::array<unsigned char, 8> bytes{};
    const std::size_t size = is_big ? 8 : 2;
    const auto first = static_cast<std::streamoff>(TIFFCurrentDirOffset(file_.get()));
    file.seekg(first).read(reinterpret_cast<char*>(bytes.data()),
                           static_cast<std::streamsize>(size));
    std::streamoff entries = 0;
    for (std::size_t i = 0; i < size; ++i)
      entries = 256 * entries + bytes[TIFFIsBigEndian(file_.get()) != 0 ? i : size - 1 - i];
    const std::streamoff end = first + (is_big ? 8 + 20 * entries + 8 : 2 + 12 * entries + 4);
    return file.good() && file.seekg(0, std::ios::end).tellg() >= end;
  }

  std::uint32_t number(std::uint32_t tag, std::uint32_t preset) const {
    // libtiff writes 16 bits for some tags, 32 for others.
    if (tag == TIFFTAG_IMAGEWIDTH || tag == TIFFTAG_IMAGELENGTH) {
      TIFFGetField(file_.get(), tag, &preset);
      return preset;
    }
    std::uint16_t value = 0;
    return TIFFGetFieldDefaulted(file_.get(), tag, &value) != 0 ? value : preset;
  }

  // ImageJ writes long stacks as one page with all images behind it, which only its text tells.
  std::int64_t declared_images() const {
    char* text = nullptr;
    if (TIFFGetField(file_.get(), TIFFTAG_IMAGEDESCRIPTION, &text) == 0 || text == nullptr ||
        !std::string_view(text).starts_with("ImageJ="))
      return 0;
    const char* const images = std::strstr(text, "images=");
    return images != nullptr ? std::atoll(images + std::strlen("images=")) : 0;
  }

  TiffPages layout_of_page(std::int64_t page) const {
    const std::uint32_t samples = number(TIFFTAG_SAMPLESPERPIXEL, 1),
                        bits = number(TIFFTAG_BITSPERSAMPLE, 1),
                        format = number(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT),
                        meaning = number(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    if (samples != 1 || meaning != PHOTOMETRIC_MINISBLACK)
      refuse(
          fmt::format("page {} has {} sample{} a pixel{} (expected grey, 0 black: magick IN.tif "
                      "-colorspace Gray OUT.png)",
                      page, samples, samples == 1 ? "" : "s",
                      samples != 1                        ? ""
                      : meaning == PHOTOMETRIC_MINISWHITE ? ", 0 white"
                                                          : " of a palette"));
    const char kind = format == SAMPLEFORMAT_IEEEFP ? 'f' : format == SAMPLEFORMAT_INT ? 'i' : 'u';
    const bool is_known = format == SAMPLEFORMAT_IEEEFP || format == SAMPLEFORMAT_INT ||
                          format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID;
    if (!is_known || (bits != 16 && bits != 32 && bits != 64 && (bits != 8 || kind == 'f')))
      refuse(
          fmt::format("page {} has samples of {} bits, format {} (expected integers of 8, 16, "
                      "32, 64 bits or floating-point numbers of 16, 32, 64)",
                      page, bits, format));
    const std::uint32_t rows = number(TIFFTAG_IMAGELENGTH, 0),
                        columns = number(TIFFTAG_IMAGEWIDTH, 0);
    if (rows == 0 || columns == 0) refuse(fmt::format("page {} is empty", page));
    return {.pages = 1,
            .rows = rows,
            .columns = columns,
            .kind = kind,
            .value_size = bits / 8,
            .read = {}};
  }

  void read_tiles(const TiffPages& pages, std::size_t row_size, std::span<std::byte> buffer) {
    std::uint32_t width = 0, height = 0;
    TIFFGetField(file_.get(), TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(file_.get(), TIFFTAG_TILELENGTH, &height);
    const std::size_t tile_row = width * pages.value_size;
    std::vector<std::byte> tile(static_cast<std::size_t>(TIFFTileSize(file_.get())));
    require(tile_row > 0 && tile.size() >= tile_row * height);
    for (std::int64_t row = 0; row < pages.rows; row += height)
      for (std::int64_t column = 0; column < pages.columns; column += width) {
        require(TIFFReadTile(file_.get(), tile.data(), static_cast<std::uint32_t>(column),
                             static_cast<std::uint32_t>(row), 0, 0) >= 0);
        const std::size_t first = static_cast<std::size_t>(column) * pages.value_size,
                          count = std::min(tile_row, row_size - first);
        for (std::int64_t i = 0; i < std::min<std::int64_t>(height, pages.rows - row); ++i)
          std::copy_n(tile.begin() + static_cast<std::ptrdiff_t>(i * tile_row), count,
                      buffer.begin() + static_cast<std::ptrdiff_t>((row + i) * row_size + first));
      }
  }

  struct Close {
    void operator()(TIFF* file) const { TIFFClose(file); }
  };
  std::string name_;
  std::unique_ptr<TIFF, Close> file_;
  std::int64_t at_ = 0;  ///< the page that is current in libtiff
};

TiffPages open(const std::string& path) {
  const auto tiff = std::make_shared<Tiff>(path);
  TiffPages pages = tiff->layout();
  const TiffPages layout = pages;
  pages.read = [tiff, layout](std::int64_t page, std::span<std::byte> buffer) {
    tiff->read(page, layout, buffer);
  };
  return pages;
}

}  // namespace
}  // namespace lapl

extern "C" const lapl::TiffModule lapl_tiff;
const lapl::TiffModule lapl_tiff = {lapl::open};
