// Turns rates of change into the stages of a step. Runge-Kutta schemes are rows of numbers
// (solver/equation/schemes.hpp), the others are functions:
//
//   leapfrog  for each field in turn, with the newest values of all: u' = u + dt f(u)
//   rkl2      solver/equation/super_steps.hpp, written with differences from u, which stay 0
//             where they are 0 although the factors are rounded:
//             y_j = u + (mu (y_(j-1) - u) + (nu (y_(j-2) - u) + (m dt f(y_(j-1)) + g dt f(u))))
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/problem.hpp"
#include "solver/equation/discretise.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The mask of a grid and what its boundary imposes (solver/equation/side_stages.hpp).
struct MaskBoundary {
  int mask = 0;        ///< array of the mask, as in FormulaNames::arrays
  FormulaNames names;  ///< of the conditions' formulas
  std::map<int, SideCondition>
      conditions;             ///< of fields, of quantities and coefficients that have them
  std::set<int> linear = {};  ///< coefficient fields that continue linearly
  /// arrays of |n . e| for fluxes along each axis (mask_weights.hpp); -1: no flux flows through
  std::array<int, 3> weights = {-1, -1, -1};
};

/// A condition at a side of an array. It applies at `place`, a position along its axis.
struct ArraySide {
  SideCondition condition;
  double place = 0;
  bool staged = false;  ///< stages must impose it (ConditionTerms)
  bool linear = false;  ///< in place of a condition, the array continues linearly
};
/// The sides of arrays where stages impose conditions (solver/equation/side_stages.hpp).
struct StagedSides {
  using Key = std::tuple<int, int, bool>;  ///< array, axis, whether it is the last side
  FormulaNames names;                      ///< of the conditions' formulas
  Shape shape;
  std::map<Key, ArraySide> at;  ///< of all sides of these arrays but those of periodic axes
};

/// A field that the others determine: `left`, which is linear in it, equals `right`.
struct SolvedField {
  int field = 0;
  Formula left, right;
  int system = 0;  ///< fields with the same one, which follow each other, are solved for together
};

/// A reduction over the grid that conditions read, by its ReducedPart::key.
struct ConditionReduction {
  std::string key;
  Formula formula;
  int node = 0;  ///< of the argument
  NestedQuantity::Of of = NestedQuantity::Of::value;
  GridReduction::Kind kind = GridReduction::Kind::mean;
  std::int64_t cell = -1;
};

/// An equation in formulas. `names.arrays` numbers its fields from 0, then the coefficient fields,
/// then the quantities that have conditions.
struct FormulaSystem {
  FormulaNames names;
  std::vector<Formula> rates = {};  ///< one for each field, in the order of the arrays
  /// by field: the value after a step of euler, where the rate is 0; the value that replaces the
  /// one after a step of any scheme
  std::map<int, Formula> next = {}, after = {};
  std::vector<Formula> quantities = {};    ///< equation.let
  std::vector<Formula> coefficients = {};  ///< parameters that conditions read as formulas
  std::vector<SolvedField> solved = {};    ///< in the order of their solves
  int systems() const { return solved.empty() ? 0 : solved.back().system + 1; }
  std::optional<MaskBoundary> mask_boundary = {};  ///< where the grid has a mask
  std::optional<StagedSides> sides = {};           ///< where stages impose conditions
  std::vector<ConditionReduction> condition_reductions = {};
  /// The ghost of a condition whose solution was not found is not a number (condition_watch.hpp).
  bool marks_unsolved = false;
};

/// A convolution over the grid: of array `source`, into array `target`, in one evaluation.
struct StageConvolution {
  int evaluation = 0;
  std::size_t window = 0;  ///< in StepStages::windows
  int source = 0, target = 0;
  std::vector<int> ghosts = {};  ///< arrays of the first ghosts beyond StageWindow::sides
};
/// A window, and the array whose boundary conditions say what it reads beyond a side; below 0 as in
/// StepStages::like.
struct StageWindow {
  GridWindow window;
  int like = 0;
  std::vector<ContinuedSide> sides = {};  ///< at which stages impose these conditions
  friend auto operator<=>(const StageWindow&, const StageWindow&) = default;
};

/// Stages, with the arrays and names that they use.
struct StepStages {
  std::vector<Stage> stages;
  /// For each array, the array whose faces it shares; -1: the faces of quantities (periodic where
  /// the grid is, else insulated); -1 - n: the same, but it ends at the sides of the periodic axes
  /// of which n is the sum of 2^axis (mixed_axes.hpp).
  std::vector<int> like;
  std::set<std::string> used;  ///< names that the formulas read
  /// The array after those of the fields is a step's error (Problem::measures_error).
  bool measures_error = false;
  /// for each stage, the arrays with the state that it reads; empty: those of the fields
  std::vector<std::vector<int>> states = {};
  std::vector<int> evaluations = {};           ///< for each stage, the number of its evaluation
  std::vector<GridReduction> reductions = {};  ///< by index; with_conditions gives stages theirs
  /// for each stage, the indices of the reductions that conditions read then, by their keys; empty:
  /// they read none
  std::vector<std::map<std::string, int>> of_conditions = {};
  std::vector<StageConvolution> convolutions = {};  ///< with_conditions gives stages theirs
  std::vector<StageWindow> windows = {};            ///< their systems begin at `first_window`
  /// the place of their systems in Problem::systems: after those of fields, and one place for that
  /// of an implicit step
  int first_window = 0;
};

/// The stages of one step of dt seconds. Throws FormulaError.
StepStages step_stages(const FormulaSystem& system, TimeScheme scheme, double time_step);

/// The stages that compute the rates of the fields without noise, 0 at nodes where conditions set
/// the field; the last stage writes the rates into the last arrays.
StepStages rate_stages(const FormulaSystem& system);

/// The system whose rates are 0 for the solved fields where these meet their equations, and no
/// field is a solved one.
FormulaSystem implicit_rates(FormulaSystem system);
/// Why an implicit step cannot solve the equations of the rates; empty if it can.
std::string why_not_implicit(const FormulaSystem& system);

/// Along planes, rows and columns: the first cell, and the one after the last.
using CellRanges = std::array<std::array<std::int64_t, 2>, 3>;
inline CellRanges all_cells(Shape grid) {
  return {{{0, grid.planes}, {0, grid.rows}, {0, grid.columns}}};
}
/// The stages that compute what an integral over cells sums: the value of a formula, in other
/// coordinates times the volume of the ring or shell that a cell stands for, over its spacings.
/// 0 in cells outside `cells`.
StepStages volume_stages(const FormulaSystem& system, const Formula& formula,
                         const CellRanges& cells);

/// Faces of cells, which a formula is integrated over.
struct CellFaces {
  std::vector<Offset> outward;  ///< directions from the cells inside
  bool of_mask = false;   ///< the faces of the mask's boundary; else those of a side of the grid
  Shape shape = {};       ///< of the grid
  CellRanges cells = {};  ///< whose faces count
};
/// The same for an integral over faces: for each cell, the sum over its faces of the value of a
/// formula divided by the spacing across the face, in other coordinates times the face's area.
StepStages face_stages(const FormulaSystem& system, const Formula& formula, const CellFaces& faces);

/// The stages that compute one side of the equation of a solved field from the fields, into the
/// last array; 0 where conditions hold the field at nodes.
StepStages solve_stages(const FormulaSystem& system, const Formula& side, int field);

/// The stages that compute the value of a formula from the fields, into the last array; `outside`
/// is the value in cells outside the mask.
StepStages value_stages(const FormulaSystem& system, const Formula& formula, double outside = 0);

}  // namespace lapl
