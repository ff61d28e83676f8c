// Makes formulas of parts of others.
#pragma once

#include <map>
#include <utility>

#include "solver/equation/formula.hpp"

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
  Formula take() { return std::move(made_); }

 private:
  Formula made_;
  std::map<FormulaPart, int> copies_;
};

}  // namespace lapl
