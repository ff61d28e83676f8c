// The value of cells outside the mask while outputs are computed. Files have NaN there: finite
// values are computed first, so that a value that is not finite is an error inside
// (solver/run.cpp).
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
