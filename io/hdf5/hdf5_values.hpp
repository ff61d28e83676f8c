// Numbers and text in and out of HDF5 datasets and attributes that this program defines. Values are
// stored little-endian. Messages as in hdf5_handle.hpp.
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

/// HDF5's type for T as stored, and below as held in memory: float, double, int64_t and uint64_t.
template <class T>
hid_t stored_type() {
  if constexpr (std::is_same_v<T, float>) return H5T_IEEE_F32LE;
  if constexpr (std::is_same_v<T, double>) return H5T_IEEE_F64LE;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_STD_I64LE;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_STD_U64LE;
}
template <class T>
hid_t memory_type() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
}

/// Dataset creation properties of all our datasets: creation order of attributes tracked (as
/// netCDF wants it), no times, and no fill values written, since every value is.
Hdf5Properties dataset_properties();

/// A data space of that extent, and a dataset, with H5P_DEFAULT for what is not named.
Hdf5Space make_space(std::span<const hsize_t> extent);
Hdf5Dataset create_dataset(hid_t location, const std::string& name, hid_t type, hid_t space,
                           hid_t properties, hid_t links = H5P_DEFAULT);

/// Fixed-length text: variable-length attributes confuse ParaView. ASCII unless the text is not.
void write_attribute(hid_t object, const std::string& name, std::string_view text);
template <class T>
void write_attribute(hid_t object, const std::string& name, const std::vector<T>& values);

/// A text attribute as above; empty where there is none of that name and kind.
std::string read_text_attribute(hid_t object, const std::string& name);
/// One number, or one to `most`; throw IoError where there are not so many.
template <class T>
T read_number_attribute(hid_t object, const std::string& name);
template <class T>
std::vector<T> read_numbers_attribute(hid_t object, const std::string& name, std::size_t most);

/// Creates a one-dimensional dataset, writes it and hands it back open.
template <class T>
[[nodiscard]] Hdf5Dataset write_array(hid_t location, const std::string& name,
                                      const std::vector<T>& values);
/// A scalar text dataset of fixed length.
void write_text(hid_t location, const std::string& name, std::string_view text);

/// All values of a dataset, as `type` in memory.
template <class T>
std::vector<T> read_all(hid_t dataset, const std::string& name, hid_t type) {
  std::size_t count = 1;
  for (const hsize_t size : extent_of(dataset, name)) count *= size;
  std::vector<T> values(count);
  check_hdf5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
             "read dataset " + name);
  return values;
}

/// All values of a dataset of ours, of rank 0 or 1. Throws IoError where it is missing, of another
/// type, rank or storage, or larger than `most`.
template <class T>
std::vector<T> read_array(hid_t location, const std::string& name, std::size_t most);
inline constexpr std::size_t longest_text = std::size_t{1} << 30;
std::string read_text(hid_t location, const std::string& name, std::size_t most);

}  // namespace lapl
