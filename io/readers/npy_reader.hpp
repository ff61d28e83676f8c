// Reads NumPy's .npy files, versions 1.0 to 3.0 (numpy.lib.format), as fields and frames.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/step_file.hpp"

namespace lapl {

/// True where the file begins like an .npy file, whatever its name.
bool is_npy(const std::filesystem::path& path);

/// Reads one .npy file.
class NpyReader {
 public:
  /// Reads the header. Axes as in HDF5 datasets; any real type but long double, in either byte
  /// order; in Fortran order one record at most. Throws IoError, also where the file is shorter
  /// than its header states, before memory is allocated for values.
  explicit NpyReader(const std::filesystem::path& path, int grid_axes = 2);

  const DatasetLayout& layout() const { return layout_; }

  /// The values at `record`; float32 stays, all else becomes float64.
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

/// As read_field (io/hdf5/step_file.hpp), but also reads the array of an .npy file.
ReadField read_any_field(const std::filesystem::path& path, const std::string& dataset,
                         const std::function<void(Shape)>& take_shape = {}, int grid_axes = 2);

}  // namespace lapl
