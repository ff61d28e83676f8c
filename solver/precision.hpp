// Number types of fields: an enumerator where a config chooses one, a template parameter elsewhere.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "solver/names.hpp"

namespace lapl {

enum class Precision { float32, float64 };
template <>
inline constexpr auto name_table<Precision> = std::to_array<Named<Precision>>(
    {{Precision::float32, "float32"}, {Precision::float64, "float64"}});

template <class T>
inline constexpr Precision precision_of_type = sizeof(T) == sizeof(float) ? Precision::float32
                                                                          : Precision::float64;

/// Calls `use<T>()` with T = float or double.
template <class Use>
decltype(auto) with_precision(Precision precision, Use use) {
  return precision == Precision::float32 ? use.template operator()<float>()
                                         : use.template operator()<double>();
}

/// True if a value, rounded to this precision, is positive and finite.
inline bool is_positive_in(Precision precision, double value) {
  return with_precision(precision, [value]<class T>() {
    return value >= std::numeric_limits<T>::denorm_min() && value <= std::numeric_limits<T>::max();
  });
}

/// Bytes per value.
inline std::size_t byte_size(Precision precision) {
  return with_precision(precision, []<class T>() { return sizeof(T); });
}

}  // namespace lapl
