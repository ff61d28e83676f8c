// The short forms of section equation, and what all short forms use.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "io/config/config_reader.hpp"

namespace lapl {

/// The name within a section; empty for keys elsewhere, and for keys that a file writes with a dot.
inline std::string entry_in(std::string_view section, const Given& given) {
  const KeyRow key{.name = given.name};
  const bool is_dotted = !given.word.empty() && given.word != key.entry();
  return key.section() != section || key.name == section || is_dotted ? ""
                                                                      : std::string(key.entry());
}

inline const Given* last_given(const GivenKeys& keys, std::string_view name) {
  const Given* found = nullptr;
  for (const Given& given : keys.keys)
    if (given.name == name) found = &given;
  return found;
}

/// A key that is not written itself but follows from `source`.
inline Given following(const Given& source, std::string name, YamlNode node) {
  return {std::move(name), "", source.key_place, std::move(node)};
}

inline bool is_bare(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && node.refused.empty();
}

/// Refuses numbers that were meant as parameters, as in {D: 0.25} and {D: 1, u: D*laplacian(u)}: a
/// field that nothing gives a start of its own, and whose rate is a number.
void check_numbers(const GivenKeys& keys, bool has_initial, Mistakes& mistakes);

/// Adds the fields and the kind that rates, and equations for fields, imply.
void write_out_equation(GivenKeys& keys, bool has_fields, bool has_kind);

/// Adds the fields that have equations to the fields that are given.
void add_solved_fields(GivenKeys& keys, const GivenKeys& with_equations);

}  // namespace lapl
