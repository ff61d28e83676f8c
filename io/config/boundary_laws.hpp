// The boundary laws of an axis in a config, {first: LAW, last: LAW}. A law is a word, a map such as
// {value: FORMULA}, or a map from fields to laws; its resolved form has no words.
#pragma once

#include <vector>

#include "io/config/schema.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The schema of the laws of one axis.
Schema axis_laws();
/// The schema of a law, or of a map from fields to laws: those of a mask's rim.
Schema rim_laws();

/// True for a scalar that is a condition at a side, and no word for an axis.
bool is_side_condition(const YamlNode& scalar);
/// True for the first key of such a map, and for `at`.
bool is_condition_word(const std::string& word);

/// The laws in the resolved map of an axis: 0 planes, 1 rows, 2 columns.
std::vector<SideLaw> laws_in(const YamlNode& map, int axis);
std::vector<SideLaw> rim_laws_in(const YamlNode& node);

}  // namespace lapl
