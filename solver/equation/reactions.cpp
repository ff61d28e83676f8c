#include "solver/equation/reactions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;

const FormulaNode& part_node(const FormulaPart& part) { return part.first->nodes[part.second]; }
FormulaPart operand(const FormulaPart& part, std::size_t which) {
  return {part.first, part_node(part).operands[which]};
}

// Finds the fields, operators and t that parts of formulas read, also through quantities.
class Contents {
 public:
  struct Of {
    bool operators = false, time = false;
    std::set<int> fields;
    bool is_factor() const { return !operators && fields.empty(); }
  };

  explicit Contents(const FormulaSystem& system) {
    for (int field = 0; field < std::ssize(system.rates); ++field)
      fields_of_[system.rates[field].name] = field;
    for (const Formula& quantity : system.quantities) quantities_[quantity.name] = &quantity;
  }

  const Formula* quantity(const FormulaNode& node) const {
    if (node.kind != Kind::name) return nullptr;
    const auto at = quantities_.find(node.name);
    return at == quantities_.end() ? nullptr : at->second;
  }
  std::optional<int> field(const FormulaNode& node) const {
    if (node.kind != Kind::name) return std::nullopt;
    const auto at = fields_of_.find(node.name);
    return at == fields_of_.end() ? std::nullopt : std::optional(at->second);
  }

  const Of& of(const FormulaPart& part) {
    if (const auto known = known_.find(part); known != known_.end()) return known->second;
    const FormulaNode& node = part_node(part);
    Of found;
    const auto add = [&](const Of& more) {
      found.operators = found.operators || more.operators;
      found.time = found.time || more.time;
      found.fields.insert(more.fields.begin(), more.fields.end());
    };
    if (const Formula* const of_quantity = quantity(node))
      add(of({of_quantity, of_quantity->whole()}));
    if (const auto at = field(node)) found.fields.insert(*at);
    if (node.kind == Kind::name && node.name == "t") found.time = true;
    for (std::size_t i = 0; i < node.operands.size(); ++i) add(of(operand(part, i)));
    if (node.kind == Kind::call)
      if (const FormulaFunction* const function = formula_function(node.name))
        found.operators = found.operators || function->kind == FormulaFunction::Kind::stencil ||
                          function->kind == FormulaFunction::Kind::over_grid;
    return known_[part] = found;
  }

 private:
  std::map<std::string, int, std::less<>> fields_of_;
  std::map<std::string, const Formula*, std::less<>> quantities_;
  std::map<FormulaPart, Of> known_;
};

// Splits a rate into its reactions and its other terms.
class Split {
 public:
  Split(Contents& contents, const Formula& rate)
      : contents_(contents), reactions_(rate), others_(rate) {
    const auto [reaction, other] = split({&rate, rate.whole()});
    has_reactions_ = reaction.has_value();
    if (!other) others_.add({});
  }

  std::optional<Formula> reactions() {
    return has_reactions_ ? std::optional(reactions_.finish()) : std::nullopt;
  }
  Formula others() { return others_.finish(); }

 private:
  using Roots = std::array<std::optional<int>, 2>;  // of the reactions, of the others

  // Parts that are read several times become shared nodes.
  Roots split(const FormulaPart& part) {
    if (const auto known = splits_.find(part); known != splits_.end()) return known->second;
    return splits_[part] = made(part);
  }

  Roots made(const FormulaPart& part) {
    const FormulaNode& node = part_node(part);
    if (!contents_.of(part).operators) return {reactions_.copy(part), std::nullopt};
    if (const Formula* const quantity = contents_.quantity(node))
      return split({quantity, quantity->whole()});
    const auto is_factor = [&](std::size_t which) {
      return contents_.of(operand(part, which)).is_factor();
    };
    switch (node.kind) {
      case Kind::negative: return each(node, {split(operand(part, 0))});
      case Kind::sum:
      case Kind::difference: return each(node, {split(operand(part, 0)), split(operand(part, 1))});
      case Kind::product:
        if (is_factor(0)) return times(node, operand(part, 0), split(operand(part, 1)), true);
        if (is_factor(1)) return times(node, operand(part, 1), split(operand(part, 0)), false);
        break;
      case Kind::quotient:
        if (is_factor(1)) return times(node, operand(part, 1), split(operand(part, 0)), false);
        break;
      default: break;
    }
    return {std::nullopt, others_.copy(part)};
  }

