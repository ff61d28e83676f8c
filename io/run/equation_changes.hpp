// Changes of a run's equation by lapl resume --change-equation, as recorded in its log.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/run/run_folder.hpp"

namespace lapl {

/// Name in log.jsonl of the event that records a change.
inline constexpr const char* equation_changed_event = "equation_changed";

/// A change of the equation before a run continued from a step.
struct EquationChange {
  std::int64_t step = 0;
  std::string text;  ///< each changed key with its old and new value
};

/// The changes in force, in order of step. If the run went back to an earlier step, omits the
/// changes after that step. Throws IoError.
std::vector<EquationChange> equation_changes(const RunFolder& folder);

/// True if the equation was changed at this step, whose checkpoint may still have the old equation.
bool was_changed_at(const std::vector<EquationChange>& changes, std::int64_t step);

/// The changes up to a step as text for the provenance, one per line; empty if there are none.
std::string equation_changes_text(const std::vector<EquationChange>& changes,
                                  std::int64_t up_to_step);

}  // namespace lapl
