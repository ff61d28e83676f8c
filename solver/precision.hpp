// Number types of fields: an enumerator where a config chooses one, a template parameter elsewhere.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

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

/// The explicit bits of a value's significand.
inline int significand_bits(Precision precision) {
  return with_precision(precision, []<class T>() { return std::numeric_limits<T>::digits - 1; });
}

/// How outputs store values. Checkpoints always keep the full values, uncompressed.
struct StoredForm {
  int compression = 0;                   ///< level of deflate; 0: not compressed
  std::optional<Precision> precision{};  ///< unset: that of the run
  std::optional<double> round{};         ///< largest relative error of rounding; unset: none

  /// The explicit bits of the significand that rounding keeps, k: its relative error is at most
  /// 2^-(k+1). None: all.
  std::optional<int> kept_bits() const {
    if (!round) return std::nullopt;
    int exponent = 0;
    std::frexp(*round, &exponent);  // round is at least 2^(exponent - 1)
    return -exponent;
  }
};

/// Bytes per value.
inline std::size_t byte_size(Precision precision) {
  return with_precision(precision, []<class T>() { return sizeof(T); });
}

}  // namespace lapl
