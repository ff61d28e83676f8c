// Messages of a run on its time step and its values: while it goes on, and where it fails.
#pragma once

#include <string>
#include <vector>

#include "app/view/console.hpp"
#include "io/run/run_folder.hpp"
#include "io/run/run_writer.hpp"
#include "solver/model.hpp"
#include "solver/precision_watch.hpp"
#include "solver/run.hpp"

namespace lapl {

/// A hint for a run whose state is no longer finite: its step and the longest stable step at the
/// last checkpoint, whose values are all finite. Empty if none can be given.
std::string step_hint(const Model& model, const RunFolder& folder);

/// Sets functions of `steps`, which keep references to `folder` and `console`: the run prints and
/// logs its warnings. If the config asks for it, the run estimates the longest stable step while it
/// goes on, and reports if its steps change or are too long.
template <class T>
void set_estimates(VaryingSteps<T>& steps, const Model& model, const RunFolder& folder,
                   Console& console);

/// The warnings of PrecisionWatch about an output's values of float32.
std::vector<std::string> check_precision(PrecisionWatch& watch, const StoredEvent& event);

}  // namespace lapl
