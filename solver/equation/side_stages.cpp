#include "solver/equation/side_stages.hpp"

#include <algorithm>
#include <utility>

#include "solver/equation/law_rewriting.hpp"
#include "solver/equation/masked_stages.hpp"

namespace lapl {
namespace {

bool is_held(const ArraySide& side) { return side.law.kind == LawKind::value_at_node; }

// The time, in steps since the beginning of the step, of the state that the target of a stage is
// part of; none if it is part of none.
std::optional<double> time_of_target(const StepStages& made, std::size_t stage, int target,
                                     int fields) {
  const int like = made.like[target];
  if (like < 0) return std::nullopt;
  if (like >= fields) return made.stages[stage].time;
  if (target < fields) return 1;
  for (std::size_t later = stage + 1; later < made.states.size(); ++later)
    if (std::ranges::count(made.states[later], target) > 0) return made.stages[later].time;
  return std::nullopt;
}

// Holds values at nodes.
class Holding : public LawRewriting {
 public:
  Holding(const StepStages& made, const FormulaSystem& system)
      : LawRewriting(made, system, system.sides->names),
        stages_(made),
        sides_(*system.sides),
        fields_(static_cast<int>(system.rates.size())) {}

  StageTree held(std::size_t stage) {
    stage_ = stage;
    next_ = 0;
    return of(stages_, stage);
  }

 private:
  int read(int array, Offset at) override { return made_.value(array, at); }

  int result(int value) override {
    const Stage& stage = stages_.stages[stage_];
    const int target = stage.targets[next_++];
    const auto time = time_of_target(stages_, stage_, target, fields_);
    if (!time) return value;
    set_time(*time - stage.time);
    return held_at_nodes(
        made_, sides_, like_[target], value, [&](std::size_t axis, const ArraySide& side) {
          return ghost(target, side.law, axis, TreeWriter::scalar(side.place, false), {},
                       [&](int other) { return made_.value(other, {}); });
        });
  }

  // Laws read the time of the stage and `later` steps.
  void set_time(double later) {
    std::set<std::string> none;
    TreeWriter writer(names_, made_, none);
    const Term now = TreeWriter::of(made_.time());
    names_.terms["t"] = later == 0 ? now : writer.sum(now, {later, false, made_.time_step()});
  }

  const StepStages& stages_;
  const StagedSides& sides_;
  const int fields_;
  std::size_t stage_ = 0, next_ = 0;
};

class SideWriting : public LawRewriting {
 public:
  SideWriting(const StepStages& made, const FormulaSystem& system)
      : LawRewriting(made, system, system.sides->names),
        stages_(made),
        sides_(*system.sides),
        mask_(system.rim ? system.rim->mask + moved_ : -1),
        fields_(static_cast<int>(system.rates.size())) {}

  StageTree written(std::size_t stage) {
    stage_ = stage;
    return of(stages_, stage);
  }

 private:
  int read(int array, Offset at) override { return beyond(array, at, 0); }

  const ArraySide* side_of(int like, std::size_t axis, bool last) const {
    const auto found = sides_.at.find({like, static_cast<int>(axis), last});
    return found == sides_.at.end() ? nullptr : &found->second;
  }

  const ArraySide* side(int array, Offset at, std::size_t axis) const {
    const int by = at.*axis_member[axis];
    const ArraySide* const found = by == 0 ? nullptr : side_of(like_[array], axis, by > 0);
    return found && is_held(*found) && all_are_held(axis, by > 0) ? nullptr : found;
  }

  // True if the stage makes no value at a side that depends on what it reads there.
  bool all_are_held(std::size_t axis, bool last) const {
    return std::ranges::all_of(stages_.stages[stage_].targets, [&](int target) {
      const ArraySide* const found = side_of(like_[target], axis, last);
      return found && is_held(*found) && time_of_target(stages_, stage_, target, fields_);
    });
  }

  // The value at `at`, where axes before `axis` do not lead outside.
  int beyond(int array, Offset at, std::size_t axis) {
    bool staged = false;
    for (std::size_t along = axis; along < 3; ++along)
      if (const ArraySide* const of_axis = side(array, at, along)) staged |= of_axis->staged;
    if (!staged) return made_.value(array, at);
    while (side(array, at, axis) == nullptr) ++axis;
    const ArraySide& found = *side(array, at, axis);
    Offset from = at;
    from.*axis_member[axis] = 0;
    const int of_law = is_held(found)
                           ? on_line(array, at, from, axis)
                           : ghost(array, found.law, axis, TreeWriter::scalar(found.place, false),
                                   from, [&](int other) { return beyond(other, from, axis + 1); });
    return made_.operate(
        Operation::choice,
        is_at_side(made_, sides_.shape, names_.spacing, axis, at.*axis_member[axis] > 0), of_law,
        beyond(array, at, axis + 1));
  }

  // The value at `at` on the line through the node at `from` and the one before it.
  int on_line(int array, Offset at, Offset from, std::size_t axis) {
    Offset before = at;
    before.*axis_member[axis] *= -1;
    const int node = beyond(array, from, axis + 1);
    int inside = beyond(array, before, axis + 1);
    if (mask_ >= 0 && array != mask_)
      inside = made_.operate(Operation::choice, made_.value(mask_, before), inside, node);
    return made_.operate(Operation::fused_multiply_add, made_.number(2), node,
                         made_.operate(Operation::negative, inside));
  }

  const StepStages& stages_;
  const StagedSides& sides_;
  const int mask_, fields_;
  std::size_t stage_ = 0;
};

// The stages, each rewritten by a rewriting of these stages.
template <class Rewriting>
StepStages rewritten(StepStages made, const FormulaSystem& system,
                     StageTree (Rewriting::*of_stage)(std::size_t)) {
  const StepStages before = made;
  Rewriting writing(before, system);
  for (std::size_t stage = 0; stage < made.stages.size(); ++stage)
    made.stages[stage].tree = (writing.*of_stage)(stage);
  return made;
}

}  // namespace

int is_at_side(StageTree& tree, Shape grid, const std::array<double, 3>& spacing, std::size_t axis,
               bool last) {
  const double between = last ? static_cast<double>(by_axis(grid)[axis]) - 1.5 : 0.5;
  const int limit = tree.number(between * spacing[axis]);
  const int position = tree.position(static_cast<int>(axis), {});
  return tree.operate(Operation::is_less, last ? limit : position, last ? position : limit);
}

int held_at_nodes(StageTree& tree, const StagedSides& sides, int array, int value,
                  const std::function<int(std::size_t axis, const ArraySide&)>& of_law) {
  for (std::size_t axis = 3; axis-- > 0;)
    for (const bool last : {false, true})
      if (const auto found = sides.at.find({array, static_cast<int>(axis), last});
          found != sides.at.end() && is_held(found->second))
        value = tree.operate(Operation::choice,
                             is_at_side(tree, sides.shape, sides.names.spacing, axis, last),
                             of_law(axis, found->second), value);
  return value;
}

StepStages with_laws(StepStages made, const FormulaSystem& system, double outside) {
  const bool holds = system.sides && std::ranges::any_of(system.sides->at, [](const auto& side) {
                       return is_held(side.second);
                     });
  if (holds) made = rewritten(std::move(made), system, &Holding::held);
  made = masked(std::move(made), system, outside);
  return system.sides ? rewritten(std::move(made), system, &SideWriting::written) : made;
}

}  // namespace lapl
