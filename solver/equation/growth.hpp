// With z = rate * dt: the factor by which a step multiplies a mode that the equation multiplies by
// e^z, and the largest stable step that follows. Stability functions: Hairer and Wanner, Solving
// Ordinary Differential Equations II (1996), section IV.2; kernels/spectral/step_change.hpp has
// them. For pure damping (real z < 0), rkl2 with s stages is stable up to -z = (s^2 + s - 2)/2, and
// a little beyond for odd s.
//
// A step is stable where |factor| <= e^max(0, 2 Re z): damped and conserved modes do not grow, and
// growing modes grow at most at twice the rate of the equation.
#pragma once

#include <limits>

#include "kernels/spectral/step_change.hpp"
#include "solver/equation/eigenvalues.hpp"
#include "solver/equation/schemes.hpp"

namespace lapl {

/// The largest stable step in seconds where every step is stable.
inline constexpr double any_step = std::numeric_limits<double>::infinity();

/// The scheme that is equivalent: leapfrog on a single field is euler.
inline TimeScheme equivalent_scheme(TimeScheme scheme, std::size_t fields) {
  return scheme.kind == Scheme::leapfrog && fields == 1 ? Scheme::euler : scheme;
}

/// The change of a mode in one step as a function of z = rate * dt; for leapfrog, that of a single
/// field.
StepChange scheme_change(TimeScheme scheme);

/// factor - 1 for a mode with z = rate dt, computed without cancellation for small z.
Complex mode_change(TimeScheme scheme, Complex z);

/// The largest stable step in seconds for one eigenvalue of the rates' derivative (1/s): 0 where
/// none is stable, infinity where every one is. For modes that the step resolves, |rate dt| <= 1,
/// the factor may exceed its bound by e^tolerance. For leapfrog and a complex eigenvalue, the
/// result is that of a wave with friction, which two fields make together.
double largest_step(TimeScheme scheme, Complex rate, double tolerance = 0);

/// ln(factor / largest stable factor) of a mode; at most 0 where the step is stable.
double excess(TimeScheme scheme, Complex rate, double dt);

/// The same for leapfrog, which updates the fields one after the other and so needs the whole
/// matrix of derivatives of the fields' rates. The search ends at `upto` seconds; infinity: no
/// bound.
double largest_leapfrog_step(const SquareMatrix& rate, double upto);
double leapfrog_excess(const SquareMatrix& rate, double dt);

}  // namespace lapl
