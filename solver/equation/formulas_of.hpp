// The formulas of a config and what their operators read.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "solver/equation/formula_system.hpp"

namespace lapl {

/// True for a call of a function that needs more than the values in its cell.
inline bool reads_others(const FormulaNode& node) {
  const FormulaFunction* const function =
      node.kind == FormulaNode::Kind::call ? formula_function(node.name) : nullptr;
  return function != nullptr && function->kind != FormulaFunction::Kind::of_values;
}
inline bool is_operator(const FormulaNode& node) {
  return reads_others(node) &&
         formula_function(node.name)->kind != FormulaFunction::Kind::over_grid;
}

/// The formulas of rates, quantities and solves, by name.
class FormulasOf {
 public:
  explicit FormulasOf(const RunConfig& run) {
    for (const auto& [name, text] : run.equation.quantities) keep(name, text);
    for (const std::string& field : run.fields) keep(field, field_rate(run, field));
    for (const std::string& field : run.equation.maps)
      if (const auto next = run.equation.rates.find(field); next != run.equation.rates.end())
        keep(field + ".next", next->second);
    for (const auto& [field, text] : run.equation.after) keep(field + ".after", text);
    for (const SolveConfig& solve : run.equation.solves) {
      keep(solve.field + ".solve", solve.left);
      keep(solve.field + ".equals", solve.right);
    }
    fields_.insert(run.fields.begin(), run.fields.end());
  }

  /// Adds a formula; one with a mistake is left out.
  void keep(const std::string& name, const FormulaText& text) try {
    formulas_.try_emplace(name, text.parsed(name));
  } catch (const FormulaError&) {
  }

  /// Calls visit(node, formula) for each call of an operator.
  template <class Visit>
  void each_operator(const Visit& visit) const {
    for (const auto& [name, formula] : formulas_)
      for (const FormulaNode& node : formula.nodes)
        if (is_operator(node)) visit(node, formula);
  }

  /// Calls visit(node) for a node and all nodes below it, in the order of the text. The nodes of a
  /// quantity follow the first node that names it. Where visit returns false, nodes below are left
  /// out.
  template <class Visit>
  void each_below(const Formula& formula, int at, const Visit& visit) const {
    std::set<std::string> seen;
    // A list in place of recursion: thousands of quantities may read one another.
    std::vector<std::pair<const Formula*, int>> left = {{&formula, at}};
    while (!left.empty()) {
      const auto [of, place] = left.back();
      left.pop_back();
      const FormulaNode& node = of->nodes[place];
      if (!visit(node)) continue;
      for (std::size_t i = node.operands.size(); i-- > 0;) left.emplace_back(of, node.operands[i]);
      if (node.kind != FormulaNode::Kind::name || !seen.insert(node.name).second) continue;
      if (const auto found = formulas_.find(node.name);
          found != formulas_.end() && !fields_.contains(node.name))
        left.emplace_back(&found->second, found->second.whole());
    }
  }

 private:
  std::map<std::string, Formula> formulas_;
  std::set<std::string> fields_;
};

}  // namespace lapl
