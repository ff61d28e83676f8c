// Reads and writes numbers and text in HDF5 datasets and attributes of lapl's files. Values are
// stored little-endian. Messages do not name the file (hdf5_handle.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace lapl {

/// HDF5's type for T (float, double, uint8_t, int32_t, int64_t, uint64_t) in files; memory_type: in
/// memory.
template <class T>
hid_t stored_type() {
  if constexpr (std::is_same_v<T, float>) return H5T_IEEE_F32LE;
  if constexpr (std::is_same_v<T, double>) return H5T_IEEE_F64LE;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_STD_U8LE;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_STD_I32LE;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_STD_I64LE;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_STD_U64LE;
}
template <class T>
hid_t memory_type() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
}

/// The creation properties of lapl's datasets: creation order of attributes tracked, as netCDF
/// needs; no times; no fill values, because every value is written.
Hdf5Properties dataset_properties();

/// A data space of this extent.
Hdf5Space make_space(std::span<const hsize_t> extent);
Hdf5Dataset create_dataset(hid_t location, const std::string& name, hid_t type, hid_t space,
                           hid_t properties, hid_t links = H5P_DEFAULT);

/// Writes text of fixed length, because variable-length attributes confuse ParaView. The type is
/// ASCII if the text is, else UTF-8.
void write_attribute(hid_t object, const std::string& name, std::string_view text);
template <class T>
void write_attribute(hid_t object, const std::string& name, const std::vector<T>& values);

/// The value of a text attribute of fixed or variable length; empty if there is no such attribute.
std::string read_text_attribute(hid_t object, const std::string& name);
/// One number, or 1 to `most` numbers. Both functions throw IoError if the count is another.
template <class T>
T read_number_attribute(hid_t object, const std::string& name);
template <class T>
std::vector<T> read_numbers_attribute(hid_t object, const std::string& name, std::size_t most);

/// Creates and writes a one-dimensional dataset and returns it open.
template <class T>
[[nodiscard]] Hdf5Dataset write_array(hid_t location, const std::string& name,
                                      const std::vector<T>& values);
/// Writes a scalar text dataset of fixed length.
void write_text(hid_t location, const std::string& name, std::string_view text);
/// Creates and writes texts of variable length, which netCDF reads as strings (of fixed length it
/// reads them wrongly), one for each place of `space`, and returns the dataset open.
[[nodiscard]] Hdf5Dataset write_strings(hid_t location, const std::string& name,
                                        const std::vector<std::string>& texts, hid_t space);

/// All values of a dataset as `type` in memory.
template <class T>
std::vector<T> read_all(hid_t dataset, const std::string& name, hid_t type) {
  std::size_t count = 1;
  for (const hsize_t size : dataset_extent(dataset, name)) count *= size;
  std::vector<T> values(count);
  check_hdf5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
             "read dataset " + name);
  return values;
}

/// All values of a dataset of rank 0 or 1 that lapl wrote. Throws IoError if it is missing, has
/// another type, rank or storage, or has more than `most` values.
template <class T>
std::vector<T> read_array(hid_t location, const std::string& name, std::size_t most);
inline constexpr std::size_t longest_text = std::size_t{1} << 30;
std::string read_text(hid_t location, const std::string& name, std::size_t most);

}  // namespace lapl
