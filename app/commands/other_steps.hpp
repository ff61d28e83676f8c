// What the same physical time would take in steps of other kinds, for lapl plan.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/commands/run_backend.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

struct OtherSteps {
  std::string name;  ///< euler, rkl2 or spectral
  double step = 0;   ///< seconds
  int stages = 1;    ///< of a step
  std::int64_t steps = 0;
  double seconds = 0;        ///< that they take
  std::string why_not = {};  ///< empty where they can be taken
};

/// Takes steps of each kind from `state` for some tenths of a second. Steps are as long as
/// time.step: auto takes them, but no longer than the time between outputs; those of rkl2 have 20
/// stages, or fewer where that suffices. None of a kind whose largest stable step is not known, but
/// estimated: it may not be stable. `stable_steps`: see stable_steps_of. Throws as running
/// does.
template <class T>
std::vector<OtherSteps> measure_other_steps(
    const RunConfig& config, const BackendChoice& choice, const CoefficientFields& coefficients,
    std::span<const T> state, const std::function<StableStep(TimeScheme)>& stable_steps);

struct MeasuredSteps {
  double cells_per_second = 0;
  std::int64_t steps = 0;  ///< that were taken
};

/// The speed of the last and longest stretch of some that take `seconds` together: engines take
/// more steps at once where there are more, and spectral as many as there are up to an output.
template <class T>
MeasuredSteps measure_steps(Backend<T>& backend, const RunConfig& config, double seconds);

}  // namespace lapl
