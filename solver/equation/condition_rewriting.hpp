// Rewritings of stages that impose conditions: they replace reads of neighbours by ghosts.
#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "solver/equation/condition_root.hpp"
#include "solver/equation/formula_system.hpp"

namespace lapl {

class ConditionRewriting {
 public:
  ConditionRewriting(const StepStages& made, const FormulaSystem& system, FormulaNames names);
  virtual ~ConditionRewriting() = default;

  /// The most steps of Newton's method from now on.
  void set_steps(int steps) { steps_ = steps; }
  /// The tree of a stage, rewritten.
  StageTree of(const StepStages& made, std::size_t stage);

 protected:
  static constexpr std::array axis_member = {&Offset::plane, &Offset::row, &Offset::column};
  using Inside = std::function<int(int array)>;

  /// The values that a condition follows from.
  struct Reads {
    Inside inside;  ///< at the node inside
    Inside before;  ///< at the node before that one; none for an axis of one node
    Offset at;      ///< of the node before, where a mask may be 0
  };

  /// Operations of `made_`: the value that is read instead, and the new result.
  virtual int read(int array, Offset at) = 0;
  virtual int result(int value) { return value; }

  /// The ghost of an array beside the cell at `from`: what a condition along an axis, which holds
  /// at `place` along it, makes of the values there. Its formulas read all arrays where it holds:
  /// others linearly continued from the two nodes, its own so that the condition is met.
  int ghost(int array, const SideCondition& condition, std::size_t axis, Term place, Offset from,
            const Reads& reads);
  /// The value of an array this many spacings beyond the node inside, on the line through both
  /// nodes; that of the node inside if the line crosses 0.
  int continued(int array, double beyond, const Reads& reads);

  FormulaNames names_;  // of conditions
  const std::vector<int> like_;
  const int moved_;  // the array of a step's error stands before those of coefficients
  const int mask_;   // -1 without one
  StageTree made_;

 private:
  int copy(const StageOperation& node);
  int written(const GhostTerms& terms, TreeWriter& writer, int inside);
  std::optional<Term> condition_slope(const SideCondition& condition, int field,
                                      const FormulaNames& names, int own, double h);
  bool depends(int node, int on) const;

  const FormulaSystem& system_;
  int steps_ = newton_steps;
  std::vector<int> state_;  // arrays of the fields that the stage reads
  std::set<std::string> used_;
};

}  // namespace lapl
