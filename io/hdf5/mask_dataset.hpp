// The mask of a grid in files: /mask, and the array by which VTK and ParaView hide the nodes
// outside. Messages do not name the file (hdf5_handle.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/hdf5/axes.hpp"

namespace lapl {

/// A mask, packed once as all files have it.
class StoredMask {
 public:
  /// `inside` is 0 in cells outside, row by row.
  StoredMask(Shape shape, const std::vector<double>& inside);
  /// That of one of lapl's files; null if it has none. Throws IoError.
  static std::shared_ptr<const StoredMask> read(hid_t file, Shape shape);

  /// Writes /mask ([z, y,] x): 1 inside, 0 outside.
  void write(hid_t file, const AxisScales& scales) const;
  /// Writes vtkGhostType beside fields in VTKHDF/PointData: 2 (HIDDENPOINT of VTK's
  /// vtkDataSetAttributes) outside, else 0, once for each of several times.
  void write_hidden(hid_t points, const Axes& axes, const AxisScales& scales) const;

  /// An upper bound of the bytes that both take in a file of this many times.
  std::uint64_t bytes(std::size_t times) const;

 private:
  /// Numbers of one byte on a grid, in packed chunks.
  struct Packed {
    Shape shape;
    std::vector<std::vector<std::byte>> chunks;
  };
  static Packed packed(Shape shape, const std::vector<std::uint8_t>& values);
  static Hdf5Dataset write(const Packed& packed, hid_t location, const char* name,
                           std::size_t times, const std::vector<hid_t>& scales);

  Packed inside_, hidden_;
};

/// Writes the attributes of /mask.
void describe_mask(hid_t dataset);
/// True if the file has a /mask.
bool has_mask(hid_t file);

/// Name of the array that hides nodes (VTK's vtkDataSetAttributes::GhostArrayName()).
inline constexpr const char* vtk_hidden_name = "vtkGhostType";

}  // namespace lapl
