// Changes of a run by lapl resume --change, as recorded in its log.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/run/run_folder.hpp"

namespace lapl {

/// Names in log.jsonl of the events that record a change: of what is computed, and of outputs
/// alone.
inline constexpr const char *changed_event = "changed", *output_changed_event = "output_changed";

/// A change before a run continued from a step.
struct RunChange {
  std::int64_t step = 0;
  std::string text;         ///< each changed key with its old and new value
  bool of_outputs = false;  ///< steps and states are the same
};

/// The changes in force, in order of step. If the run went back to an earlier step, omits the
/// changes after that step. Throws IoError.
std::vector<RunChange> run_changes(const RunFolder& folder);

/// True if what is computed was changed at this step, whose checkpoint may still have the config
/// from before.
bool was_changed_at(const std::vector<RunChange>& changes, std::int64_t step);

/// The changes up to a step as text for the provenance, one per line; empty if there are none.
std::string run_changes_text(const std::vector<RunChange>& changes, std::int64_t up_to_step);

}  // namespace lapl
