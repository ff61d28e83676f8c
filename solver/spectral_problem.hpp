// Prepares a run for the spectral engine (kernels/spectral/linear_rates.hpp).
#pragma once

#include <memory>
#include <string>

#include "kernels/spectral/linear_rates.hpp"
#include "solver/make_problem.hpp"

namespace lapl {

/// Why the spectral engine cannot step a run, such as "the rate of u is not linear in it"; empty if
/// it can. Throws FormulaError.
std::string why_not_spectral(const RunConfig& config, const FormulaSystem& system);

/// The rates of a run that engine spectral steps. Throws FormulaError, and ConfigError if the
/// engine cannot step the run. Only the first of several ranks needs the source (rates of a field
/// of 0).
std::shared_ptr<const LinearRates> linear_rates(const RunConfig& config,
                                                const FormulaSystem& system,
                                                const CoefficientFields& coefficients,
                                                bool with_source);

}  // namespace lapl
