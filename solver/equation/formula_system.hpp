// Parses the formulas of a config and gives the meaning of their names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "solver/equation/stages.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The names of numeric parameters and quantities, and the grid, without fields and other arrays.
FormulaNames formula_names(const RunConfig& run);

/// The names for formulas that do not change in time and read only the position and parameters.
FormulaNames names_of_values(const RunConfig& run);

/// The mask's name among coefficient fields; no formula can read it.
inline constexpr const char* mask_name = "grid.mask";

/// True if a flux may flow through the side or the mask boundary: not if it has a value or
/// `insulated`.
bool has_flux(const SideCondition& condition);

/// True if a flux flows through the mask boundary, so that the weights of its faces are coefficient
/// fields (mask_weights.hpp). weight_name is the name of the field for the faces across an axis.
bool has_weights(const RunConfig& run);
std::string weight_name(int axis);

/// The names for the conditions of sides and of the mask's boundary. Callers add positions,
/// quantities, and parameters that are formulas of the position.
FormulaNames names_of_conditions(const RunConfig& run);

/// Names of the parameters that are fields, then of the mask and of the weights of its faces.
/// Problem::coefficients has their values in this order.
std::vector<std::string> coefficient_names(const RunConfig& run);

/// The index of each array by name, for fields, coefficient fields and quantities with a condition,
/// as in FormulaSystem::names.arrays.
std::map<std::string, int, std::less<>> array_indices(const RunConfig& run);

/// The rate of a field; for diffusion with only a coefficient, the diffusivity is 1.
FormulaText field_rate(const RunConfig& run, const std::string& field);

/// The rates of the fields and the quantities that they read. Throws FormulaError.
FormulaSystem make_system(const RunConfig& run);

/// The part of the system that limits the stable step: without the terms that the scheme treats
/// implicitly. Throws FormulaError.
FormulaSystem explicit_part(const FormulaSystem& system, Scheme scheme);

/// True if a rate reads noise. The formulas must be right.
bool has_noise(const FormulaSystem& system);

/// A condition: ghost = a + b * inside.
struct GhostTerms {
  Term a, b;
};
/// Writes the terms of a condition along an axis with spacing `h` into a tree; `names` has the
/// position. The names that it reads are added to `used`. Throws FormulaError.
GhostTerms ghost_terms(const SideCondition& condition, const FormulaNames& names, double h,
                       StageTree& tree, std::set<std::string>& used);

/// The condition of a side. If a or b varies, `tree` computes both; else both are numbers.
struct ConditionTerms : GhostTerms {
  StageTree tree;
  double place = 0;    ///< position along the axis where the condition applies
  bool reads = false;  ///< reads arrays or reductions over the grid
  std::vector<ConditionReduction> reductions = {};
  /// reads arrays or reductions, or prescribes a node's value, so that stages must impose it
  /// (side_stages.hpp)
  bool staged = false;
};
/// The terms of a condition of one array; the names that it reads are added to `used`. Throws
/// FormulaError.
ConditionTerms condition_terms(const SideCondition& condition, const RunConfig& run,
                               std::set<std::string>& used);

/// True if the condition applies to this field or quantity.
bool applies_to(const SideCondition& condition, const std::string& array, const RunConfig& run);

/// True if the ghost of a side or of the mask's boundary depends on fields or parameter fields. The
/// formulas must be right.
bool conditions_read(const RunConfig& run);

/// The faces that an integral is `on` (IntegralConfig); none for cells, and for the boundary of a
/// mask where the grid has none.
CellFaces faces_on(const IntegralConfig& integral, const RunConfig& run);
/// The first cell along an axis whose centre is at or above the lower end, and the first at or
/// above the upper one; the last cell of the axis counts also at the upper end.
std::array<std::int64_t, 2> cells_between(const std::array<double, 2>& ends, std::size_t axis,
                                          const RunConfig& run);

/// The name of a side, such as columns.first; axis 0 is planes, 1 rows, 2 columns.
std::string side_name(int axis, bool last);
/// The key of a condition, such as boundary.columns or boundary.mask, and the name of its formula
/// in messages, such as boundary.columns.first.
std::string condition_key(const SideCondition& condition);
std::string condition_name(const SideCondition& condition);

}  // namespace lapl