  Assembly& side(std::size_t which) { return which == 0 ? reactions_ : others_; }

  Roots each(const FormulaNode& node, const std::vector<Roots>& operands) {
    Roots made;
    for (std::size_t which = 0; which < made.size(); ++which) {
      FormulaNode next = node;
      next.operands.clear();
      for (const Roots& of : operands)
        if (of[which]) next.operands.push_back(*of[which]);
      if (next.operands.empty()) continue;
      if (next.operands.size() == operands.size()) {
        made[which] = side(which).add(next);
      } else if (node.kind == Kind::difference && !operands.front()[which]) {
        next.kind = Kind::negative;
        made[which] = side(which).add(next);
      } else {
        made[which] = next.operands.front();
      }
    }
    return made;
  }

  Roots times(const FormulaNode& node, const FormulaPart& factor, const Roots& terms,
              bool factor_first) {
    Roots made;
    for (std::size_t which = 0; which < made.size(); ++which) {
      if (!terms[which]) continue;
      FormulaNode next = node;
      next.operands = {side(which).copy(factor), *terms[which]};
      if (!factor_first) std::swap(next.operands[0], next.operands[1]);
      made[which] = side(which).add(next);
    }
    return made;
  }

  Contents& contents_;
  Assembly reactions_, others_;
  std::map<FormulaPart, Roots> splits_;
  bool has_reactions_ = false;
};

// The derivatives of a function in its arguments, as formulas of these (a, b, c).
struct DerivativeRow {
  std::string_view function;
  std::array<FormulaText, 3> by;
};
const std::vector<DerivativeRow>& derivative_table() {
  static const std::vector<DerivativeRow> table = {
      {"-", {"-1"}},
      {"sum", {"1", "1"}},
      {"difference", {"1", "-1"}},
      {"product", {"b", "a"}},
      {"quotient", {"1 / b", "-a / b^2"}},
      {"where", {"0", "where(a, 1, 0)", "where(a, 0, 1)"}},
      {"sqrt", {"1 / (2 * sqrt(a))"}},
      {"abs", {"sign(a)"}},
      {"min", {"a < b", "1 - (a < b)"}},
      {"max", {"a > b", "1 - (a > b)"}},
      {"floor", {"0"}},
      {"heaviside", {"0"}},
      {"sign", {"0"}},
      {"exp", {"exp(a)"}},
      {"log", {"1 / a"}},
      {"sin", {"cos(a)"}},
      {"cos", {"-sin(a)"}},
      {"tan", {"1 + tan(a)^2"}},
      {"atan", {"1 / (1 + a^2)"}},
      {"atan2", {"b / (a^2 + b^2)", "-a / (a^2 + b^2)"}},
      {"sinh", {"cosh(a)"}},
      {"cosh", {"sinh(a)"}},
      {"tanh", {"1 - tanh(a)^2"}},
      {"erf", {"2 / sqrt(pi) * exp(-a^2)"}},
      {"mod", {"1", "-floor(a / b)"}},
      {"pow", {"b * pow(a, b - 1)", "log(a) * pow(a, b)"}},
  };
  return table;
}
const DerivativeRow* derivative_row(std::string_view function) {
  const auto row = std::ranges::find(derivative_table(), function, &DerivativeRow::function);
  return row == derivative_table().end() ? nullptr : &*row;
}

std::string_view operation_function(const FormulaNode& node) {
  switch (node.kind) {
    case Kind::negative: return "-";
    case Kind::sum: return "sum";
    case Kind::difference: return "difference";
    case Kind::product: return "product";
    case Kind::quotient: return "quotient";
    case Kind::power: return "pow";
    default: return node.name;
  }
}

