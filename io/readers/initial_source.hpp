// Reads the fields that a config takes from files: initial fields and parameters.
#pragma once

#include "solver/initial_field.hpp"
#include "solver/run_config.hpp"
#include "solver/stable_step.hpp"

namespace lapl {

/// The initial fields that are read from files. Throws IoError if a file cannot be read, and
/// ConfigError if its shape is not grid.shape.
WholeFields load_initial_fields(const RunConfig& config);

/// The values of each parameter that is a field, from files or formulas. Throws the same errors.
CoefficientFields load_coefficients(const RunConfig& config);

/// The initial state and the coefficient fields, for an estimate of the largest stable step.
StateFields load_state_fields(const RunConfig& config);

}  // namespace lapl
