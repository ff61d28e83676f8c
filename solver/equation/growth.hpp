// How much a step multiplies what the equation multiplies by e^(rate dt), and the largest step with
// which that is no more than it may be. Stability functions: Hairer and Wanner, Solving Ordinary
// Differential Equations II (1996), section IV.2; kernels/spectral/step_change.hpp has them. Of
// damping alone a step of rkl2 is stable to -z = (s^2 + s - 2)/2, and of odd s a little beyond.
//
// A step is stable where |factor| <= e^max(0, 2 Re z): what the equation damps or keeps does not
// grow, and what it lets grow does not grow twice as fast.
#pragma once

#include <limits>

#include "kernels/spectral/step_change.hpp"
#include "solver/equation/eigenvalues.hpp"
#include "solver/equation/schemes.hpp"

namespace lapl {

/// The largest stable step where each is stable.
inline constexpr double any_step = std::numeric_limits<double>::infinity();

/// Of one field leapfrog is euler.
inline TimeScheme scheme_of(TimeScheme scheme, std::size_t fields) {
  return scheme.kind == Scheme::leapfrog && fields == 1 ? Scheme::euler : scheme;
}

/// What a step multiplies a mode by; leapfrog's is that of a single field.
StepChange step_change_of(TimeScheme scheme);

/// What a step multiplies a mode of rate r by, less 1, from z = r dt; small for small z.
Complex change_of(TimeScheme scheme, Complex z);

/// The largest stable step for an eigenvalue of the rate's derivative: 0 where none is stable,
/// infinity where all are. Factors of a mode that the step resolves, |rate dt| <= 1, may be larger
/// by e^tolerance. Leapfrog's is that of a wave with friction, which is what its fields make
/// together.
double largest_step(TimeScheme scheme, Complex rate, double tolerance = 0);

/// ln of what a step multiplies a mode by beyond what it may; not above 0 where it is stable.
double excess(TimeScheme scheme, Complex rate, double dt);

/// Both for leapfrog and the rate's derivative by each field, of each field: fields are updated one
/// after the other. `upto`: infinity, or a step that is large enough.
double largest_leapfrog_step(const SquareMatrix& rate, double upto);
double leapfrog_excess(const SquareMatrix& rate, double dt);

}  // namespace lapl
