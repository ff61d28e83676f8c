// Conditions that follow from other formulas: those of the coefficients of fluxes through sides and
// the mask boundary, and absorbing conditions. Waves of speed c leave the grid where du/dt + c
// du/dn = 0, so that the slope at the face follows from the rate of u at the node inside.
#pragma once

#include <string>
#include <vector>

#include "solver/equation/discretise.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// A parameter field that operators read at neighbours, so that it needs a condition where a flux
/// flows through a side or the mask boundary.
struct FaceCoefficient {
  SideCondition condition;  ///< of the parameter: it has the value of its formula at the face
  bool is_linear;           ///< the parameter is no formula of the position: it continues linearly
};
/// One for each parameter and each condition with a flux through its side.
std::vector<FaceCoefficient> coefficients_at_faces(const RunConfig& run,
                                                   const std::vector<SideCondition>& conditions);

/// True for a parameter that a formula gives at every place, not only at nodes.
bool is_of_position(const RunConfig& run, const std::string& name);

/// True if a flux flows through a side or the mask boundary and a divergence has a coefficient that
/// operators compute. Beyond the face such a coefficient equals its value inside, so the flux is of
/// first order.
bool has_coefficient_of_operators(const RunConfig& run);

/// The name of a function that differs at the sides of the grid, harmonic or tensor, if rates,
/// quantities or equations to solve have one.
std::string function_of_faces(const RunConfig& run);
/// Sets FormulaNames::side_values, mask_values, open_sides and open_mask.
void set_sides(const RunConfig& run, FormulaNames& names);

/// The condition for one of the fields or quantities to which it applies. An absorbing condition
/// becomes a condition on the derivative, which follows from the rate of this field.
SideCondition condition_of_array(SideCondition condition, const std::string& array,
                                 const RunConfig& run);

/// Why this field or quantity cannot have an absorbing condition, such as "has laplacian in its
/// rate"; empty if it can. Throws FormulaError.
std::string why_not_absorbing(const std::string& array, const RunConfig& run);

}  // namespace lapl
