#include "io/images/image.hpp"

#include <png.h>

#include <cstdint>
#include <cstdio>
#include <memory>

#include "kernels/error.hpp"
#include "tests/io/scratch_folder.hpp"

namespace lapl::test {
namespace {

struct Picture {
  unsigned width = 0, height = 0;
  int bits = 8, colour = PNG_COLOR_TYPE_GRAY;
  std::string rows;  ///< concatenated, as PNG stores them
  bool interlaced = false;
  double gamma = 0;
  std::vector<png_color> palette = {};
};

/// Writes a PNG file. On an error, libpng's default handler ends the test program.
void write_png(const std::filesystem::path& path, const Picture& picture) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             &std::fclose);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file.get());
  png_set_check_for_invalid_index(png, 0);
  png_set_IHDR(png, info, picture.width, picture.height, picture.bits, picture.colour,
               picture.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (picture.gamma > 0) png_set_gAMA(png, info, picture.gamma);
  if (!picture.palette.empty())
    png_set_PLTE(png, info, picture.palette.data(), static_cast<int>(picture.palette.size()));
  std::string bytes = picture.rows;
  std::vector<png_bytep> rows;
  for (std::size_t row = 0; row < picture.height; ++row)
    rows.push_back(reinterpret_cast<png_bytep>(bytes.data()) + row * bytes.size() / picture.height);
  png_write_info(png, info);
  png_write_image(png, rows.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
}

GreyImage round_trip(const Picture& picture) {
  const ScratchFolder folder;
  write_png(folder / "p.png", picture);
  return read_png(folder / "p.png");
}

std::string big_endian(const std::vector<unsigned>& samples) {
  std::string bytes;
  for (const unsigned sample : samples) {
    bytes += static_cast<char>(sample >> 8);
    bytes += static_cast<char>(sample & 0xFF);
  }
  return bytes;
}

}  // namespace

TEST_CASE("every 16-bit grey value comes back as itself / 65535, whatever the gamma") {
  std::vector<unsigned> ramp(65536);
  for (unsigned i = 0; i < 65536; ++i) ramp[i] = i;
  for (const double gamma : {0.0, 0.45455, 1.0})
    for (const bool interlaced : {false, true}) {
      const GreyImage image = round_trip({.width = 512,
                                          .height = 128,
                                          .bits = 16,
                                          .rows = big_endian(ramp),
                                          .interlaced = interlaced,
                                          .gamma = gamma});
      REQUIRE(image.shape == Shape{128, 512});
      for (unsigned i = 0; i < 65536; ++i) REQUIRE(image.values[i] == i / 65535.0);
    }
}

TEST_CASE("8-bit and smaller grey values are fractions of the largest") {
  std::string ramp(256, '\0');
  for (int i = 0; i < 256; ++i) ramp[static_cast<std::size_t>(i)] = static_cast<char>(i);
  const GreyImage bytes = round_trip({.width = 256, .height = 1, .rows = ramp});
  CHECK(bytes.shape == Shape{1, 256});
  for (std::size_t i = 0; i < 256; ++i) CHECK(bytes.values[i] == static_cast<double>(i) / 255);
  const GreyImage four = round_trip({.width = 3, .height = 1, .bits = 4, .rows = "\x0A\xF0"});
  CHECK(four.values == std::vector<double>{0, 10 / 15.0, 1});
  const GreyImage two = round_trip({.width = 4, .height = 1, .bits = 2, .rows = "\x1B"});
  CHECK(two.values == std::vector<double>{0, 1 / 3.0, 2 / 3.0, 1});
  const GreyImage one =
      round_trip({.width = 1, .height = 2, .bits = 1, .rows = std::string("\x80\0", 2)});
  CHECK(one.shape == Shape{2, 1});
  CHECK(one.values == std::vector<double>{1, 0});
}

TEST_CASE("colour becomes luminance, and grey colours the grey itself") {
  const GreyImage eight = round_trip({.width = 4,
                                      .height = 1,
                                      .colour = PNG_COLOR_TYPE_RGB,
                                      .rows = std::string("\xFF\0\0"
                                                          "\0\xFF\0"
                                                          "\0\0\xFF"
                                                          "\x37\x37\x37",
                                                          12)});
  CHECK(eight.values == std::vector<double>{0.2126, 0.7152, 0.0722, 0x37 / 255.0});
  std::vector<unsigned> grey;
  for (unsigned i = 0; i < 65536; i += 255) grey.insert(grey.end(), {i, i, i});
  const GreyImage sixteen =
      round_trip({.width = 258,
                  .height = 1,
                  .bits = 16,
                  .colour = PNG_COLOR_TYPE_RGB,
                  .rows = big_endian({grey.begin(), grey.begin() + 3 * 258})});
  for (unsigned i = 0; i < 258; ++i) CHECK(sixteen.values[i] == i * 255 / 65535.0);
}

