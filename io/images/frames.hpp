// Reads and writes frames: a picture, a folder of pictures, an .npy file or an HDF5 dataset.
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

/// A source of frames, each read when asked for.
struct FrameSource {
  Shape shape;
  std::int64_t frames = 1;
  /// Axes of the dataset: 1 (columns), 2 (rows, columns), 3 (time, rows, columns); more: axes of
  /// length 1 before these.
  int axes = 2;
  /// True where float32 suffices for all values: pictures, floating-point numbers of up to 32
  /// bits, integers of up to 16 bits.
  bool fits_single = false;
  std::function<FieldValues(std::int64_t frame)> values_at;

  /// The values of a frame, converted to T.
  template <class T>
  void read(std::int64_t frame, std::span<T> values) const;
};

/// Opens a PNG file (grey values from 0 to 1), a folder with PNG files as frames in the order of
/// the numbers in their names, an .npy file, or `dataset` of an HDF5 file. Throws IoError with the
/// file and its fault.
FrameSource open_frames(const std::filesystem::path& path, const std::string& dataset);

/// A dataset with one result per frame.
struct FrameDataset {
  std::string name;       ///< path of the dataset
  std::string long_name;  ///< for people
  Shape shape;            ///< of a frame
};

/// Takes one frame of a dataset, both by index.
using PutFrame = std::function<void(std::size_t dataset, std::int64_t frame, FieldView values)>;

/// Writes `frames` frames of each dataset to a new sealed HDF5 file; the datasets have `axes` axes.
/// `make` hands the frames to its argument. `history` says how they were made. Where something
/// throws, no file appears. Throws IoError.
void write_frames(const std::filesystem::path& path, const std::string& history,
                  Precision precision, const std::vector<FrameDataset>& datasets,
                  std::int64_t frames, int axes, const std::function<void(const PutFrame&)>& make);

/// Why the file at `path` may not be replaced: write_frames or add_covariance_file did not make it,
/// or it was changed since; empty where it may.
std::string other_than_frames(const std::filesystem::path& path);

}  // namespace lapl
