// The conditions at the sides of the grid and at the mask boundary in a config, as rows of its
// schema. A condition is a map such as {value: FORMULA}, or a word or a number that stands for one.
#pragma once

#include <vector>

#include "io/config/schema.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// A condition of one field, or of all fields.
Schema condition(bool of_mask = false);
/// A condition, or a map from fields to conditions: at a side, or at the mask boundary.
Schema side_condition(bool of_mask = false);
/// {first: CONDITION, last: CONDITION}, at the sides of an axis.
Schema axis_conditions();

/// True for a scalar that stands for a condition at one side, such as a number; false for a word
/// that only an axis has, such as zero or periodic.
bool is_side_condition(const YamlNode& scalar);
/// True for the first key of a condition, and for `at`.
bool is_condition_word(const std::string& word);

/// Adds the conditions in a resolved node, for all fields or for some. `at` has the place: a side
/// or the mask boundary.
void add_conditions(const SideCondition& at, const YamlNode& node,
                    std::vector<SideCondition>& conditions);

}  // namespace lapl
