// Conditions that follow from other formulas: those of coefficients of fluxes through sides and the
// mask boundary, and absorbing ones. Waves of speed c leave where du/dt + c du/dn = 0, so that the
// slope at the face follows from the rate of u at the node inside.
#pragma once

#include <string>
#include <vector>

#include "solver/run_config.hpp"

namespace lapl {

/// A parameter field that operators read beside cells, where a flux flows through a side or the
/// mask boundary.
struct FaceCoefficient {
  SideCondition condition;  ///< of the parameter: the value of its formula at the face
  bool is_linear;           ///< true for one without a formula of the position: it is extrapolated
};
/// One for each parameter and each of the conditions that a flux flows through.
std::vector<FaceCoefficient> coefficients_at_faces(const RunConfig& run,
                                                   const std::vector<SideCondition>& conditions);

/// True for a parameter that a formula gives at every place, not only at nodes.
bool is_of_position(const RunConfig& run, const std::string& name);

/// True if a flux flows through a side or the mask boundary and a divergence has a coefficient that
/// operators compute. The coefficient continues evenly beyond the face, so the flux is of first
/// order.
bool has_coefficient_of_operators(const RunConfig& run);

/// A condition as it applies to one field or quantity: an absorbing condition becomes the
/// derivative that it means for this field, others stay.
SideCondition condition_of_array(SideCondition condition, const std::string& array,
                                 const RunConfig& run);

/// Why this field or quantity cannot have an absorbing condition, such as "has laplacian in its
/// rate"; empty if it can. Throws FormulaError.
std::string why_not_absorbing(const std::string& array, const RunConfig& run);

}  // namespace lapl
