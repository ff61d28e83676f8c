// Changes of a run's equation by lapl resume --change-equation, as recorded in its log.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/run/run_folder.hpp"

namespace lapl {

/// Name of these events in log.jsonl.
inline constexpr const char* equation_changed_event = "equation_changed";

/// A change of the equation at a step.
struct EquationChange {
  std::int64_t step = 0;
  std::string text;  ///< each changed key with both values
};

/// The changes in force, in order; those after a step to which the run went back are dropped.
/// Throws IoError.
std::vector<EquationChange> equation_changes(const RunFolder& folder);

/// True for a change at this step, so that its checkpoint may have the other equation.
bool was_changed_at(const std::vector<EquationChange>& changes, std::int64_t step);

/// The changes up to a step as text for the provenance, one per line; empty where there is none.
std::string text_of(const std::vector<EquationChange>& changes, std::int64_t up_to_step);

}  // namespace lapl
