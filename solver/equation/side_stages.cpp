#include "solver/equation/side_stages.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "solver/equation/condition_rewriting.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

bool is_imposed(const ArraySide& side) {
  return side.condition.kind == ConditionKind::value_at_node;
}

// Rewrites stages one after the other, and knows which array each result of a stage goes to.
class SideRewriting : public ConditionRewriting {
 public:
  SideRewriting(const StepStages& made, const FormulaSystem& system)
      : ConditionRewriting(made, system, system.sides->names),
        stages_(made),
        sides_(*system.sides),
        fields_(static_cast<int>(system.rates.size())) {}

  StageTree rewritten(std::size_t stage) {
    stage_ = stage;
    result_ = 0;
    return of(stages_, stage);
  }

 protected:
  const Stage& stage() const { return stages_.stages[stage_]; }

  // If a target is an array of a state of the step: the time of that state, in steps since the
  // beginning of the step. None for arrays of no state.
  std::optional<double> target_time(int target) const {
    const int like = like_[target];
    if (like < 0) return std::nullopt;
    if (like >= fields_) return stage().time;
    if (target < fields_) return 1;
    for (std::size_t later = stage_ + 1; later < stages_.states.size(); ++later)
      if (std::ranges::count(stages_.states[later], target) > 0) return stages_.stages[later].time;
    return std::nullopt;
  }

  const StepStages& stages_;
  const StagedSides& sides_;
  const int fields_;
  std::size_t stage_ = 0, result_ = 0;  // index of the current stage, and of its next result
};

// Imposes conditions at: node: the results of stages become the conditions' values at these nodes.
class ImposedValues : public SideRewriting {
 public:
  using SideRewriting::SideRewriting;

 private:
  int read(int array, Offset at) override { return made_.value(array, at); }

  int result(int value) override {
    const int target = stage().targets[result_++];
    const auto time = target_time(target);
    if (!time) return value;
    set_time(*time - stage().time);
    return imposed_at_nodes(
        made_, sides_, like_[target], value, [&](std::size_t axis, const ArraySide& side) {
          return ghost(target, side.condition, axis, TreeWriter::scalar(side.place, false), {},
                       {[&](int other) { return made_.value(other, {}); }, {}, {}});
        });
  }

  // Sets the t of conditions: the time of the stage plus `later` steps.
  void set_time(double later) {
    std::set<std::string> none;
    TreeWriter writer(names_, made_, none);
    const Term now = TreeWriter::of(made_.time());
    names_.terms["t"] = later == 0 ? now : writer.sum(now, {later, false, made_.time_step()});
  }
};

class SideWriting : public SideRewriting {
 public:
  using SideRewriting::SideRewriting;

 private:
  int read(int array, Offset at) override { return beyond(array, at, 0); }

  const ArraySide* find_array_side(int like, std::size_t axis, bool last) const {
    const auto found = sides_.at.find({like, static_cast<int>(axis), last});
    return found == sides_.at.end() ? nullptr : &found->second;
  }

  const ArraySide* side(int array, Offset at, std::size_t axis) const {
    const int by = at.*axis_member[axis];
    const ArraySide* const found = by == 0 ? nullptr : find_array_side(like_[array], axis, by > 0);
    return found && is_imposed(*found) && all_are_imposed(axis, by > 0) ? nullptr : found;
  }

  // True if conditions at: node set all results of the stage at a side, so that its reads beyond
  // have no effect.
  bool all_are_imposed(std::size_t axis, bool last) const {
    return std::ranges::all_of(stage().targets, [&](int target) {
      const ArraySide* const found = find_array_side(like_[target], axis, last);
      return found && is_imposed(*found) && target_time(target);
    });
  }

  // The value at `at`. Only along `axis` and the axes after it may `at` lead outside the grid.
  int beyond(int array, Offset at, std::size_t axis) {
    bool staged = false;
    for (std::size_t along = axis; along < 3; ++along)
      if (const ArraySide* const of_axis = side(array, at, along)) staged |= of_axis->staged;
    if (!staged) return made_.value(array, at);
    while (side(array, at, axis) == nullptr) ++axis;
    const ArraySide& found = *side(array, at, axis);
    Offset from = at;
    from.*axis_member[axis] = 0;
    Reads reads{[&](int other) { return beyond(other, from, axis + 1); }, {}, at};
    reads.at.*axis_member[axis] *= -1;
    if (by_axis(sides_.shape)[axis] > 1)
      reads.before = [&](int other) { return beyond(other, reads.at, axis + 1); };
    const int of_condition = is_imposed(found) ? on_line(array, at, from, axis)
                             : found.linear
                                 ? continued(array, 1, reads)
                                 : ghost(array, found.condition, axis,
                                         TreeWriter::scalar(found.place, false), from, reads);
    return made_.operate(Operation::choice,
                         is_at_side(made_, sides_.shape, names_, axis, at.*axis_member[axis] > 0),
                         of_condition, beyond(array, at, axis + 1));
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
};

class Masking : public ConditionRewriting {
 public:
  Masking(const StepStages& made, const FormulaSystem& system)
      : ConditionRewriting(made, system, system.mask_boundary->names),
        mask_boundary_(*system.mask_boundary),
        sides_(system.sides) {}

