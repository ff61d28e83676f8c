// Reads NumPy's .npy files, versions 1.0 to 3.0 (numpy.lib.format), as fields and frames.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/step_file.hpp"

namespace lapl {

/// True if the file begins like an .npy file; its name does not matter.
bool is_npy(const std::filesystem::path& path);

/// Reads one .npy file.
class NpyReader {
 public:
  /// Reads the header. Supports the axes of HDF5 datasets (field_layout), all real types except
  /// long double, and both byte orders, but only one record in Fortran order. Throws IoError,
  /// before memory is allocated for values, also if the file is shorter than its header states.
  explicit NpyReader(const std::filesystem::path& path, int grid_axes = 2);

  const DatasetLayout& layout() const { return layout_; }

  /// The values at `record`; float32 stays float32, all other types become float64.
  FieldValues read(std::size_t record) const;

 private:
  std::filesystem::path path_;
  DatasetLayout layout_;
  char kind_ = 'f';  ///< f, i, u or b, as in NumPy's type codes
  std::size_t value_size_ = 4;
  bool swapped_ = false;  ///< big-endian
  bool fortran_order_ = false;
  std::uint64_t first_value_ = 0;  ///< position in the file of the first value
};

/// Reads a field as read_field does (io/hdf5/step_file.hpp), or the array of an .npy file.
ReadField read_any_field(const std::filesystem::path& path, const std::string& dataset,
                         const RecordChoice& record = {},
                         const std::function<void(Shape)>& receive_shape = {}, int grid_axes = 2);

}  // namespace lapl
