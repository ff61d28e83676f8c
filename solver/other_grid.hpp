// Values of one grid on another one that divides the same box into other numbers of cells. Along an
// axis with more cells they are interpolated, along one with fewer cells averaged.
#pragma once

#include <vector>

#include "kernels/grid/grid.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The values on the grid `to`, axis by axis. Cell i of n fills the part of an axis from i/n to
/// (i + 1)/n. Interpolation is by polynomials through 2 or 4 neighbours; beyond the ends of an axis
/// values are mirrored, or follow from the opposite end if `boundaries` is periodic there. An
/// average is that of the part that a cell fills, so the integral is kept. Where neighbours are not
/// finite (outside a mask), the others count alone. Both shapes have the same number of axes.
std::vector<double> on_other_grid(std::vector<double> values, Shape from, Shape to,
                                  Interpolation interpolation, const Boundaries& boundaries);

}  // namespace lapl
