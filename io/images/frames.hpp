// Reads and writes frames of fields: pictures, a folder of them, arrays of other files, HDF5
// datasets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

/// A source of frames. Each frame is read when it is requested.
struct FrameSource {
  Shape shape;
  std::int64_t frames = 1;
  /// Axes of the dataset: 1 (columns), 2 (rows, columns), 3 (time, rows, columns); further axes
  /// have length 1 and come before these.
  int axes = 2;
  /// True if float32 represents all values: pictures, floating-point numbers of up to 32 bits,
  /// integers of up to 16 bits.
  bool fits_single = false;
  std::function<FieldValues(std::int64_t frame)> values_at;

  /// The values of a frame, converted to T.
  template <class T>
  void read(std::int64_t frame, std::span<T> values) const;
};

/// Opens a PNG file (grey values from 0 to 1), a folder of PNG files as frames in the order of the
/// numbers in their names, an array of open_array (a TIFF has its numbers as stored), or `dataset`
/// of an HDF5 file. Throws IoError with the file's name and what is wrong with it.
FrameSource open_frames(const std::filesystem::path& path, const std::string& dataset);

/// A dataset with one filter result per frame.
struct FrameDataset {
  std::string name;       ///< path of the dataset
  std::string long_name;  ///< for people
  Shape shape;            ///< of a frame
};

/// A function that receives the values of one frame of one dataset.
using PutFrame = std::function<void(std::size_t dataset, std::int64_t frame, FieldView values)>;

/// Writes `frames` frames of each dataset, with `axes` axes, to a new sealed HDF5 file. `make`
/// calls its argument for each frame of each dataset. `history` says how the frames were computed.
/// If anything throws, there is no new file. Throws IoError.
void write_frames(const std::filesystem::path& path, const std::string& history,
                  Precision precision, const std::vector<FrameDataset>& datasets,
                  std::int64_t frames, int axes, const std::function<void(const PutFrame&)>& make);

/// Why the file at `path` may not be replaced: neither write_frames nor add_covariance_file wrote
/// it, or it has changed since; empty if it may.
std::string other_than_frames(const std::filesystem::path& path);

}  // namespace lapl