  /// Sets the value that stages store outside the mask.
  void set_outside(double value) { outside_ = value; }

 private:
  int result(int value) override {
    return made_.operate(Operation::choice, made_.value(mask_, {}), value, made_.number(outside_));
  }

  int read(int array, Offset at) override {
    const int there = made_.value(array, at);
    if (array == mask_) return there;
    return made_.operate(Operation::choice, mask(array, at), there, beyond(array, at));
  }

  // The mask at `at` for an array. Beyond sides of a periodic axis at which the array ends, it is
  // that of the cell inside.
  int mask(int array, Offset at) {
    int found = made_.value(mask_, at);
    for (std::size_t axis = 0; axis < 3 && sides_; ++axis) {
      const bool last = at.*axis_member[axis] > 0;
      if (at.*axis_member[axis] == 0 || !names_.periodic[axis] ||
          !sides_->at.contains({like_[array], static_cast<int>(axis), last}))
        continue;
      Offset from = at;
      from.*axis_member[axis] = 0;
      found = made_.operate(Operation::choice, is_at_side(made_, sides_->shape, names_, axis, last),
                            mask(array, from), found);
    }
    return found;
  }

  // The value at `at`, which is outside the mask: the ghost by the condition from the cell that is
  // one step less away along an axis, if this cell is inside. Slower axes come first, as at the
  // sides of the grid.
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
      otherwise = made_.operate(Operation::choice, mask(array, from), inside, otherwise);
    }
    return otherwise;
  }

  // The conditions along columns, rows and planes, in this order, applied to the cell itself.
  int of_conditions(int array, Offset at) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Offset from = at;
      if (std::exchange(from.*axis_member[axis], 0) == 0) continue;
      return of_mask(array, axis, at, from, [&](int other) { return of_conditions(other, from); });
    }
    return made_.value(array, {});
  }

  // The ghost at `at`, by the condition of the mask's boundary, from the cell beside it at `from`.
  int of_mask(int array, std::size_t axis, Offset at, Offset from, const Inside& inside) {
    const auto found = mask_boundary_.conditions.find(like_[array]);
    const bool is_linear = mask_boundary_.linear.contains(like_[array]);
    if (found == mask_boundary_.conditions.end() && !is_linear) return inside(array);
    Reads reads{inside, {}, from};
    reads.at.*axis_member[axis] = -(at.*axis_member[axis]);
    reads.before = [&](int other) { return made_.value(other, reads.at); };
    if (is_linear) return continued(array, 1, reads);
    const double place = table_row(found->second.kind).place;
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
  const std::optional<StagedSides>& sides_;
  double outside_ = 0;
};

// `outside` is the value that the last stage stores outside.
StepStages masked(StepStages made, const FormulaSystem& system, double outside, int steps) {
  if (!system.mask_boundary) return made;
  Masking masking(made, system);
  masking.set_steps(steps);
  for (std::size_t stage = 0; stage < made.stages.size(); ++stage) {
    masking.set_outside(stage + 1 == made.stages.size() ? outside : 0);
    made.stages[stage].tree = masking.of(made, stage);
  }
  return made;
}

template <class Rewriting>
StepStages rewritten_by(StepStages made, const FormulaSystem& system, int steps) {
  const StepStages before = made;
  Rewriting writing(before, system);
  writing.set_steps(steps);
  for (std::size_t stage = 0; stage < made.stages.size(); ++stage)
    made.stages[stage].tree = writing.rewritten(stage);
  return made;
}

template <class Use>
void for_reduced(const StageTree& tree, const Use& use) {
  for (const StageOperation& node : tree.operations)
    if (node.operation == Operation::reduced) use(node.index);
}

