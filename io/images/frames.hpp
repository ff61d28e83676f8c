// Frames in and out of files: a picture, a folder of pictures, or an HDF5 dataset.
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

/// Where frames come from, each read when it is asked for.
struct FrameSource {
  Shape shape;
  std::int64_t frames = 1;
  /// Of a dataset that holds them: 1 (columns), 2 (rows, columns), 3 (time, rows, columns), or
  /// more, of length 1, before these.
  int axes = 2;
  /// Whether float32 holds the values as they are: pictures, floating-point numbers of up to 32
  /// bits, integers of up to 16.
  bool fits_single = false;
  std::function<FieldValues(std::int64_t frame)> values_at;

  /// The values of a frame as float or double, whatever they are in the file.
  template <class T>
  void read(std::int64_t frame, std::span<T> values) const;
};

/// A PNG file (grey values from 0 to 1), a folder whose PNG files are the frames in order of the
/// numbers in their names, an .npy file, or `dataset` of an HDF5 file. Throws IoError naming file
/// and fault.
FrameSource open_frames(const std::filesystem::path& path, const std::string& dataset);

/// One result for each frame.
struct FrameDataset {
  std::string name;       ///< path of the dataset
  std::string long_name;  ///< for people
  Shape shape;            ///< of a frame
};

/// Takes one frame of a dataset, by their numbers.
using PutFrame = std::function<void(std::size_t dataset, std::int64_t frame, FieldView values)>;

/// Writes `frames` frames of each dataset to a new HDF5 file, with as many axes as `axes`: `make`
/// is called with a function that takes the frames. `history` says how they were made. The file
/// appears, sealed, once all are in it; where something throws, none appears. Throws IoError.
void write_frames(const std::filesystem::path& path, const std::string& history,
                  Precision precision, const std::vector<FrameDataset>& datasets,
                  std::int64_t frames, int axes, const std::function<void(const PutFrame&)>& make);

/// Why the file at `path` is none that write_frames or add_covariance_file has made and nobody has
/// changed since; empty where it is one.
std::string other_than_frames(const std::filesystem::path& path);

}  // namespace lapl
