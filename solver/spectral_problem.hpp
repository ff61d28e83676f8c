// A run as engine spectral steps it (kernels/spectral/linear_rates.hpp).
#pragma once

#include <string>

#include "kernels/spectral/linear_rates.hpp"
#include "solver/make_problem.hpp"

namespace lapl {

/// Why engine spectral cannot step a run, "the rate of u is not linear in it"; empty where it can.
/// Throws FormulaError.
std::string why_not_spectral(const RunConfig& config);

/// problem_of, with linear rates where the run is for that engine. Throws ConfigError where it
/// cannot be, FormulaError.
template <class T>
Problem<T> problem_to_step(const Model& model, const CoefficientFields& coefficients);

}  // namespace lapl
