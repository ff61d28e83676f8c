#include "solver/equation/law_rewriting.hpp"

#include <utility>

#include "solver/equation/formula_system.hpp"

namespace lapl {

LawRewriting::LawRewriting(const StepStages& made, const FormulaSystem& system, FormulaNames names)
    : names_(std::move(names)), like_(made.like), moved_(made.measures_error ? 1 : 0) {
  for (const Formula& quantity : system.quantities) names_.quantities[quantity.name] = &quantity;
}

StageTree LawRewriting::of(const StepStages& made, std::size_t stage) {
  made_ = {};
  state_ = made.states.empty() ? std::vector<int>() : made.states[stage];
  std::vector<int> place;
  const StageTree& tree = made.stages[stage].tree;
  for (StageOperation node : tree.operations) {
    for (int i = 0; i < row_of(node.operation).operands; ++i)
      node.operands[i] = place[node.operands[i]];
    place.push_back(copy(node));
  }
  for (const int of_tree : tree.results) made_.results.push_back(result(place[of_tree]));
  return without_unused(made_);
}

int LawRewriting::copy(const StageOperation& node) {
  switch (node.operation) {
    case Operation::value:
      return node.at == Offset{} ? made_.value(node.index, {}) : read(node.index, node.at);
    case Operation::position: return made_.position(node.index, node.at);
    case Operation::number: return made_.number(node.number);
    case Operation::noise: return made_.noise(node.seed, node.index);
    case Operation::time: return made_.time();
    case Operation::time_step: return made_.time_step();
    case Operation::reduced: return made_.reduced(node.index);
    default:
      return made_.operate(node.operation, node.operands[0], node.operands[1], node.operands[2]);
  }
}

int LawRewriting::ghost(int array, const SideLaw& law, std::size_t axis, Term place, Offset from,
                        const Inside& inside) {
  FormulaNames names = names_;
  const int fields = static_cast<int>(state_.size());
  names.read = [&](int named) { return inside(named < fields ? state_[named] : named + moved_); };
  TreeWriter writer(names, made_, used_);
  for (int along = 3 - names.axes; along < 3; ++along)
    names.terms[std::string(1, "zyx"[along])] =
        along == static_cast<int>(axis) ? place : writer.position(along, from);
  const int value = inside(array);
  const auto [a, b] = ghost_terms(law, names, names.spacing[axis], made_, used_);
  // As ghost_of in kernels/grid/ghost.hpp.
  if (b.is_scalar() && b.factor == 0) return writer.node_of(a);
  if (a.is_scalar() && a.factor == 0)
    return b.is_scalar() && b.factor == 1
               ? value
               : made_.operate(Operation::product, writer.node_of(b), value);
  return made_.operate(Operation::fused_multiply_add, writer.node_of(b), value, writer.node_of(a));
}

}  // namespace lapl