// Takes out stages whose results nothing reads: those of reductions that no condition read.
void drop_unread(StepStages& made, int fields) {
  const auto is_read = [&](int array) {
    return array < fields || std::ranges::any_of(made.stages, [&](const Stage& stage) {
             bool is_reduced = false;
             for_reduced(stage.tree, [&](int index) {
               is_reduced = is_reduced || made.reductions[index].array == array;
             });
             return is_reduced || reads_array(stage.tree, array) ||
                    std::ranges::any_of(stage.solves, [&](const GridSolve& solve) {
                      return std::ranges::count(solve.state, array) > 0;
                    });
           });
  };
  for (std::size_t at = 0; !made.of_conditions.empty() && at + 1 < made.stages.size();) {
    if (std::ranges::any_of(made.stages[at].targets, is_read)) {
      ++at;
      continue;
    }
    std::ranges::move(made.stages[at].solves, std::back_inserter(made.stages[at + 1].solves));
    const auto drop = [&](auto& list) {
      if (at < list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
    };
    drop(made.stages);
    drop(made.states);
    drop(made.evaluations);
    drop(made.of_conditions);
  }
}

// Gives each reduction to the first stage of an evaluation that reads it.
void give_reductions(StepStages& made, int mask) {
  std::set<int> known;
  for (std::size_t at = 0; at < made.stages.size(); ++at) {
    if (at > 0 && made.evaluations.at(at) != made.evaluations.at(at - 1)) known.clear();
    for_reduced(made.stages[at].tree, [&](int index) {
      if (!known.insert(index).second) return;
      GridReduction& reduction = made.stages[at].reductions.emplace_back(made.reductions.at(index));
      if (reduction.cell < 0) reduction.mask = mask;
    });
  }
}

// Gives each convolution to the first stage of its evaluation that reads its result.
void give_convolutions(StepStages& made) {
  for (const StageConvolution& one : made.convolutions)
    for (std::size_t at = 0; at < made.stages.size(); ++at) {
      if (made.evaluations.at(at) != one.evaluation ||
          !reads_array(made.stages[at].tree, one.target))
        continue;
      GridSolve solve{.system = made.first_window + static_cast<int>(one.window),
                      .state = {one.source},
                      .unknowns = {one.target}};
      solve.state.insert(solve.state.end(), one.ghosts.begin(), one.ghosts.end());
      solve.state.push_back(one.target);
      made.stages[at].solves.push_back(solve);
      break;
    }
}

StepStages with_conditions_in(int steps, StepStages made, const FormulaSystem& system,
                              double outside) {
  const bool any_is_imposed =
      system.sides && std::ranges::any_of(system.sides->at,
                                          [](const auto& side) { return is_imposed(side.second); });
  if (any_is_imposed) made = rewritten_by<ImposedValues>(std::move(made), system, steps);
  made = masked(std::move(made), system, outside, steps);
  if (system.sides) made = rewritten_by<SideWriting>(std::move(made), system, steps);
  give_convolutions(made);
  const int moved = made.measures_error ? 1 : 0;
  drop_unread(made, static_cast<int>(system.rates.size()) + moved);
  give_reductions(made, system.mask_boundary ? system.mask_boundary->mask + moved : -1);
  return made;
}

}  // namespace

int is_beyond(StageTree& tree, const FormulaNames& names, std::size_t axis, double between,
              bool above) {
  const int limit = tree.number((between - names.middle[axis]) * names.spacing[axis]);
  const int position = tree.position(static_cast<int>(axis), {});
  return tree.operate(Operation::is_less, above ? limit : position, above ? position : limit);
}

int is_at_side(StageTree& tree, Shape grid, const FormulaNames& names, std::size_t axis,
               bool last) {
  const double between = last ? static_cast<double>(by_axis(grid)[axis]) - 1.5 : 0.5;
  return is_beyond(tree, names, axis, between, last);
}

bool is_imposed_at(const StagedSides& sides, int array, Offset outward) {
  const int axis = outward.plane != 0 ? 0 : outward.row != 0 ? 1 : 2;
  const auto found = sides.at.find({array, axis, outward.plane + outward.row + outward.column > 0});
  return found != sides.at.end() && is_imposed(found->second);
}

int imposed_at_nodes(StageTree& tree, const StagedSides& sides, int array, int value,
                     const std::function<int(std::size_t axis, const ArraySide&)>& of_condition) {
  for (std::size_t axis = 3; axis-- > 0;)
    for (const bool last : {false, true})
      if (const auto found = sides.at.find({array, static_cast<int>(axis), last});
          found != sides.at.end() && is_imposed(found->second))
        value =
            tree.operate(Operation::choice, is_at_side(tree, sides.shape, sides.names, axis, last),
                         of_condition(axis, found->second), value);
  return value;
}

StepStages with_conditions(StepStages made, const FormulaSystem& system, double outside) {
  // Stages have a limit of operations: corners multiply those of conditions.
  for (const int steps : {newton_steps, newton_steps / 2}) {
    try {
      return with_conditions_in(steps, made, system, outside);
    } catch (const FormulaError&) {
      continue;  // another cause is found again below
    }
  }
  return with_conditions_in(2, std::move(made), system, outside);
}

}  // namespace lapl