TEST_CASE("transparency is ignored and palettes are looked up") {
  const GreyImage alpha = round_trip({.width = 2,
                                      .height = 1,
                                      .colour = PNG_COLOR_TYPE_GRAY_ALPHA,
                                      .rows = std::string("\x80\0\x80\xFF", 4)});
  CHECK(alpha.values == std::vector<double>{128 / 255.0, 128 / 255.0});
  const GreyImage indexed = round_trip({.width = 3,
                                        .height = 1,
                                        .bits = 8,
                                        .colour = PNG_COLOR_TYPE_PALETTE,
                                        .rows = std::string("\2\1\0", 3),
                                        .palette = {{0, 0, 0}, {255, 255, 255}, {255, 0, 0}}});
  CHECK(indexed.values == std::vector<double>{0.2126, 1, 0});
  const Picture small{.width = 3,
                      .height = 2,
                      .bits = 2,
                      .colour = PNG_COLOR_TYPE_PALETTE,
                      .rows = "\x90\x18",  // palette indices 2, 1, 0; 0, 1, 2
                      .palette = {{0, 0, 0}, {9, 99, 199}, {51, 51, 51}}};
  const double middle = (2126 * 9 + 7152 * 99 + 722 * 199) * 257 / (10000.0 * 65535);
  CHECK(round_trip(small).values == std::vector<double>{0.2, middle, 0, 0, middle, 0.2});
}

TEST_CASE("a colour that a palette does not have is refused") {
  const ScratchFolder folder;
  write_png(folder / "p.png", {.width = 3,
                               .height = 2,
                               .bits = 2,
                               .colour = PNG_COLOR_TYPE_PALETTE,
                               .rows = "\x90\x1C",  // palette indices 2, 1, 0; 0, 1, 3
                               .palette = {{0, 0, 0}, {255, 255, 255}, {255, 0, 0}}});
  CHECK_THROWS_WITH_AS(read_png(folder / "p.png"),
                       ((folder / "p.png").string() +
                        ": the pixel at row 1, column 2 has colour 3 of a palette of 3")
                           .c_str(),
                       IoError);
}

TEST_CASE("rows run from the top and columns from the left") {
  for (const bool interlaced : {false, true}) {
    std::string rows(35, '\0');
    for (std::size_t i = 0; i < 35; ++i) rows[i] = static_cast<char>(i);
    const GreyImage image =
        round_trip({.width = 5, .height = 7, .rows = rows, .interlaced = interlaced});
    CHECK(image.shape == Shape{7, 5});
    CHECK(image.values[5 * 2 + 3] == 13 / 255.0);
  }
}

TEST_CASE("truncated and damaged PNG files are refused with name and reason") {
  const ScratchFolder folder;
  const auto path = folder / "p.png";
  const auto message = [&] { return thrown_message<IoError>([&] { read_png(path); }); };
  CHECK(message() == path.string() + ": cannot open: No such file or directory");
  std::string rows(64 * 64, '\0');
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<char>(i * i / 7);
  write_png(path, {.width = 64, .height = 64, .rows = rows});
  const std::string good = read_bytes(path);
  for (std::size_t cut = 0; cut < good.size(); cut += cut < 60 ? 1 : 97) {
    CAPTURE(cut);
    write_bytes(path, good.substr(0, cut));
    CHECK(message().starts_with(path.string() + ": cannot read as PNG: "));
  }
  // A checksum covers all bytes of the header and of the pixels.
  for (std::size_t i = 0; i < good.size() - 12; i += i < 60 ? 1 : 97) {
    CAPTURE(i);
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    write_bytes(path, bad);
    CHECK(message().starts_with(path.string() + ": "));
  }
}

TEST_CASE("a picture larger than its file can hold is refused before memory is taken") {
  const ScratchFolder folder;
  const auto path = folder / "p.png";
  write_png(path, {.width = 1, .height = 1, .rows = "x"});
  std::string bytes = read_bytes(path);
  // Sets width and height to 999,999 in the header chunk, with a matching checksum.
  bytes.replace(16, 8, std::string("\0\x0F\x42\x3F\0\x0F\x42\x3F", 8));
  std::uint32_t sum = 0xFFFFFFFFu;
  for (std::size_t i = 12; i < 29; ++i) {
    sum ^= static_cast<unsigned char>(bytes[i]);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xEDB88320u : 0u);
  }
  for (std::size_t i = 0; i < 4; ++i) bytes[29 + i] = static_cast<char>(~sum >> (24 - 8 * i));
  write_bytes(path, bytes);
  CHECK(contains(thrown_message<IoError>([&] { read_png(path); }),
                 path.string() + ": declares 999999 x 999999 pixels, more than a PNG of"));
}

TEST_CASE("a picture's shape is reported before a pixel is decoded") {
  const ScratchFolder folder;
  const auto path = folder / "p.png";
  write_png(path, {.width = 5, .height = 7, .rows = std::string(35, 'x')});
  CHECK(png_shape(path) == Shape{7, 5});
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 20);  // cuts off the pixels
  CHECK(png_shape(path) == Shape{7, 5});
  CHECK(thrown_message<ConfigError>([&] {
          read_png(path, [](Shape shape) {
            throw ConfigError(std::to_string(shape.columns) + " columns");
          });
        }) == "5 columns");
}
}  // namespace lapl::test