// Writes derivatives of formulas without operators.
class Derivatives {
 public:
  Derivatives(const FormulaSystem& system, const FormulaNames& names, StageTree& tree,
              std::set<std::string>& used)
      : contents_(system), tree_(tree), used_(used), writer_(names, tree, used) {}

  TreeWriter& writer() { return writer_; }

  /// The derivative of a part in a field; none if it is 0 for every state.
  std::optional<Term> of(const FormulaPart& part, int field) {
    if (!contents_.of(part).fields.contains(field)) return std::nullopt;
    const auto [known, is_new] = known_.try_emplace({part, field});
    if (is_new) known->second = made(part, field);
    return known->second;
  }

 private:
  std::optional<Term> made(const FormulaPart& part, int field) {
    const FormulaNode& node = part_node(part);
    if (contents_.field(node)) return TreeWriter::scalar(1);
    if (const Formula* const quantity = contents_.quantity(node))
      return of({quantity, quantity->whole()}, field);
    if (node.kind == Kind::comparison || node.kind == Kind::logic) return std::nullopt;
    // A number of the whole grid hardly depends on the value in one cell.
    if (node.kind == Kind::call)
      if (const FormulaFunction* const function = formula_function(node.name);
          function && function->kind == FormulaFunction::Kind::over_grid)
        return std::nullopt;
    FormulaNames arguments;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const FormulaPart at = operand(part, i);
      arguments.terms[std::string(1, "abc"[i])] =
          writer_.write(NestedQuantity{at.first, at.second});
    }
    std::optional<Term> sum;  // of each argument's derivative times the function's in it
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const auto inner = of(operand(part, i), field);
      if (!inner) continue;
      const Term outer = written(part, outer_derivative(part, i), arguments);
      const Term addend = writer_.product(outer, *inner);
      if (addend.factor != 0) sum = sum ? writer_.sum(*sum, addend) : addend;
    }
    return sum;
  }

  // Writes a derivative by its formula, `outer`. A mistake in it is reported at the part of the
  // formula that it is the derivative of.
  Term written(const FormulaPart& part, const Formula& outer, const FormulaNames& arguments) {
    try {
      return TreeWriter(arguments, tree_, used_).write(outer);
    } catch (const FormulaError& error) {
      throw FormulaError(part_node(part).at,
                         fmt::format("its derivative, {}, {}", outer.text, error.what()),
                         part.first->name, part.first->text);
    }
  }

  // Powers with a written exponent are products, as in the formula itself.
  static Formula outer_derivative(const FormulaPart& part, std::size_t argument) {
    const FormulaNode& node = part_node(part);
    if (node.kind == Kind::power)
      if (const auto exponent = integer_exponent(*part.first, node.operands[1]))
        return parse_formula(node.name, fmt::format("{} * a^({})", *exponent, *exponent - 1));
    return derivative_row(operation_function(node))->by.at(argument).parsed(node.name);
  }

  Contents contents_;
  StageTree& tree_;
  std::set<std::string>& used_;
  TreeWriter writer_;
  std::map<std::pair<FormulaPart, int>, std::optional<Term>> known_;
};

// The matrix 1 - factor * dt * J. Elements that are not set are those of the unit matrix.
class ReactionMatrix {
 public:
  ReactionMatrix(TreeWriter& writer, std::size_t size)
      : writer_(writer), size_(size), at_(size * size) {}

  std::optional<Term>& at(std::size_t row, std::size_t column) { return at_[row * size_ + column]; }

  void subtract(std::size_t row, std::size_t column, Term term) {
    std::optional<Term>& here = at(row, column);
    if (!here && row == column) here = TreeWriter::scalar(1);
    here = here ? writer_.sum(*here, writer_.negative(term)) : writer_.negative(term);
  }

