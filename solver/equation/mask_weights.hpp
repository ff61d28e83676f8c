// The boundary of a mask is made of faces of cells: a staircase, which is longer than the curve
// that it stands for, by 4/pi for a circle. So fluxes through its faces are weighted by |n . e|,
// where e is normal to the face and n to the curve. The sum of the weighted faces is the length of
// the curve.
//
//   o o o o o        n is the gradient of the mask, smoothed over some cells, at the middle of
//   # # o o o        the face. The weight of a face in a straight wall is exactly 1: one whose
//   # # # # o        neighbours in a row end, at both ends, at corners of two faces or more, or at
//   # # # # #        sides of the grid.
#pragma once

#include <vector>

#include "solver/make_problem.hpp"

namespace lapl {

/// If fluxes flow through the mask's boundary, adds a field for each axis to `fields`. In cells
/// inside with faces across this axis, it has the mean of their weights; elsewhere 1.
void add_mask_weights(const RunConfig& run, CoefficientFields& fields);

}  // namespace lapl
