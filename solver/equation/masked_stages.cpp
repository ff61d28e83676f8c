#include "solver/equation/masked_stages.hpp"

#include <utility>

#include "solver/equation/condition_rewriting.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

class Masking : public ConditionRewriting {
 public:
  Masking(const StepStages& made, const FormulaSystem& system)
      : ConditionRewriting(made, system, system.mask_boundary->names),
        mask_boundary_(*system.mask_boundary) {}

  int mask() const { return mask_; }
  /// The value of results outside.
  void set_outside(double value) { outside_ = value; }

 private:
  int result(int value) override {
    return made_.operate(Operation::choice, made_.value(mask_, {}), value, made_.number(outside_));
  }

  int read(int array, Offset at) override {
    const int there = made_.value(array, at);
    if (array == mask_) return there;
    return made_.operate(Operation::choice, made_.value(mask_, at), there, beyond(array, at));
  }

  // The value at `at`, which is outside: what the condition makes of the cell reached by one step
  // less along an axis, if that is inside. As at the grid's sides, the axis of the rows comes
  // before that of the columns there.
  int beyond(int array, Offset at) {
    int otherwise = -1;
    for (std::size_t axis = 3; axis-- > 0;) {
      Offset from = at;
      if (std::exchange(from.*axis_member[axis], 0) == 0) continue;
      const auto beside = [&](int other) { return made_.value(other, from); };
      if (otherwise < 0 && from == Offset{}) return of_mask(array, axis, at, from, beside);
      // The last resort for a corner: the condition along one axis, then along the other, of the
      // cell.
      if (otherwise < 0) otherwise = of_conditions(array, at);
      const int inside = of_mask(array, axis, at, from, beside);
      otherwise = made_.operate(Operation::choice, made_.value(mask_, from), inside, otherwise);
    }
    return otherwise;
  }

  // The conditions of the columns, the rows and the planes, in this order, of the cell itself.
  int of_conditions(int array, Offset at) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Offset from = at;
      if (std::exchange(from.*axis_member[axis], 0) == 0) continue;
      return of_mask(array, axis, at, from, [&](int other) { return of_conditions(other, from); });
    }
    return made_.value(array, {});
  }

  // The ghost at `at` that the condition makes of the cell at `from` beside it.
  int of_mask(int array, std::size_t axis, Offset at, Offset from, const Inside& inside) {
    const auto found = mask_boundary_.conditions.find(like_[array]);
    const bool is_linear = mask_boundary_.linear.contains(like_[array]);
    if (found == mask_boundary_.conditions.end() && !is_linear) return inside(array);
    Reads reads{inside, {}, from};
    reads.at.*axis_member[axis] = -(at.*axis_member[axis]);
    reads.before = [&](int other) { return made_.value(other, reads.at); };
    if (is_linear) return continued(array, 1, reads);
    const double place = row_of(found->second.kind).place;
    std::set<std::string> none;
    TreeWriter writer(names_, made_, none);
    Term position = writer.position(static_cast<int>(axis), place == 1 ? at : from);
    if (place != 1)
      position = writer.sum(
          position, TreeWriter::scalar(at.*axis_member[axis] * place * names_.spacing[axis]));
    const int beyond_it = ghost(array, found->second, axis, position, from, reads);
    const int weights = mask_boundary_.weights[axis];
    if (weights < 0 || !has_flux(found->second)) return beyond_it;
    // The flux through the face, weighted (mask_weights.hpp).
    const int weight = made_.value(weights + moved_, from), here = inside(array);
    const int change = made_.operate(Operation::difference, beyond_it, here);
    return made_.operate(
        Operation::choice, made_.operate(Operation::is_less, weight, made_.number(1)),
        made_.operate(Operation::fused_multiply_add, weight, change, here), beyond_it);
  }

  const MaskBoundary& mask_boundary_;
  double outside_ = 0;
};

}  // namespace

StepStages masked(StepStages made, const FormulaSystem& system, double outside) {
  if (!system.mask_boundary) return made;
  Masking masking(made, system);
  for (std::size_t stage = 0; stage < made.stages.size(); ++stage) {
    masking.set_outside(stage + 1 == made.stages.size() ? outside : 0);
    made.stages[stage].tree = masking.of(made, stage);
    for (GridReduction& reduction : made.stages[stage].reductions) reduction.mask = masking.mask();
  }
  return made;
}

}  // namespace lapl
