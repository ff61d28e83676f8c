// Absorbing sides. Waves of speed c leave where du/dt + c du/dn = 0, so that the slope at the face
// follows from the rate of u at the node inside.
#pragma once

#include <string>

#include "solver/run_config.hpp"

namespace lapl {

/// The condition of a field or a quantity that a condition of some or all holds for. An absorbing
/// condition becomes the derivative that it is for this field.
SideCondition condition_of_array(SideCondition condition, const std::string& array,
                                 const RunConfig& run);

/// Why no absorbing condition can hold for this field or quantity, such as "has laplacian in its
/// rate"; empty if one can. Throws FormulaError.
std::string why_not_absorbing(const std::string& array, const RunConfig& run);

}  // namespace lapl
