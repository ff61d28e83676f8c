// An estimate of the largest stable step where it depends on the state, or on coefficients that are
// fields: from the fastest modes of the rate's derivative at the initial state, as Arnoldi's method
// finds them on the grid with its faces (Saad, Numerical Methods for Large Eigenvalue Problems,
// chapter 6), each of which limits the step as solver/equation/growth.hpp says.
#pragma once

#include <string>

#include "solver/initial_field.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// In seconds, for the run's scheme; infinity where no step is too large. The same on any number of
/// threads. Throws NumericalError where the rate is not finite, DeviceError where memory does not
/// suffice.
double estimated_largest_step(const RunConfig& config, const CoefficientFields& coefficients,
                              const LoadedFields& loaded);

}  // namespace lapl
