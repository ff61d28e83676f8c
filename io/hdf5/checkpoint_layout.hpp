// Stores a checkpoint's header in HDF5; docs/format.md lists the datasets. Messages do not name the
// file (hdf5_handle.hpp).
#pragma once

#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace lapl {

/// Writes the header; the values are in a dataset for each field.
void write_checkpoint_header(hid_t file, const CheckpointHeader& header);
/// Reads and checks the header. Throws IoError.
CheckpointHeader read_checkpoint_header(hid_t file);
/// Opens a field. Throws IoError unless it is stored as lapl stores it, with the header's shape.
Hdf5Dataset open_checkpoint_field(hid_t file, const CheckpointHeader& header,
                                  const std::string& name);

}  // namespace lapl
