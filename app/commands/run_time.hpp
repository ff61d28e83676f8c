// How long a run takes, measured beforehand.
#pragma once

#include "app/commands/other_steps.hpp"
#include "app/commands/run_backend.hpp"
#include "io/config/config.hpp"
#include "kernels/backend.hpp"

namespace lapl {

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

/// Takes steps from the initial field for about a second, then stores a field a few times in a
/// temporary folder on the disk that the outputs will be on. Storing goes on beside the steps of a
/// GPU, and takes the time of cores away from those on a CPU. `stable_steps`: see stable_steps_of.
/// Throws as running does.
RunTime measure_run_time(const LoadedConfig& config, const BackendChoice& choice,
                         const std::function<StableStep(TimeScheme)>& stable_steps);

}  // namespace lapl
