// An estimate of the largest stable step where it depends on the state, or on coefficients that are
// fields: from the fastest modes of the rate's derivative at the initial state, as Arnoldi's method
// finds them on the grid with its faces (Saad, Numerical Methods for Large Eigenvalue Problems,
// chapter 6), each of which limits the step as solver/equation/growth.hpp says.
#pragma once

#include <vector>

#include "solver/equation/eigenvalues.hpp"
#include "solver/initial_field.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The rates of the modes, in 1/s. The same on any number of threads. Throws NumericalError where
/// the rate is not finite, DeviceError where memory does not suffice.
std::vector<Complex> fastest_modes(const RunConfig& config, const CoefficientFields& coefficients,
                                   const WholeFields& whole);

/// In seconds; infinity where no step is too large.
double largest_step_of_modes(TimeScheme scheme, const std::vector<Complex>& modes);

}  // namespace lapl
