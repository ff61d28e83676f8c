// Arrays of numbers in files that are not HDF5 (NumPy's, TIFF, text), and one way to read them all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/step_file.hpp"

namespace lapl {

/// Bytes that can be read from any place on.
struct ByteSource {
  std::uint64_t size = 0;
  /// Fills the buffer with the bytes from `first` on. Throws IoError.
  std::function<void(std::uint64_t first, std::span<std::byte>)> read;
};

/// The bytes of a whole file. Throws IoError.
ByteSource file_bytes(const std::filesystem::path& path);
/// The bytes of the values of a std::string or std::vector.
template <class Values>
ByteSource held_bytes(std::shared_ptr<Values> values) {
  const std::size_t size = std::as_bytes(std::span(*values)).size();
  return {size, [values](std::uint64_t first, std::span<std::byte> buffer) {
            std::ranges::copy(std::as_bytes(std::span(*values)).subspan(first, buffer.size()),
                              buffer.begin());
          }};
}

/// Where an array is, and how it is stored.
struct StoredArray {
  char kind = 'f';             ///< f, i, u or b, as in NumPy's type codes
  std::size_t value_size = 8;  ///< bytes
  bool swapped = false;        ///< in the other byte order
  bool fortran_order = false;  ///< neighbours along the first axis are adjacent
  std::vector<hsize_t> extent;
  std::uint64_t first_value = 0;  ///< position in `bytes`
  ByteSource bytes;
};

/// True if values of this type can be read: floating-point numbers of 16, 32 and 64 bits, integers
/// of 8 to 64, and booleans.
bool is_number_type(char kind, std::size_t size);

/// Reads records of one array.
class ArrayReader {
 public:
  /// Throws IoError unless the axes are those of HDF5 datasets (field_layout), and for more than
  /// one record in Fortran's order.
  ArrayReader(const std::filesystem::path& path, StoredArray array, int grid_axes);

  const DatasetLayout& layout() const { return layout_; }
  const StoredArray& array() const { return array_; }

  /// The values at `record`; float32 stays float32, all other types become float64.
  FieldValues read(std::size_t record) const;

 private:
  std::filesystem::path path_;
  StoredArray array_;
  DatasetLayout layout_;
};

/// Opens a file of NumPy (.npy, or the array `dataset` of an .npz), a TIFF or a table of text (its
/// column `dataset`, if it has several); none for other files, which read_field opens or refuses.
/// The first bytes decide, not the name. Throws IoError before memory for values is allocated,
/// tables and .npz files apart.
std::optional<ArrayReader> open_array(const std::filesystem::path& path, const std::string& dataset,
                                      int grid_axes = 2);

/// Reads a field as read_field does (io/hdf5/step_file.hpp), or an array of open_array.
ReadField read_any_field(const std::filesystem::path& path, const std::string& dataset,
                         const RecordChoice& record = {},
                         const std::function<void(Shape)>& receive_shape = {}, int grid_axes = 2);

}  // namespace lapl
