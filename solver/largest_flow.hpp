// How fast a state flows through the cells of the grid: the limit of steps of advect and flux.
#pragma once

#include <span>

#include "solver/initial_field.hpp"
#include "solver/run_config.hpp"

namespace lapl {

struct FormulaSystem;

/// The largest sum over the axes of |speed| / h (1/s) of what advect and flux carry in a rate, at a
/// state of every field, one after the other; 0 where there are none. Factors of the calls count,
/// and across r the area of a cell's outer face over its volume. Values that are not numbers do not
/// count.
double largest_flow(const RunConfig& config, const FormulaSystem& system,
                    const CoefficientFields& coefficients, std::span<const double> state,
                    double time);

}  // namespace lapl
