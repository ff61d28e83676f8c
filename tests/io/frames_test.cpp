// Frames from pictures and datasets, and results as files.
#include "io/images/frames.hpp"

#include <doctest/doctest.h>
#include <hdf5_hl.h>
#include <png.h>

#include <numeric>

#include "io/durable/durable_file.hpp"
#include "io/filters/filter_job.hpp"
#include "kernels/error.hpp"
#include "tests/io/scratch_folder.hpp"

using namespace lapl;
namespace fs = std::filesystem;

namespace {

void write_png(const fs::path& path, unsigned rows, unsigned columns, unsigned char value) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = columns;
  image.height = rows;
  image.format = PNG_FORMAT_GRAY;
  const std::vector<unsigned char> pixels(rows * columns, value);
  REQUIRE(png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr) != 0);
}

}  // namespace

TEST_CASE("the pictures of a folder are frames in order of their numbers") {
  const test::ScratchFolder folder;
  for (const int number : {1, 2, 10, 9})
    write_png(folder.path() / ("frame-" + std::to_string(number) + ".png"), 2, 3,
              static_cast<unsigned char>(number));
  const auto frames = open_frames(folder.path(), "");
  REQUIRE(frames.frames == 4);
  CHECK(frames.shape == Shape{2, 3});
  CHECK(frames.axes == 3);
  std::vector<double> values(6);
  for (const auto& [frame, number] : {std::pair{0, 1}, {1, 2}, {2, 9}, {3, 10}}) {
    frames.read(frame, std::span<double>(values));
    CHECK(values == std::vector<double>(6, number / 255.));
  }
  write_png(folder.path() / "frame-11.png", 3, 3, 0);
  const auto uneven = open_frames(folder.path(), "");
  CHECK_THROWS_WITH_AS(uneven.read(4, std::span<double>(values)),
                       doctest::Contains("frame-11.png: is 3 x 3 pixels, the first picture 2 x 3"),
                       IoError);
}

TEST_CASE("results keep the number of axes, and read back the same") {
  const test::ScratchFolder folder;
  const Shape shape{4, 5};
  for (const int axes : {1, 2, 3, 5}) {
    const Shape used = axes == 1 ? Shape{1, 20} : shape;
    const std::int64_t count = axes >= 3 ? 3 : 1;
    const fs::path path = folder.path() / ("axes-" + std::to_string(axes) + ".h5");
    const std::vector<FrameDataset> datasets = {{"/group/result", "x", used}, {"/b", "", used}};
    write_frames(path, "y", Precision::float32, datasets, count, axes, [&](const auto& put) {
      for (std::int64_t frame = 0; frame < count; ++frame) {
        std::vector<float> values(20);
        std::iota(values.begin(), values.end(), static_cast<float>(100 * frame));
        put(0, frame, std::span<const float>(values));
        put(1, frame, std::span<const float>(values));
      }
    });
    verify_seal(path);
    const auto frames = open_frames(path, "/group/result");
    CHECK(frames.axes == axes);
    CHECK(frames.frames == count);
    CHECK(frames.shape == used);
    std::vector<float> values(20);
    frames.read(count - 1, std::span<float>(values));
    CHECK(values[19] == static_cast<float>(100 * (count - 1) + 19));
  }
}

TEST_CASE("a result that is not finished leaves no file") {
  const test::ScratchFolder folder;
  const fs::path path = folder.path() / "half.h5";
  const auto fail = [](const auto&) { throw IoError("no"); };
  CHECK_THROWS_AS((write_frames(path, "", Precision::float32, {{"/a", "", {4, 5}}}, 2, 3, fail)),
                  IoError);
  CHECK(fs::is_empty(folder.path()));
}
