// The value of cells outside the mask while outputs are computed. It is finite, because any NaN or
// infinity counts as an error of the solution. After that check it becomes NaN, as files have it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace lapl {

/// netCDF's default fill value, 15 * 2^119, which both precisions represent.
inline constexpr double fill_value = 0x1.ep122;

/// True for the value of a cell outside the mask, as computed or as read from a file.
template <class T>
bool is_outside(T value) {
  return value == static_cast<T>(fill_value) || std::isnan(value);
}

/// Makes the values of cells outside the mask NaN, as files have them.
template <class T>
void blank_outside(std::span<T> values) {
  std::ranges::replace_if(values, is_outside<T>, std::numeric_limits<T>::quiet_NaN());
}

}  // namespace lapl
