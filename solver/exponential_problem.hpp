// Finds the linear part that etdrk2 and etdrk4 solve exactly
// (kernels/spectral/exponential_modes.hpp).
#pragma once

#include <memory>
#include <string>

#include "kernels/spectral/exponential_rates.hpp"
#include "solver/make_problem.hpp"

namespace lapl {

/// Why etdrk2 and etdrk4 cannot step a run; empty if they can. Throws FormulaError.
std::string why_not_exponential(const RunConfig& config, const FormulaSystem& system);

/// The rates of a run, with the linear part that the scheme solves exactly. Throws FormulaError,
/// and ConfigError if the scheme cannot step the run.
std::shared_ptr<const ExponentialRates> exponential_rates(const RunConfig& config,
                                                          const FormulaSystem& system,
                                                          const CoefficientFields& coefficients);

}  // namespace lapl
