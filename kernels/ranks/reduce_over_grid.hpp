// A reduction over the grid from the cells of each rank.
#pragma once

#include <functional>

#include "kernels/ranks/ranks.hpp"
#include "kernels/stages/grid_reduction.hpp"

namespace lapl {

struct Stage;

/// Reduces over the cells of all ranks, which must all call it. `extremes` and `sum` return those
/// of this rank's own cells; `sum` gets the exponent for units_of_values, and is not called if the
/// extremes suffice. The result is NaN if a value is not finite.
double reduce_over_grid(const GridReduction& reduction, Ranks& ranks,
                        const std::function<GridExtremes()>& extremes,
                        const std::function<GridSum(int exponent)>& sum);

/// Takes part in the reductions of a stage, for a rank without cells.
void reduce_no_cells(const Stage& stage, Ranks& ranks);

}  // namespace lapl
