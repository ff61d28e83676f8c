// A run as engine spectral steps it (kernels/linear_rates.hpp).
#pragma once

#include <string>

#include "kernels/linear_rates.hpp"
#include "solver/problem.hpp"

namespace lapl {

/// Why engine spectral cannot step a run, "the rate of u is not linear in it"; empty where it can.
/// Throws FormulaError.
std::string why_not_spectral(const RunConfig& config);

/// Throws ConfigError where it cannot, FormulaError. `coefficients`: see problem_of.
LinearRates linear_rates_of(const RunConfig& config, const CoefficientFields& coefficients);

}  // namespace lapl
