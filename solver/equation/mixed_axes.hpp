// Axes that are periodic for some fields and end at sides for others. Engines see a periodic axis.
// Stages impose the conditions of the fields that end there (side_stages.hpp), and continue evenly
// what is computed from these fields and the parameter fields that operators read beside them.
#pragma once

#include <functional>
#include <string>

#include "solver/equation/discretise.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// True for an axis that is periodic for some fields, and at whose sides others have conditions.
bool is_mixed(const RunConfig& run, int axis);

/// FormulaNames::ending of a config. Formulas with mistakes count as empty.
EndingArrays ending_arrays(const RunConfig& run);

/// Calls add(key, what) where an operator would read beyond the sides of a mixed axis both what is
/// periodic and what ends there.
void find_mixed_reads(const RunConfig& run,
                      const std::function<void(const std::string&, const std::string&)>& add);

}  // namespace lapl
