// The value of cells outside the mask while outputs are computed. Files have NaN there: values are
// finite until all are known to be so, as one that is not is an error inside the mask.
#pragma once

#include <cmath>

namespace lapl {

/// netCDF's default fill value, 15 * 2^119, which both precisions hold.
inline constexpr double fill_value = 0x1.ep122;

/// True for the value of a cell outside, as stored or as read from a file.
template <class T>
bool is_outside(T value) {
  return value == static_cast<T>(fill_value) || std::isnan(value);
}

}  // namespace lapl
