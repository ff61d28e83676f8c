// Frames in and out of files: a picture, a folder of pictures, or an HDF5 dataset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/grid.hpp"

namespace lapl {

/// Where frames come from, each read when it is asked for.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual Shape shape() const = 0;
  virtual std::int64_t frames() const = 0;
  /// Of a dataset that holds them: 1 (columns), 2 (rows, columns) or 3 (time, rows, columns).
  virtual int axes() const = 0;
  virtual void read(std::int64_t frame, std::span<float> values) = 0;
  virtual void read(std::int64_t frame, std::span<double> values) = 0;
};

/// A PNG file (grey values from 0 to 1), a folder whose PNG files are the frames in order of the
/// numbers in their names, or `dataset` of an HDF5 file. Throws IoError naming file and fault.
std::unique_ptr<FrameSource> open_frames(const std::filesystem::path& path,
                                         const std::string& dataset);

/// What a file of results says of itself.
struct FrameFileText {
  std::string dataset;    ///< path of the dataset
  std::string long_name;  ///< for people
  std::string history;    ///< how it was made
};

/// Writes `frames` frames to a new HDF5 file with as many axes as `axes`: `make` is called with a
/// function that takes each frame in order. The file appears, sealed, once all are in it; where
/// something throws, none appears. Throws IoError.
template <class T>
void write_frames(
    const std::filesystem::path& path, const FrameFileText& text, Shape shape, std::int64_t frames,
    int axes, const std::function<void(const std::function<void(std::int64_t, const T*)>&)>& make);

/// Why the file at `path` is none that write_frames or add_covariance_file has made and nobody has
/// changed since; empty where it is one.
std::string other_than_frames(const std::filesystem::path& path);

}  // namespace lapl
