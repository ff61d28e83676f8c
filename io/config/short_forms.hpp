// The short forms of a config. They are written out into the keys of the table before these are
// read, so that all later steps know one form of each.
//
//   equation: {u: FORMULA}          fields: [u], equation.kind: formula
//   initial: FORMULA                initial: {kind: formula, formula: FORMULA}, for each field
//   initial: {u: FORMULA}           initial: {u: {kind: formula, formula: FORMULA}}
//   boundary: {x: CONDITION}        boundary: {columns: {first: CONDITION, last: CONDITION}}
//   boundary: {left: CONDITION}     the first side of the columns
//   boundary: {u: CONDITION}        of field u, at all sides
//   time: steady                    time: {scheme: steady}
#pragma once

#include "io/config/config_reader.hpp"

namespace lapl {

/// A name of an axis, or of one of its sides, in section boundary.
struct SideName {
  std::string_view name;
  int axis = 0;  ///< 0 planes, 1 rows, 2 columns
  enum class Sides : std::uint8_t { both, first, last } sides = Sides::both;
};
/// All names; the first name of an axis is that in the key table.
const std::vector<SideName>& side_names();

/// Writes out the short forms of a file and of settings, and returns the names in both. A setting
/// replaces what the file has under the same name, or one side of an axis.
ConfigNames write_out(GivenKeys& file, GivenKeys& settings, Mistakes& mistakes);

}  // namespace lapl
