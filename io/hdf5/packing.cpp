#include "io/hdf5/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "io/config/config_text.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "kernels/fields/fill_value.hpp"

namespace lapl {
namespace {

constexpr std::size_t most_missing = 100;

/// The attributes of one dataset.
class Attributes {
 public:
  Attributes(hid_t dataset, const std::string& name)
      : dataset_(dataset),
        name_(name),
        type_(H5Dget_type(dataset), "read the type of dataset " + name) {}

  hid_t type() const { return type_; }
  bool is_integer() const { return H5Tget_class(type_) == H5T_INTEGER; }
  bool is_signed() const { return H5Tget_sign(type_) == H5T_SGN_2; }
  int bits() const { return static_cast<int>(8 * H5Tget_size(type_)); }

  bool has(const char* attribute) const {
    return check_hdf5(H5Aexists(dataset_, attribute),
                      std::string("look for attribute ") + attribute) > 0;
  }

  /// The numbers of an attribute; none if it is not there.
  std::vector<double> numbers(const char* attribute, std::size_t least, std::size_t most) const {
    if (!has(attribute)) return {};
    const Hdf5Attribute opened(H5Aopen(dataset_, attribute, H5P_DEFAULT),
                               std::string("open attribute ") + attribute);
    const Hdf5Type type(H5Aget_type(opened), "read the type of an attribute");
    const std::string expected = most == 1   ? "a number"
                                 : most == 2 ? "two numbers"
                                             : "a number, or a list of numbers";
    if (const H5T_class_t kind = H5Tget_class(type); kind != H5T_FLOAT && kind != H5T_INTEGER)
      refuse(attribute,
             kind == H5T_STRING ? fmt::format("the text {}", shown(text(attribute))) : "no number",
             expected);
    const Hdf5Space space(H5Aget_space(opened), "read the extent of an attribute");
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count < static_cast<hssize_t>(least) || count > static_cast<hssize_t>(most))
      refuse(attribute, fmt::format("{} numbers", count), expected);
    return read_numbers_attribute<double>(dataset_, attribute, most);
  }

  std::optional<double> finite(const char* attribute) const {
    const std::vector<double> found = numbers(attribute, 1, 1);
    if (found.empty()) return std::nullopt;
    if (!std::isfinite(found.front()))
      refuse(attribute, fmt::format("{}", found.front()), "a finite number");
    return found.front();
  }

  std::string text(const char* attribute) const { return read_text_attribute(dataset_, attribute); }

  [[noreturn]] void refuse(const char* attribute, const std::string& found,
                           const std::string& expected) const {
    throw IoError("dataset {}: attribute {} is {} (expected {})", name_, attribute, found,
                  expected);
  }

  /// The number as a value of the dataset's type, if that is a floating-point one: a missing_value
  /// of float64 marks values of float32.
  double as_stored(double number) const {
    if (H5Tget_class(type_) != H5T_FLOAT) return number;
    std::array<std::byte, 64> buffer{};
    if (H5Tget_size(type_) > buffer.size()) return number;
    std::memcpy(buffer.data(), &number, sizeof(number));
    check_hdf5(H5Tconvert(H5T_NATIVE_DOUBLE, type_, 1, buffer.data(), nullptr, H5P_DEFAULT),
               "convert an attribute");
    check_hdf5(H5Tconvert(type_, H5T_NATIVE_DOUBLE, 1, buffer.data(), nullptr, H5P_DEFAULT),
               "convert an attribute");
    std::memcpy(&number, buffer.data(), sizeof(number));
    return number;
  }

