#include "solver/equation/masked_stages.hpp"

#include <array>
#include <utility>

#include "solver/equation/formula_system.hpp"

namespace lapl {
namespace {

constexpr std::array axis_member = {&Offset::plane, &Offset::row, &Offset::column};

class Masking {
 public:
  // The array of a step's error stands before those of coefficients.
  Masking(const MaskRim& rim, const StepStages& made)
      : rim_(rim), like_(made.like), mask_(rim.mask + (made.measures_error ? 1 : 0)) {}

  StageTree of(const StageTree& tree, double outside) {
    made_ = {};
    std::vector<int> place;
    for (StageOperation node : tree.operations) {
      for (int i = 0; i < row_of(node.operation).operands; ++i)
        node.operands[i] = place[node.operands[i]];
      place.push_back(copy(node));
    }
    for (const int result : tree.results)
      made_.results.push_back(made_.operate(Operation::choice, made_.value(mask_, {}),
                                            place[result], made_.number(outside)));
    return without_unused(made_);
  }

 private:
  int copy(const StageOperation& node) {
    switch (node.operation) {
      case Operation::value: return read(node.index, node.at);
      case Operation::position: return made_.position(node.index, node.at);
      case Operation::number: return made_.number(node.number);
      case Operation::noise: return made_.noise(node.seed, node.index);
      case Operation::time: return made_.time();
      case Operation::time_step: return made_.time_step();
      default:
        return made_.operate(node.operation, node.operands[0], node.operands[1], node.operands[2]);
    }
  }

  int read(int array, Offset at) {
    const int there = made_.value(array, at);
    if (at == Offset{}) return there;
    return made_.operate(Operation::choice, made_.value(mask_, at), there, beyond(array, at));
  }

  // The value at `at`, which is outside: what the law makes of the cell reached by one step less
  // along an axis, if that is inside. As at the grid's sides, the axis of the rows comes before
  // that of the columns there.
  int beyond(int array, Offset at) {
    int otherwise = -1;
    for (std::size_t axis = 3; axis-- > 0;) {
      Offset from = at;
      if (std::exchange(from.*axis_member[axis], 0) == 0) continue;
      if (otherwise < 0 && from == Offset{})
        return ghost(array, axis, at, from, made_.value(array, from));
      // The last resort for a corner: the law along one axis, then along the other, of the cell.
      if (otherwise < 0) otherwise = of_laws(array, at);
      const int inside = ghost(array, axis, at, from, made_.value(array, from));
      otherwise = made_.operate(Operation::choice, made_.value(mask_, from), inside, otherwise);
    }
    return otherwise;
  }

  // The laws of the columns, the rows and the planes, in this order, of the cell itself.
  int of_laws(int array, Offset at) {
    Offset here = {};
    int value = made_.value(array, here);
    for (std::size_t axis = 3; axis-- > 0;) {
      if (at.*axis_member[axis] == 0) continue;
      const Offset from = here;
      here.*axis_member[axis] = at.*axis_member[axis];
      value = ghost(array, axis, here, from, value);
    }
    return value;
  }

  // The ghost at `at` that the law makes of the value `inside` of the cell at `from` beside it.
  int ghost(int array, std::size_t axis, Offset at, Offset from, int inside) {
    const auto law = rim_.laws.find(like_[array]);
    if (law == rim_.laws.end()) return inside;
    FormulaNames names = rim_.names;
    const double h = names.spacing[axis], place = row_of(law->second.kind).place;
    TreeWriter writer(names, made_, used_);
    for (int along = 3 - names.axes; along < 3; ++along) {
      const bool normal = along == static_cast<int>(axis);
      Term position = writer.position(along, normal && place == 1 ? at : from);
      if (normal && place != 1)
        position = writer.sum(position, TreeWriter::scalar(at.*axis_member[axis] * place * h));
      names.terms[std::string(1, "zyx"[along])] = position;
    }
    const auto [a, b] = ghost_terms(law->second, names, h, made_, used_);
    // As ghost_of in kernels/grid/ghost.hpp.
    if (b.is_scalar() && b.factor == 0) return writer.node_of(a);
    if (a.is_scalar() && a.factor == 0)
      return b.is_scalar() && b.factor == 1
                 ? inside
                 : made_.operate(Operation::product, writer.node_of(b), inside);
    return made_.operate(Operation::fused_multiply_add, writer.node_of(b), inside,
                         writer.node_of(a));
  }

  const MaskRim& rim_;
  const std::vector<int>& like_;
  int mask_;
  StageTree made_;
  std::set<std::string> used_;
};

}  // namespace

StepStages masked(StepStages made, const FormulaSystem& system, double outside) {
  if (!system.rim) return made;
  Masking masking(*system.rim, made);
  for (Stage& stage : made.stages)
    stage.tree = masking.of(stage.tree, &stage == &made.stages.back() ? outside : 0);
  return made;
}

}  // namespace lapl