  std::vector<Term> solve(std::vector<Term> right) {
    std::vector<std::optional<Term>> inverses(size_);  // of the pivots; none: 1
    const auto without = [&](Term& from, Term factor, Term of) {
      from = writer_.sum(from, writer_.negative(writer_.product(factor, of)));
    };
    for (std::size_t pivot = 0; pivot < size_; ++pivot) {
      if (at(pivot, pivot))
        inverses[pivot] = writer_.quotient(TreeWriter::scalar(1), *at(pivot, pivot));
      for (std::size_t row = pivot + 1; row < size_; ++row) {
        if (!at(row, pivot)) continue;
        const Term factor = by(*at(row, pivot), inverses[pivot]);
        for (std::size_t column = pivot + 1; column < size_; ++column)
          if (at(pivot, column)) subtract(row, column, writer_.product(factor, *at(pivot, column)));
        without(right[row], factor, right[pivot]);
      }
    }
    for (std::size_t row = size_; row-- > 0;) {
      for (std::size_t column = row + 1; column < size_; ++column)
        if (at(row, column)) without(right[row], *at(row, column), right[column]);
      right[row] = by(right[row], inverses[row]);
    }
    return right;
  }

 private:
  Term by(Term term, const std::optional<Term>& factor) {
    return factor ? writer_.product(term, *factor) : term;
  }

  TreeWriter& writer_;
  std::size_t size_;
  std::vector<std::optional<Term>> at_;
};

}  // namespace

SplitSystem::SplitSystem(const FormulaSystem& of) : system(of), others(of), names(of.names) {
  if (names.noise) names.noise->is_zero = true;
  Contents contents(of);
  for (std::size_t field = 0; field < of.rates.size(); ++field) {
    Split split(contents, of.rates[field]);
    reactions.push_back(split.reactions());
    others.rates[field] = split.others();
  }
  for (const Formula& quantity : of.quantities) {
    names.arrays.erase(quantity.name);
    names.quantities[quantity.name] = &quantity;
  }
}

std::string SplitSystem::why_not() const {
  constexpr std::size_t most_fields = 8;
  Contents contents(system);
  std::vector<std::string> reacting;
  for (std::size_t field = 0; field < reactions.size(); ++field)
    if (const auto& reaction = reactions[field];
        reaction && !contents.of({&*reaction, reaction->whole()}).fields.empty())
      reacting.push_back(system.rates[field].name);
  if (reacting.empty()) return "no rate has a term that reads fields without operators";
  if (reacting.size() <= most_fields) return {};
  return fmt::format("the rates of {} fields have terms without operators ({}), of at most {}",
                     reacting.size(), fmt::join(reacting, ", "), most_fields);
}

std::optional<Term> reaction_of_time(const SplitSystem& split, const FormulaNames& names, int field,
                                     StageTree& tree, std::set<std::string>& used) {
  const auto& reaction = split.reactions[field];
  if (!reaction || !Contents(split.system).of({&*reaction, reaction->whole()}).time)
    return std::nullopt;
  return TreeWriter(names, tree, used).write(*reaction);
}

std::vector<Term> solve_reactions(const SplitSystem& split, const FormulaNames& names,
                                  StageTree& tree, std::set<std::string>& used,
                                  const std::function<Term(Term)>& change,
                                  std::vector<Term> right) {
  Derivatives derivatives(split.system, names, tree, used);
  ReactionMatrix matrix(derivatives.writer(), right.size());
  for (int row = 0; row < std::ssize(right); ++row) {
    const auto& reaction = split.reactions[row];
    if (!reaction) continue;
    for (int column = 0; column < std::ssize(right); ++column)
      if (const auto derivative = derivatives.of({&*reaction, reaction->whole()}, column))
        matrix.subtract(row, column, change(*derivative));
  }
  return matrix.solve(std::move(right));
}

std::optional<Term> formula_derivative(const Formula& formula, int field,
                                       const FormulaSystem& system, const FormulaNames& names,
                                       StageTree& tree, std::set<std::string>& used) {
  return Derivatives(system, names, tree, used).of({&formula, formula.whole()}, field);
}

bool has_derivatives(std::string_view function) { return derivative_row(function) != nullptr; }

}  // namespace lapl
