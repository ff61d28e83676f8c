// Prepares a run for the spectral engine (kernels/spectral/linear_rates.hpp).
#pragma once

#include <string>

#include "kernels/spectral/linear_rates.hpp"
#include "solver/make_problem.hpp"

namespace lapl {

/// Why the spectral engine cannot step a run, such as "the rate of u is not linear in it"; empty if
/// it can. Throws FormulaError.
std::string why_not_spectral(const RunConfig& config);

/// The problem of problem_of, with what the spectral engine needs if the run uses it. Throws
/// FormulaError, and ConfigError if this engine cannot step it. Only the first of several ranks
/// needs the source.
template <class T>
Problem<T> problem_to_step(const Model& model, const CoefficientFields& coefficients,
                           bool with_source = true);

}  // namespace lapl