 private:
  hid_t dataset_;
  const std::string& name_;
  Hdf5Type type_;
};

double wrapped(double value, double wrap) {
  if (wrap > 0) return value < 0 ? value + wrap : value;
  return value >= -wrap / 2 ? value + wrap : value;
}

/// The number that wrapped() adds if the attribute _Unsigned contradicts the type: 2^bits to
/// negative values of a signed type, -2^bits to values from 2^(bits - 1) on of an unsigned one. 0
/// without such a contradiction.
double unsigned_wrap(const Attributes& attributes) {
  if (!attributes.has("_Unsigned")) return 0;
  std::string text = attributes.text("_Unsigned");
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (text != "true" && text != "false")
    attributes.refuse("_Unsigned", text.empty() ? "no text" : "the text " + shown(text),
                      "true or false");
  if (!attributes.is_integer() || attributes.is_signed() != (text == "true")) return 0;
  return std::ldexp(text == "true" ? 1 : -1, attributes.bits());
}

/// netCDF's default fill value of the dataset's type; none if it may be an ordinary value. An
/// integer type has this fill value only if the dataset is made to be filled with it, as netCDF
/// makes datasets.
std::optional<double> default_fill(hid_t dataset, const Attributes& attributes) {
  if (!attributes.is_integer()) return attributes.as_stored(fill_value);
  const int bits = attributes.bits();
  if (bits < 16) return std::nullopt;  // every byte is a value
  // -32767, -2147483647, -9223372036854775806; 65535, 4294967295, 18446744073709551614
  const double half = std::ldexp(1, bits - 1), less = bits == 64 ? 2 : 1;
  const double fill = attributes.is_signed() ? less - half : 2 * half - less;
  const Hdf5Properties properties(H5Dget_create_plist(dataset), "read a dataset's properties");
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  double found = 0;
  if (H5Pfill_value_defined(properties, &defined) < 0 || defined != H5D_FILL_VALUE_USER_DEFINED ||
      H5Pget_fill_value(properties, H5T_NATIVE_DOUBLE, &found) < 0 || found != fill)
    return std::nullopt;
  return fill;
}

bool is_own_file(hid_t dataset) {
  const Hdf5File file(H5Iget_file_id(dataset), "find the file of a dataset");
  return check_hdf5(H5Aexists_by_name(file, "/", format_attribute, H5P_DEFAULT),
                    "look for an attribute") > 0;
}

}  // namespace

double Packing::meaning(double stored) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (wrap != 0) stored = wrapped(stored, wrap);
  if (std::ranges::count(missing, stored) > 0) return none;
  const double value = scale == 1 && offset == 0 ? stored : scale * stored + offset;
  return of_stored.has(stored) && of_values.has(value) ? value : none;
}

Packing read_packing(hid_t dataset, const std::string& name) {
  const Attributes attributes(dataset, name);
  constexpr std::pair<const char*, const char*> refused[] = {
      {"signedness", "netCDF-2's form of _Unsigned"},
      {"compress", "points of a grid gathered in a list"}};
  for (const auto& [attribute, meaning] : refused)
    if (attributes.has(attribute))
      throw IoError("dataset {}: attribute {} is not read ({})", name, attribute, meaning);
  Packing packing;
  packing.wrap = unsigned_wrap(attributes);
  packing.scale = attributes.finite("scale_factor").value_or(1);
  packing.offset = attributes.finite("add_offset").value_or(0);
  const auto stored = [&](double number) {
    const double same = attributes.as_stored(number);
    return packing.wrap != 0 ? wrapped(same, packing.wrap) : same;
  };
  const auto add = [&](double number) {
    if (!std::isnan(number)) packing.missing.push_back(stored(number));
  };
  const std::vector<double> fill = attributes.numbers("_FillValue", 1, 1);
  for (const double number : fill) add(number);
  for (const double number : attributes.numbers("missing_value", 1, most_missing)) add(number);
  if (fill.empty() && !is_own_file(dataset))
    if (const auto number = default_fill(dataset, attributes)) add(*number);

  // As netCDF says: a range beside packed integers is one of stored values, but if its numbers are
  // floating-point, one of unpacked values.
  const bool packed = packing.scale != 1 || packing.offset != 0;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto limit = [&](const char* attribute, double low, double high) {
    const Hdf5Attribute opened(H5Aopen(dataset, attribute, H5P_DEFAULT), "open an attribute");
    const Hdf5Type type(H5Aget_type(opened), "read the type of an attribute");
    const bool unpacked = packed && attributes.is_integer() && H5Tget_class(type) == H5T_FLOAT;
    const auto number = [&](double given) {
      return unpacked || std::isinf(given) ? given : stored(given);
    };
    Packing::Range& range = unpacked ? packing.of_values : packing.of_stored;
    range.low = std::max(range.low, number(low));
    range.high = std::min(range.high, number(high));
  };
  for (const double number : attributes.numbers("valid_min", 1, 1))
    limit("valid_min", number, infinity);
  for (const double number : attributes.numbers("valid_max", 1, 1))
    limit("valid_max", -infinity, number);
  if (const auto range = attributes.numbers("valid_range", 2, 2); !range.empty())
    limit("valid_range", range[0], range[1]);
  return packing;
}

}  // namespace lapl
