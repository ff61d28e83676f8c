// Masks: cells outside keep 0, and no cell reads them. A mask is a rewriting of stages, so engines
// do not know of it. With the mask m, 1 inside and 0 outside, and the condition a + b u of the mask
// boundary:
//
//   what a stage reads and makes      after the rewriting
//   u beside the cell, along an axis  where(m there, u there, a + b u)
//   u at a corner                     where(m there, u there, what the condition makes of the cell
//   that
//                                     they share a side with, if it is inside, else of the cell)
//   a new value                       where(m, new value, 0)
//
// At the grid's sides m continues as its cells do, so their conditions come first.
#pragma once

#include "solver/equation/stages.hpp"

namespace lapl {

/// The stages with the mask of `system`, if it has one; `outside` is the value that the last stage
/// stores outside. Throws FormulaError if a condition's formula is wrong.
StepStages masked(StepStages made, const FormulaSystem& system, double outside = 0);

}  // namespace lapl
