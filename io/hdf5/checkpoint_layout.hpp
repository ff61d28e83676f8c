// How a checkpoint's header lies in HDF5. docs/format.md lists the datasets. Messages as in
// hdf5_handle.hpp.
#pragma once

#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace lapl {

/// Writes everything but the values, which are in a dataset for each field.
void write_checkpoint_header(hid_t file, const CheckpointHeader& header);
/// Reads and checks it. Throws IoError.
CheckpointHeader read_checkpoint_header(hid_t file);
/// Opens a field. Throws IoError unless it lies there as lapl writes it, with the header's shape.
Hdf5Dataset open_checkpoint_field(hid_t file, const CheckpointHeader& header,
                                  const std::string& name);

}  // namespace lapl
