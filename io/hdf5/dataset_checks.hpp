// What must hold before any value of a dataset is read, whoever wrote the file. Messages as in
// hdf5_handle.hpp.
#pragma once

#include <string>
#include <vector>

#include "io/hdf5/hdf5_handle.hpp"

namespace lapl {

/// Opens a dataset whose values lie in this file, plainly. Throws IoError where it is missing
/// (naming those that exist) or is reached through an external link, and where its values are in
/// external files, virtual, filtered by anything but deflate, shuffle and fletcher32, or more than
/// a file of this length can hold, or its chunks do.
Hdf5Dataset open_plain_dataset(hid_t location, const std::string& name);

/// The same for a dataset that lapl writes in one piece. Throws IoError, too, where it is chunked:
/// then it could hold far more than the file's length.
Hdf5Dataset open_own_dataset(hid_t location, const std::string& name);

/// Reads one value of each chunk as `memory_type`, or where there are none the first and the last
/// of each axis: all that HDF5 must make sense of to read any. For rehearsals.
void touch_values(hid_t dataset, const std::string& name, hid_t memory_type);

/// Extent of each axis; empty for a scalar.
std::vector<hsize_t> extent_of(hid_t dataset, const std::string& name);

/// Whether a dataset of that path exists in an open file; a leading slash does not matter.
bool holds_dataset(hid_t file, const std::string& name);

/// Paths, without the leading slash, of all datasets that hard links lead to, in order of name.
std::vector<std::string> list_datasets(hid_t file);

}  // namespace lapl
