// Reads HDF5 files without lapl's code: those of tests/data, computed by NumPy and SciPy
// (tests/data/README.md), and others.
#pragma once

#include <doctest/doctest.h>
#include <hdf5_hl.h>

#include <string>
#include <vector>

namespace lapl::test {

class ReferenceData {
 public:
  explicit ReferenceData(const std::string& path = LAPL_SOURCE_DIR "/tests/data/reference.h5")
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    REQUIRE(file_ >= 0);
  }
  ~ReferenceData() { H5Fclose(file_); }
  ReferenceData(const ReferenceData&) = delete;

  /// All values of a dataset, as float64.
  std::vector<double> values(const std::string& name) const {
    int rank = 0;
    REQUIRE(H5LTget_dataset_ndims(file_, name.c_str(), &rank) >= 0);
    std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
    REQUIRE(H5LTget_dataset_info(file_, name.c_str(), shape.data(), nullptr, nullptr) >= 0);
    std::size_t count = 1;
    for (const hsize_t size : shape) count *= size;
    std::vector<double> values(count);
    REQUIRE(H5LTread_dataset_double(file_, name.c_str(), values.data()) >= 0);
    return values;
  }

  /// A fixed-length text.
  std::string text(const std::string& name) const {
    std::size_t size = 0;
    REQUIRE(H5LTget_dataset_info(file_, name.c_str(), nullptr, nullptr, &size) >= 0);
    std::string text(size, '\0');
    REQUIRE(H5LTread_dataset_string(file_, name.c_str(), text.data()) >= 0);
    return text;
  }

  /// Names of the objects in the root group.
  std::vector<std::string> groups() const {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* to) {
      static_cast<std::vector<std::string>*>(to)->emplace_back(name);
      return herr_t{0};
    };
    REQUIRE(H5Literate(file_, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names) >= 0);
    return names;
  }

  double attribute(const std::string& object, const std::string& name) const {
    double value = 0;
    REQUIRE(H5LTget_attribute_double(file_, object.c_str(), name.c_str(), &value) >= 0);
    return value;
  }

 private:
  hid_t file_;
};

inline std::vector<double> dataset(const std::string& file, const std::string& name) {
  return ReferenceData(file).values(name);
}

}  // namespace lapl::test
