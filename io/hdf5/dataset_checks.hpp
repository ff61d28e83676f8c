// Checks datasets before any value is read, whoever wrote the file. Messages as in hdf5_handle.hpp.
#pragma once

#include <string>
#include <vector>

#include "io/hdf5/hdf5_handle.hpp"

namespace lapl {

/// Opens a dataset with its values in this file. Throws IoError where it is missing (naming the
/// existing ones), is reached through an external link, is stored in external files or as a virtual
/// dataset, has filters other than deflate, shuffle and fletcher32, or is larger, or has larger
/// chunks, than a file of this length can hold.
Hdf5Dataset open_plain_dataset(hid_t location, const std::string& name);

/// The same for a dataset that lapl writes contiguously. Also throws IoError where it is chunked,
/// since it could then be far larger than the file.
Hdf5Dataset open_own_dataset(hid_t location, const std::string& name);

/// Reads one value of each chunk, or the first and last of each axis where there are no chunks, as
/// `memory_type`: in a rehearsal this makes HDF5 parse everything that reading any value needs.
void touch_values(hid_t dataset, const std::string& name, hid_t memory_type);

/// The extent of each axis; empty for a scalar.
std::vector<hsize_t> extent_of(hid_t dataset, const std::string& name);

/// True where the file has a dataset of this path; a leading slash does not matter.
bool holds_dataset(hid_t file, const std::string& name);

/// Paths, without the leading slash, of all datasets reachable by hard links, sorted.
std::vector<std::string> list_datasets(hid_t file);

}  // namespace lapl
