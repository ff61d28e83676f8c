// Estimates the largest stable step of equations whose stability depends on the state or on
// coefficient fields. Arnoldi's method (Saad, Numerical Methods for Large Eigenvalue Problems,
// chapter 6) finds the fastest modes of the rates' derivative at the initial state, with the
// boundary conditions; each mode limits the step as solver/equation/growth.hpp says.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/error.hpp"
#include "solver/equation/eigenvalues.hpp"
#include "solver/equation/stages.hpp"
#include "solver/initial_field.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The fastest modes and the growth of a state u whose rate is u'.
struct StateModes {
  std::vector<Complex> fastest;  ///< rates of the fastest modes in 1/s
  /// the largest relative change of the l2 norm of a field in 1/s: abs(<u, u'>) / <u, u>
  double growth = 0;
  /// where steps are automatic, the largest sum over the axes of speed / h of what advect and flux
  /// carry, in 1/s, else 0. Half a cell a step lets no value overshoot; longer steps may be stable.
  double flow = 0;
};

/// Thrown where the rates of a state are not finite.
struct RatesNotFinite : NumericalError {
  explicit RatesNotFinite(std::int64_t first)
      : NumericalError("the rates are not finite at this state, so that no step can be estimated"),
        index(first) {}
  std::int64_t index;  ///< of the first value whose rate is not finite, field after field
};

/// The modes of the initial state at a time. `system` is the explicit part of the config's system
/// (explicit_part). The modes are the same on any number of threads. Throws RatesNotFinite,
/// NumericalError where rates of states nearby are not finite, and DeviceError where memory does
/// not suffice.
StateModes modes_at(const RunConfig& config, const FormulaSystem& system,
                    const CoefficientFields& coefficients, const WholeFields& whole,
                    double time = 0);

/// Bytes of host memory that modes_at needs besides its arguments.
double memory_of_modes(const RunConfig& config, const FormulaSystem& system);
/// Throws DeviceError where the bytes of memory_of_modes are not available.
void require_memory_of_modes(const RunConfig& config, const FormulaSystem& system);

/// The first step of a run with time.tolerance in seconds, at most `longest`: a hundredth of the
/// time in which a field would change by its largest value. Where a field that changes is 0
/// everywhere, or rates read t, the step is also at most (0.01 / d)^(1/p). Here p is the order of a
/// step's error; d is the largest first derivative in time of a field that is 0, or second
/// derivative of any field, in units of the tolerated error. A short trial step finds the second
/// derivatives (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993),
/// section II.4). Where rates read t, the step is at most a hundredth of `longest`. Throws as
/// modes_at.
double first_step_by_rates(const RunConfig& config, const FormulaSystem& system,
                           const CoefficientFields& coefficients, const WholeFields& whole,
                           double longest);

/// The largest stable step for these modes in seconds; infinity where every step is stable.
double largest_step_of_modes(TimeScheme scheme, const std::vector<Complex>& modes);

}  // namespace lapl
