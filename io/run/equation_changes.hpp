// Changes of a run's equation on the way, by lapl resume --change-equation, as its log has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/run/run_folder.hpp"

namespace lapl {

/// Name of their events in log.jsonl.
inline constexpr const char* equation_changed_event = "equation_changed";

struct EquationChange {
  std::int64_t step = 0;
  std::string text;  ///< each key with both values
};

/// Those in force, in order: a run that went back since has lost the later ones. Throws IoError.
std::vector<EquationChange> equation_changes(const RunFolder& folder);

/// Whether there is one at this step, so that a checkpoint of it may have another equation.
bool was_changed_at(const std::vector<EquationChange>& changes, std::int64_t step);

/// Those up to a step for the provenance, a line each; empty where there is none.
std::string text_of(const std::vector<EquationChange>& changes, std::int64_t up_to_step);

}  // namespace lapl
