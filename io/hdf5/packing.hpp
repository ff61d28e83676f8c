// Reads the attributes of the netCDF and CF user guides that give a stored value another meaning,
// such as scale_factor. Messages do not name the file (hdf5_handle.hpp).
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_handle.hpp"

namespace lapl {

/// A stored value v means scale * v + offset, or NaN if it is missing.
struct Packing {
  double scale = 1, offset = 0;
  /// 2^bits: v + wrap is meant if v < 0; -2^bits: if v >= 2^(bits - 1); 0: v itself is meant
  double wrap = 0;
  std::vector<double> missing;  ///< values of v, after wrap, that mean NaN
  /// Values outside the range are missing.
  struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool has(double value) const { return !(value < low || value > high); }
    friend bool operator==(const Range&, const Range&) = default;
  };
  Range of_stored, of_values;  ///< of v after wrap, and of scale * v + offset

  bool is_none() const {
    return scale == 1 && offset == 0 && wrap == 0 && missing.empty() && of_stored == Range() &&
           of_values == Range();
  }
  /// The meaning of one stored value.
  double meaning(double stored) const;
};

/// Reads the attributes of a dataset (docs/format.md lists them). In a file of another program
/// netCDF's default fill value of the type counts as missing where no _FillValue is given. Throws
/// IoError for an attribute that is refused, or of another type or count than the guides allow.
Packing read_packing(hid_t dataset, const std::string& name);

}  // namespace lapl
