// Cuts the last stage of a step into two, which different warps of a GPU can compute.
#pragma once

#include <optional>

#include "kernels/problem.hpp"

namespace lapl {

/// The same step, with the same bits, whose last stage is two stages of about the same length. The
/// second reads no neighbours. The values that the first hands on are in arrays that the stage does
/// not use.
/// None if there is no such cut, or if these arrays are too few.
template <class T>
std::optional<Problem<T>> with_last_stage_cut(const Problem<T>& problem);

}  // namespace lapl
