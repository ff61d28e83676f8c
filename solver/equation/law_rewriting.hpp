// Rewritings of stages that impose laws: they replace reads of neighbours by ghosts.
#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "solver/equation/stages.hpp"

namespace lapl {

class LawRewriting {
 public:
  LawRewriting(const StepStages& made, const FormulaSystem& system, FormulaNames names);
  virtual ~LawRewriting() = default;

  /// The tree of a stage, rewritten.
  StageTree of(const StepStages& made, std::size_t stage);

 protected:
  static constexpr std::array axis_member = {&Offset::plane, &Offset::row, &Offset::column};
  using Inside = std::function<int(int array)>;

  /// Operations of `made_`: the value that is read instead, and the new result.
  virtual int read(int array, Offset at) = 0;
  virtual int result(int value) { return value; }

  /// The ghost of an array beside the cell at `from`: what a law along an axis, which holds at
  /// `place` along it, makes of the values that `inside` reads there.
  int ghost(int array, const SideLaw& law, std::size_t axis, Term place, Offset from,
            const Inside& inside);

  FormulaNames names_;  // of laws
  const std::vector<int> like_;
  const int moved_;  // the array of a step's error stands before those of coefficients
  StageTree made_;

 private:
  int copy(const StageOperation& node);

  std::vector<int> state_;  // arrays of the fields that the stage reads
  std::set<std::string> used_;
};

}  // namespace lapl
