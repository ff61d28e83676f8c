// Checks datasets of any origin before any value is read. Messages omit the file (hdf5_handle.hpp).
#pragma once

#include <string>
#include <vector>

#include "io/hdf5/hdf5_handle.hpp"

namespace lapl {

/// Opens a dataset whose values are in this file. Throws IoError if it is missing (the message
/// names the existing ones), is reached through an external link, is virtual or stored in external
/// files, has filters other than deflate, shuffle and fletcher32, or if its extent or its chunks
/// are larger than a file of this length can hold.
Hdf5Dataset open_plain_dataset(hid_t location, const std::string& name);

/// Does the same for a dataset that lapl writes contiguously. Also throws IoError if it is chunked,
/// because its extent could then be far larger than the file.
Hdf5Dataset open_own_dataset(hid_t location, const std::string& name);

/// Reads one value of each chunk, or without chunks the first and last of each axis, as
/// `memory_type`. In a rehearsal this lets HDF5 parse everything that reading any value needs.
void touch_values(hid_t dataset, const std::string& name, hid_t memory_type);

/// The extent of each axis; empty for a scalar.
std::vector<hsize_t> dataset_extent(hid_t dataset, const std::string& name);

/// True if the file has a dataset at this path; a leading slash does not matter.
bool has_dataset(hid_t file, const std::string& name);

/// Paths of all datasets reachable by hard links, sorted, without the leading slash.
std::vector<std::string> list_datasets(hid_t file);

}  // namespace lapl
