// Scheme imex treats the reactions of an equation implicitly and all other terms explicitly. Rates
// are split at sums and differences, also within products and quotients with a factor that reads no
// field. A reaction is a term without stencil operators and reductions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solver/equation/discretise.hpp"
#include "solver/equation/stages.hpp"

namespace lapl {

/// A part of a formula, by its root.
using FormulaPart = std::pair<const Formula*, int>;

/// A formula made of parts of others.
class Assembly {
 public:
  explicit Assembly(const Formula& like) { made_.name = like.name, made_.text = like.text; }

  int add(FormulaNode node) {
    made_.nodes.push_back(std::move(node));
    return made_.whole();
  }
  int copy(const FormulaPart& part) {
    if (const auto known = copies_.find(part); known != copies_.end()) return known->second;
    FormulaNode node = part.first->nodes[part.second];
    for (int& at : node.operands) at = copy({part.first, at});
    return copies_[part] = add(std::move(node));
  }
  /// The formula whose root is the node that was added last.
  Formula finish() { return std::move(made_); }

 private:
  Formula made_;
  std::map<FormulaPart, int> copies_;
};

/// An equation in two parts: rates = reactions + others.
struct SplitSystem {
  /// Keeps a reference to `system`.
  explicit SplitSystem(const FormulaSystem& system);

  /// Why imex cannot step the equation, for messages; empty if it can.
  std::string why_not() const;

  const FormulaSystem& system;
  std::vector<std::optional<Formula>> reactions;  ///< for each field; none if it has none
  FormulaSystem others;                           ///< what limits the stable step of imex
  FormulaNames names;  ///< of the reactions, which read quantities as formulas
};

/// The value of a field's reaction at the state and the time of `names`, which are otherwise those
/// of the split system; none if there is no reaction or it does not read t. Writes as
/// solve_reactions.
std::optional<Term> reaction_of_time(const SplitSystem& split, const FormulaNames& names, int field,
                                     StageTree& tree, std::set<std::string>& used);

/// Solves (1 - factor * dt * J) x = right in a cell by Gaussian elimination without pivoting, in
/// the order of the fields, where J holds the derivatives of the reactions at the state and the
/// time of `names`. `change` multiplies a term by factor * dt. Writes to `tree`, and the names that
/// it reads to `used`. Throws FormulaError.
std::vector<Term> solve_reactions(const SplitSystem& split, const FormulaNames& names,
                                  StageTree& tree, std::set<std::string>& used,
                                  const std::function<Term(Term)>& change, std::vector<Term> right);

/// The derivative of a formula without operators in a field, as a formula of `names`; none if it is
/// 0 for every state. Writes as solve_reactions.
std::optional<Term> formula_derivative(const Formula& formula, int field,
                                       const FormulaSystem& system, const FormulaNames& names,
                                       StageTree& tree, std::set<std::string>& used);

/// True if the derivatives of this function are known, so that reactions may call it.
bool has_derivatives(std::string_view function);

}  // namespace lapl
