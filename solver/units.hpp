// The words that a config gives to its numbers for people and for other programs. No number
// depends on them.
#pragma once

#include <string>
#include <string_view>

namespace lapl {

/// Units of the axes; empty where the config names none.
struct Units {
  std::string length, time;
  friend bool operator==(const Units&, const Units&) = default;
};

/// Words for a field; empty where the config gives none.
struct FieldLabels {
  std::string unit, label;
  std::string standard_name;  ///< CF conventions, section 3.3
};

/// A number with its unit: "0.25 s", or the number alone without one.
inline std::string with_unit(std::string number, std::string_view unit) {
  if (!unit.empty()) number.append(" ").append(unit);
  return number;
}

/// A name with the unit of its values: "T (K)", or the name alone without one.
inline std::string with_unit_after(std::string name, std::string_view unit) {
  if (!unit.empty()) name.append(" (").append(unit).append(")");
  return name;
}

}  // namespace lapl
