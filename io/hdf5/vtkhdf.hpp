// The HDF5 group that makes one of lapl's files an image for VTK and ParaView. Messages do not name
// the file (hdf5_handle.hpp).
#pragma once

#include <string>
#include <vector>

#include "io/hdf5/axes.hpp"
#include "io/hdf5/mask_dataset.hpp"

namespace lapl {

/// A dataset /NAME (time, [z, y,] x) of the file.
struct VtkField {
  std::string name;
  hid_t type;  ///< HDF5's type as stored
};

/// Writes /VTKHDF: VTKHDF 2.0, type ImageData. The group Steps is written only for two or more
/// records, because readers fail on a single one. Nodes outside `mask`, which may be null, are
/// hidden.
void write_vtkhdf(hid_t file, const Axes& axes, const std::vector<VtkField>& fields,
                  const AxisScales& scales, const StoredMask* mask);

}  // namespace lapl
