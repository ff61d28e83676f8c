// How long a run takes, measured beforehand.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/run_backend.hpp"
#include "io/config/config.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

/// What the same physical time would take in steps of another kind.
struct OtherSteps {
  std::string name;  ///< euler, rkl2 or spectral
  double step = 0;   ///< seconds
  int stages = 1;    ///< of a step
  std::int64_t steps = 0;
  double seconds = 0;        ///< that they take
  std::string why_not = {};  ///< empty where they can be taken
};

struct RunTime {
  BackendDescription by;
  double cells_per_second = 0;       ///< of the engine alone; 0 where the run takes no step
  double stepping_seconds = 0;       ///< of all steps
  double storing_seconds = 0;        ///< of all outputs and checkpoints
  double seconds = 0;                ///< of the whole run
  std::string frozen;                ///< a warning of the initial field; empty where there is none
  std::optional<double> good_steps;  ///< until float32 has made a mean drift; none: it does not
  std::string storing_unknown;       ///< why storing could not be measured; empty where it was
  std::vector<OtherSteps> others;    ///< to the same time
};

/// Takes steps from the initial field for about a second, and of each other kind for some tenths,
/// then stores a field a few times in a temporary folder on the disk that the outputs will be on.
/// Storing goes on beside the steps of a GPU, and takes the time of cores away from those on a CPU.
/// The other steps are as long as time.step: auto takes them, but no longer than the time between
/// outputs; those of rkl2 have 20 stages, or fewer where that suffices. None of a kind whose
/// largest stable step is not known, but estimated: it may not be stable. `stable_steps`: see
/// stable_steps_of. Throws as running does.
RunTime measure_run_time(const LoadedConfig& config, const BackendChoice& choice,
                         const std::function<StableStep(TimeScheme)>& stable_steps);

}  // namespace lapl
