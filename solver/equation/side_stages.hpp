// Conditions of sides that stages impose themselves, so that engines do not know of them: those
// that read fields or parameter fields at the node inside, and values that hold at a node. The face
// that engines see there has no effect; it is insulated. At the last side:
//
//   condition          what a stage has     after the rewriting
//   a + b u      u+ beside the cell   where(the cell is the last of its axis, a + b u, u+)
//                u++ at a corner      the same, the condition of the slower axis last, as in
//                                     kernels/grid/face.hpp
//   g at: node   a new value of u     where(the cell is the last of its axis, g, new value)
//                u+ beside the cell   where(the cell is the last of its axis, 2 u - u-, u+)
//
// g is evaluated at the time of the new value.
//
// Masks: the values of cells outside are 0, and no cell reads them. A mask is a rewriting of
// stages, so engines do not know of it. With the mask m, 1 inside and 0 outside, and the condition
// a + b u of the mask boundary:
//
//   what a stage reads and makes      after the rewriting
//   u beside the cell, along an axis  where(m there, u there, a + b u)
//   u at a corner                     where(m there, u there, the ghost by the condition from a
//                                     cell beside both, if it is inside, else from the cell)
//   a new value                       where(m, new value, 0)
//
// Beyond the grid's sides, m is that of the cell inside, so the sides' conditions come first.
#pragma once

#include <array>
#include <cstddef>
#include <functional>

#include "solver/equation/stages.hpp"

namespace lapl {

/// The operation that is 1 where the cell is the first, or the last, of an axis, else 0.
int is_at_side(StageTree& tree, Shape grid, const FormulaNames& names, std::size_t axis, bool last);
/// Adds to a tree: 1 in cells whose index along the axis is above `between`, or below it; else 0.
int is_beyond(StageTree& tree, const FormulaNames& names, std::size_t axis, double between,
              bool above);

/// True if a condition at: node sets the values of an array at the side in this direction.
bool is_imposed_at(const StagedSides& sides, int array, Offset outward);

/// The operation with `value`, or, at nodes where conditions at: node set the values of an array,
/// with the result of `of_condition`; of two sides that meet, the slower axis wins.
int imposed_at_nodes(StageTree& tree, const StagedSides& sides, int array, int value,
                     const std::function<int(std::size_t axis, const ArraySide&)>& of_condition);

/// The stages with the mask of `system`, if it has one, then with the conditions of its sides that
/// stages impose, and those that meet them at corners. `outside` is the value that the last stage
/// stores outside the mask. Throws FormulaError if a condition's formula is wrong.
StepStages with_conditions(StepStages made, const FormulaSystem& system, double outside = 0);

}  // namespace lapl
