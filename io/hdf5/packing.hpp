// The attributes of the netCDF and CF user guides by which a stored value means another one.
// Messages as in hdf5_handle.hpp.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_handle.hpp"

namespace lapl {

/// A stored value v means scale * v + offset, or NaN if it is missing.
struct Packing {
  double scale = 1, offset = 0;
  /// 2^bits: v + wrap is meant where v is negative; -2^bits: where v is at least 2^(bits - 1)
  double wrap = 0;
  std::vector<double> missing;  ///< after wrap
  /// Values outside are missing.
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

/// The use that is made of an attribute.
enum class AttributeUse { honoured, refused, without_effect };

/// A row of docs/format.md.
struct AttributeRow {
  const char* name;
  AttributeUse use;
  const char* meaning;
};

/// Every attribute of both guides that says how the numbers of a dataset are to be read.
inline constexpr std::array<AttributeRow, 17> value_attributes = {{
    {"_Unsigned", AttributeUse::honoured,
     "true: signed integers are read as unsigned ones; false: unsigned ones as signed"},
    {"scale_factor", AttributeUse::honoured, "the values are multiplied by it"},
    {"add_offset", AttributeUse::honoured, "it is added, after scale_factor"},
    {"_FillValue", AttributeUse::honoured, "this stored value is missing: NaN"},
    {"missing_value", AttributeUse::honoured, "these stored values are missing: one, or a list"},
    {"valid_min", AttributeUse::honoured, "lesser values are missing"},
    {"valid_max", AttributeUse::honoured, "greater values are missing"},
    {"valid_range", AttributeUse::honoured, "values outside of these two numbers are missing"},
    {"signedness", AttributeUse::refused, "netCDF-2's form of _Unsigned"},
    {"compress", AttributeUse::refused, "points of a grid gathered in a list"},
    {"units", AttributeUse::without_effect, "numbers are taken as they stand, in any unit"},
    {"actual_range", AttributeUse::without_effect, "describes the values"},
    {"flag_values", AttributeUse::without_effect, "the codes are the values"},
    {"flag_masks", AttributeUse::without_effect, "the codes are the values"},
    {"flag_meanings", AttributeUse::without_effect, "names of the codes"},
    {"cell_methods", AttributeUse::without_effect, "describes the values"},
    {"quantization", AttributeUse::without_effect, "says how the values were rounded"},
}};

/// Reads them. In a file of another program netCDF's default fill value of the type counts as
/// missing where no _FillValue is given. Throws IoError for an attribute that is refused, or of
/// another type or count than the guides allow.
Packing read_packing(hid_t dataset, const std::string& name);

}  // namespace lapl
