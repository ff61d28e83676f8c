// Creates and changes HDF5 files without the code under test.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/durable/durable_file.hpp"
#include "io/durable/posix_file.hpp"
#include "io/durable/seal.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "tests/io/scratch_folder.hpp"

namespace lapl::test {

/// Calls `edit(file)` on the open HDF5 file at `path`, which is created if it is missing.
template <class Edit>
void edit_hdf5(const std::filesystem::path& path, Edit edit) {
  const Hdf5Session session;
  const bool exists = std::filesystem::exists(path);
  Hdf5File file(exists ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                       : H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT),
                "open for a test");
  edit(static_cast<hid_t>(file));
  file.close("close after a test");
}

/// Edits a sealed file and gives it a new matching seal, so that only its content is wrong.
template <class Edit>
void edit_sealed(const std::filesystem::path& path, Edit edit) {
  verify_seal(path);
  std::string bytes = read_start(path);
  bytes.resize(bytes.size() - seal_size);
  constexpr auto on_disk = std::numeric_limits<std::uint64_t>::max();
  write_sealed(path, on_disk, [&](const std::filesystem::path& scratch) {
    write_bytes(scratch, bytes);
    edit_hdf5(scratch, edit);
  });
}

/// Creates a dataset with these properties; writes `values` unless it is null.
inline void make_dataset(hid_t file, const char* name, hid_t type, std::vector<hsize_t> extent,
                         const void* values, hid_t memory_type = H5I_INVALID_HID,
                         hid_t properties = H5P_DEFAULT) {
  const Hdf5Space space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                        "make a space");
  const Hdf5Dataset dataset(
      H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), "make a dataset");
  if (values != nullptr)
    check_hdf5(H5Dwrite(dataset, memory_type < 0 ? type : memory_type, H5S_ALL, H5S_ALL,
                        H5P_DEFAULT, values),
               "write a dataset");
}

inline void remove_link(hid_t file, const char* name) {
  check_hdf5(H5Ldelete(file, name, H5P_DEFAULT), "remove a link");
}

}  // namespace lapl::test
