// Field values with a precision known only at run time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/fields/digest.hpp"
#include "kernels/fields/fill_value.hpp"
#include "solver/precision.hpp"

namespace lapl {

/// The description of a field in a file.
struct FieldText {
  std::string units, long_name, standard_name;  ///< empty where none is known
  bool masked = false;  ///< cells outside a mask are NaN (attribute _FillValue)
  std::string complex =
      {};  ///< name of the complex field of which it is a part (attribute complex)
  bool earlier_fill = false;          ///< records of earlier versions have fill_value outside
  std::optional<int> kept_bits = {};  ///< StoredForm::kept_bits (attribute rounding_attribute)
};

/// View of a grid's values, row by row.
using FieldView = std::variant<std::span<const float>, std::span<const double>>;

/// A grid's values, row by row.
using FieldValues = std::variant<std::vector<float>, std::vector<double>>;

inline Precision value_precision(FieldView values) {
  return std::visit([]<class T>(std::span<const T>) { return precision_of_type<T>; }, values);
}

inline std::size_t value_count(FieldView values) {
  return std::visit([](auto held) { return held.size(); }, values);
}

/// The values as stored, little-endian.
inline std::span<const std::byte> field_bytes(FieldView values) {
  static_assert(std::endian::native == std::endian::little);
  return std::visit([](auto held) { return std::as_bytes(held); }, values);
}

/// NaN in every cell, for a field that a file lacks.
inline FieldValues missing_values(std::int64_t cells, Precision precision) {
  return with_precision(precision, [&]<class T>() -> FieldValues {
    return std::vector<T>(cells, std::numeric_limits<T>::quiet_NaN());
  });
}

/// Replaces the values of cells outside the mask.
inline void replace_outside(FieldValues& values, double by) {
  std::visit(
      [&]<class T>(std::vector<T>& held) {
        for (T& value : held)
          if (is_outside(value)) value = static_cast<T>(by);
      },
      values);
}

/// Values of a field that are contiguous in a file. All numbers count bytes.
struct ContiguousValues {
  std::uint64_t first = 0;    ///< position among the field's values in the order of the grid
  std::uint64_t size = 0;     ///< in the file
  std::uint64_t offset = 0;   ///< in the file
  std::uint64_t padding = 0;  ///< zeros after the values that fill the chunk
};

/// The state digest of all values.
inline std::uint64_t field_digest(const FieldValues& values) {
  return std::visit([](const auto& held) { return field_digest(std::span(held)); }, values);
}

/// The contribution to the state digest of values whose first has index `first` in the field.
inline std::uint64_t field_digest(FieldView values, std::uint64_t first) {
  return std::visit([&](auto held) { return field_digest(held, first); }, values);
}

inline FieldView as_view(const FieldValues& values) {
  return std::visit([](const auto& held) { return FieldView{std::span{held}}; }, values);
}

inline std::vector<double> as_doubles(FieldView values) {
  return std::visit([](const auto& held) { return std::vector<double>(held.begin(), held.end()); },
                    values);
}

}  // namespace lapl
