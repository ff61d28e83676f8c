// Laws of sides that read fields or parameter fields at the node inside. Stages impose such a law
// themselves, so engines do not know of it; the face of the side is then any, here insulated. With
// the law a + b u of the last side:
//
//   what a stage reads                after the rewriting
//   u+ beside the cell                where(the cell is the last of its axis, a + b u, u+)
//   u++ at a corner                   the same, the law of the slower axis last, as in
//                                     kernels/grid/face.hpp
#pragma once

#include <array>
#include <cstddef>

#include "solver/equation/stages.hpp"

namespace lapl {

/// The operation that is 1 where the cell is the first, or the last, of an axis, else 0.
int is_at_side(StageTree& tree, Shape grid, const std::array<double, 3>& spacing, std::size_t axis,
               bool last);

/// The stages with the mask of `system` (masked_stages.hpp), then the laws of its sides that read
/// fields and those that hold upon them at corners; `outside` as there. Throws FormulaError if a
/// law's formula is wrong.
StepStages with_laws(StepStages made, const FormulaSystem& system, double outside = 0);

}  // namespace lapl
