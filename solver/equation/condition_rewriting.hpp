// Rewrites stages so that they impose boundary conditions themselves: a read of a neighbour beyond
// a side or a mask boundary becomes the ghost there, and a condition at nodes replaces results.
#pragma once

#include <array>
#include <functional>
#include <map>
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
  /// The rewritten tree of a stage.
  StageTree of(const StepStages& made, std::size_t stage);

 protected:
  static constexpr std::array axis_member = {&Offset::plane, &Offset::row, &Offset::column};
  using Inside = std::function<int(int array)>;

  /// Functions that return the operation with an array's value at the nodes of a condition.
  struct Reads {
    Inside inside;  ///< at the node inside
    Inside before;  ///< at the node before that one; none for an axis of one node
    Offset at;      ///< place of the node before, which may be outside the mask
  };

  /// Both return the index of an operation in `made_`: read(), of the value that takes the place of
  /// an array's value at a neighbour; result(), of what the stage writes instead of `value`.
  virtual int read(int array, Offset at) = 0;
  virtual int result(int value) { return value; }

  /// The operation with the ghost of an array beside the cell at `from`, by a condition that holds
  /// at the position `place` along `axis`. Its formulas read all arrays at that position: other
  /// arrays continued linearly from the two nodes, its own with the value that meets the condition.
  int ghost(int array, const SideCondition& condition, std::size_t axis, Term place, Offset from,
            const Reads& reads);
  /// The operation with an array's value `beyond` spacings from the node inside, on the line
  /// through both nodes; with that of the node inside if the line crosses 0.
  int continued(int array, double beyond, const Reads& reads);

  FormulaNames names_;  // for formulas of conditions
  const std::vector<int> like_;
  const int moved_;  // 1 if the array of a step's error comes before those of coefficients; else 0
  const int mask_;   // array of the mask; -1 without one
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
  const std::map<std::string, int>* reductions_ = nullptr;  // indices of those that it may read
  std::set<std::string> used_;
};

}  // namespace lapl
