#include "solver/equation/condition_rewriting.hpp"

#include <utility>

#include "solver/equation/formula_system.hpp"
#include "solver/equation/reactions.hpp"

namespace lapl {

ConditionRewriting::ConditionRewriting(const StepStages& made, const FormulaSystem& system,
                                       FormulaNames names)
    : names_(std::move(names)),
      like_(made.like),
      moved_(made.measures_error ? 1 : 0),
      mask_(system.mask_boundary ? system.mask_boundary->mask + moved_ : -1),
      system_(system) {
  for (const Formula& quantity : system.quantities) names_.quantities[quantity.name] = &quantity;
  for (const Formula& formula : system.coefficients) names_.quantities[formula.name] = &formula;
  names_.reduce = [this](const ReducedPart& part) { return reductions_->at(part.key()); };
}

StageTree ConditionRewriting::of(const StepStages& made, std::size_t stage) {
  made_ = {};
  state_ = made.states.empty() ? std::vector<int>() : made.states[stage];
  if (!made.of_conditions.empty()) reductions_ = &made.of_conditions[stage];
  std::vector<int> place;
  const StageTree& tree = made.stages[stage].tree;
  for (StageOperation node : tree.operations) {
    for (int i = 0; i < table_row(node.operation).operands; ++i)
      node.operands[i] = place[node.operands[i]];
    place.push_back(copy(node));
  }
  for (const int of_tree : tree.results) made_.results.push_back(result(place[of_tree]));
  return without_unused(made_);
}

int ConditionRewriting::copy(const StageOperation& node) {
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

int ConditionRewriting::continued(int array, double beyond, const Reads& reads) {
  const int here = reads.inside(array);
  if (beyond == 0 || !reads.before) return here;
  int before = reads.before(array);
  if (mask_ >= 0)
    before = made_.operate(Operation::choice, made_.value(mask_, reads.at), before, here);
  const int change = made_.operate(Operation::difference, here, before);
  const int there = beyond == 1 ? made_.operate(Operation::sum, here, change)
                                : made_.operate(Operation::fused_multiply_add, made_.number(beyond),
                                                change, here);
  const int beyond_it = made_.operate(Operation::sum, here, change);
  const int has_sign = made_.operate(Operation::is_less, made_.number(0),
                                     made_.operate(Operation::product, beyond_it, here));
  return made_.operate(Operation::choice, has_sign, there, here);
}

// The condition's formulas may read the array itself. Let w be the value of the array where the
// condition holds, and g(w) the ghost by these formulas. Then w = c(w), where c is g or, at a face,
// the mean of g and the node inside. Two steps of Newton's method from the node inside find w; one
// is enough where c is linear.
int ConditionRewriting::ghost(int array, const SideCondition& condition, std::size_t axis,
                              Term place, Offset from, const Reads& reads) {
  FormulaNames names = names_;
  const int fields = static_cast<int>(state_.size());
  const double beyond = table_row(condition.kind).place, h = names.spacing[axis];
  const int inside = reads.inside(array);
  int own = inside;
  bool reads_own = false;
  names.read = [&](int named) {
    const int read = named < fields ? state_[named] : named + moved_;
    if (read != array || beyond == 0) return continued(read, beyond, reads);
    reads_own = true;
    return own;
  };
  TreeWriter writer(names, made_, used_);
  for (int along = 3 - names.axes; along < 3; ++along)
    names.terms[std::string(1, "zyx"[along])] =
        along == static_cast<int>(axis) ? place : writer.position(along, from);
  const auto made_from = [&] {
    return written(ghost_terms(condition, names, h, made_, used_), writer, inside);
  };
  const auto value_read = [&](int ghost) {
    return beyond == 1 ? ghost
                       : made_.operate(Operation::product, made_.number(0.5),
                                       made_.operate(Operation::sum, ghost, inside));
  };
  const int explicitly = made_from();
  if (!reads_own) return explicitly;
  const int first = value_read(explicitly);
  const auto slope = condition_slope(condition, like_[array], names, own, h);
  if (!slope) {  // derivative 0 everywhere, as of where(u > 1, q, 0)
    own = first;
    return made_from();
  }
  const bool is_linear = slope->is_scalar() || !depends(slope->node, inside);
  const auto newton = [&](int of, Term of_slope) {
    const Term change = writer.sum(TreeWriter::of(of), writer.negative(TreeWriter::of(own)));
    Term divisor = writer.sum(TreeWriter::scalar(1), writer.negative(of_slope));
    if (divisor.is_scalar() && divisor.factor == 0) divisor = TreeWriter::scalar(1);
    if (!divisor.is_scalar() && beyond + (condition.kind == ConditionKind::value_at_face) >= 1) {
      // A condition such as u = max(u, 0) does not determine u where it means u = u.
      const int node = writer.as_node(divisor), zero = made_.number(0);
      divisor = TreeWriter::of(made_.operate(Operation::choice,
                                             made_.operate(Operation::is_equal, node, zero),
                                             made_.number(1), node));
    }
    const Term next = writer.sum(TreeWriter::of(own), writer.quotient(change, divisor));
    return NewtonStep{writer.as_node(change), writer.as_node(divisor), writer.as_node(next)};
  };
  if (is_linear) {
    own = newton(first, *slope).next;
  } else {
    const auto step_at = [&](int w) {
      own = w;
      const int value = w == inside ? first : value_read(made_from());
      return newton(value, *condition_slope(condition, like_[array], names, own, h));
    };
    own = condition_root(made_, inside, step_at, steps_);
    // Newton's method may leave the domain of a function, such as a root's.
    own =
        made_.operate(Operation::choice, made_.operate(Operation::is_equal, own, own), own, first);
    if (system_.marks_unsolved) {
      const int w = own;
      own = marked_if_unsolved(made_, inside, w, step_at(w));
    }
  }
  return beyond == 1 ? own
                     : made_.operate(Operation::fused_multiply_add, made_.number(2), own,
                                     made_.operate(Operation::negative, inside));
}

int ConditionRewriting::written(const GhostTerms& terms, TreeWriter& writer, int inside) {
  const auto& [a, b] = terms;
  // As ghost_value in kernels/grid/ghost.hpp.
  if (b.is_scalar() && b.factor == 0) return writer.as_node(a);
  if (a.is_scalar() && a.factor == 0)
    return b.is_scalar() && b.factor == 1
               ? inside
               : made_.operate(Operation::product, writer.as_node(b), inside);
  return made_.operate(Operation::fused_multiply_add, writer.as_node(b), inside, writer.as_node(a));
}

// The derivative of c in w: value' for values, h/2 value' for slopes, and for mixed conditions,
// with c = (inside + h/2 value) / (1 + h/2 factor), (h/2 value' - h/2 factor' c) / (1 + h/2
// factor). In it, w stands for c, since they are equal in the end. None if it is 0 everywhere.
std::optional<Term> ConditionRewriting::condition_slope(const SideCondition& condition, int field,
                                                        const FormulaNames& names, int own,
                                                        double h) {
  if (field < 0 || field >= std::ssize(system_.rates)) return std::nullopt;
  TreeWriter writer(names, made_, used_);
  const auto derivative = [&](const FormulaText& text) {
    return formula_derivative(text.parsed(condition_name(condition)), field, system_, names, made_,
                              used_);
  };
  const auto halved = [&](Term term) {
    return writer.product(TreeWriter::scalar(0.5 * h, false), term);
  };
  auto value = derivative(condition.value);
  if (condition.kind == ConditionKind::value || condition.kind == ConditionKind::value_at_face)
    return value;
  if (value) value = halved(*value);
  if (!table_row(condition.kind).has_factor) return value;
  if (const auto factor = derivative(condition.factor)) {
    const Term part = writer.negative(writer.product(halved(*factor), TreeWriter::of(own)));
    value = value ? writer.sum(*value, part) : part;
  }
  if (!value) return std::nullopt;
  const Term factor = writer.write(condition.factor.parsed(condition_name(condition)));
  return writer.quotient(*value, writer.sum(TreeWriter::scalar(1), halved(factor)));
}

bool ConditionRewriting::depends(int node, int on) const {
  std::vector<bool> does(static_cast<std::size_t>(node) + 1);
  for (int at = 0; at <= node; ++at) {
    const StageOperation& operation = made_.operations[at];
    does[at] = at == on;
    for (int i = 0; i < table_row(operation.operation).operands; ++i)
      does[at] = does[at] || does[operation.operands[i]];
  }
  return does[node];
}

}  // namespace lapl
