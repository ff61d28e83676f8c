#include "solver/equation/side_stages.hpp"

#include <utility>

#include "solver/equation/law_rewriting.hpp"
#include "solver/equation/masked_stages.hpp"

namespace lapl {
namespace {

class SideWriting : public LawRewriting {
 public:
  SideWriting(const StepStages& made, const FormulaSystem& system)
      : LawRewriting(made, system, system.sides->names), sides_(*system.sides) {}

 private:
  int read(int array, Offset at) override { return beyond(array, at, 0); }

  const ArraySide* side(int array, Offset at, std::size_t axis) const {
    const int by = at.*axis_member[axis];
    const auto found = sides_.at.find({like_[array], static_cast<int>(axis), by > 0});
    return by == 0 || found == sides_.at.end() ? nullptr : &found->second;
  }

  // The value at `at`, where axes before `axis` do not lead outside.
  int beyond(int array, Offset at, std::size_t axis) {
    bool reads = false;
    for (std::size_t along = axis; along < 3; ++along)
      if (const ArraySide* const of_axis = side(array, at, along)) reads |= of_axis->reads;
    if (!reads) return made_.value(array, at);
    while (side(array, at, axis) == nullptr) ++axis;
    const ArraySide& found = *side(array, at, axis);
    Offset from = at;
    from.*axis_member[axis] = 0;
    const int of_law = ghost(array, found.law, axis, TreeWriter::scalar(found.place, false), from,
                             [&](int other) { return beyond(other, from, axis + 1); });
    return made_.operate(
        Operation::choice,
        is_at_side(made_, sides_.shape, names_.spacing, axis, at.*axis_member[axis] > 0), of_law,
        beyond(array, at, axis + 1));
  }

  const StagedSides& sides_;
};

}  // namespace

int is_at_side(StageTree& tree, Shape grid, const std::array<double, 3>& spacing, std::size_t axis,
               bool last) {
  const double between = last ? static_cast<double>(by_axis(grid)[axis]) - 1.5 : 0.5;
  const int limit = tree.number(between * spacing[axis]);
  const int position = tree.position(static_cast<int>(axis), {});
  return tree.operate(Operation::is_less, last ? limit : position, last ? position : limit);
}

StepStages with_laws(StepStages made, const FormulaSystem& system, double outside) {
  made = masked(std::move(made), system, outside);
  if (!system.sides) return made;
  SideWriting writing(made, system);
  for (std::size_t stage = 0; stage < made.stages.size(); ++stage)
    made.stages[stage].tree = writing.of(made, stage);
  return made;
}

}  // namespace lapl
