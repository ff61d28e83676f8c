// From rates of change to the stages of a step, for each scheme: Runge-Kutta's are rows of numbers
// (solver/equation/schemes.hpp), the others are functions:
//
//   leapfrog  for each field in turn, with the newest values of all: u' = u + dt f(u)
//   rkl2      solver/equation/super_steps.hpp, of differences from u, which rounded factors keep at
//             0: y_j = u + (mu (y_(j-1) - u) + (nu (y_(j-2) - u) + (m dt f(y_(j-1)) + g dt f(u))))
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernels/problem.hpp"
#include "solver/equation/discretise.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// An equation in formulas. `names` holds its numbers, the grid, and as arrays its fields (from 0
/// on), then its coefficient fields, then those quantities that a law is given for.
struct FormulaSystem {
  FormulaNames names;
  std::vector<Formula> rates;       ///< of each field, in the order of the arrays
  std::vector<Formula> quantities;  ///< equation.let
};

struct StepStages {
  std::vector<Stage> stages;
  std::vector<int> like;       ///< of each array: the one whose faces it has; -1: a quantity's
  std::set<std::string> used;  ///< names that the formulas read
};

/// Throws FormulaError. `names.quantities` need not be set.
StepStages step_stages(const FormulaSystem& system, TimeScheme scheme, double time_step);

/// The stages that make the rates of the fields, in the last arrays: targets of the last stage.
StepStages rate_stages(const FormulaSystem& system);

/// The stages that make the value of a formula from the fields, in the last array.
StepStages value_stages(const FormulaSystem& system, const Formula& formula);

class StageMaker;

/// True where there are such stages, formula after formula.
class StageCheck {
 public:
  /// Throws FormulaError where a quantity is made of itself, or of too much. The system must live
  /// longer.
  explicit StageCheck(const FormulaSystem& system);
  ~StageCheck();

  /// Names that a formula and the quantities in it read. Throws FormulaError. The formula must live
  /// longer.
  const std::set<std::string>& names_read_by(const Formula& formula);

 private:
  std::unique_ptr<StageMaker> maker_;
};

}  // namespace lapl
