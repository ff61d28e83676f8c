#include "solver/equation/absorbing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "solver/equation/assembly.hpp"
#include "solver/equation/formula_system.hpp"

namespace lapl {
namespace {

// The first operator or noise in a formula and the quantities that it reads; empty if there is
// none, or if they are more than formulas may nest.
std::string neighbours_in(const Formula& formula, const RunConfig& run,
                          std::set<std::string>& seen) {
  if (seen.size() > formula_depth_limit) return "";
  for (const FormulaNode& node : formula.nodes) {
    const FormulaFunction* const function =
        node.kind == FormulaNode::Kind::call ? formula_function(node.name) : nullptr;
    if (node.name == "noise" ||
        (function != nullptr && function->kind != FormulaFunction::Kind::of_values))
      return node.name;
    for (const auto& [name, text] : run.equation.quantities) {
      if (node.name != name || !seen.insert(name).second) continue;
      const std::string found = neighbours_in(text.parsed(name), run, seen);
      if (!found.empty()) return found;
    }
  }
  return "";
}

}  // namespace

SideCondition condition_of_array(SideCondition condition, const std::string& array,
                                 const RunConfig& run) {
  condition.array = array;
  if (condition.kind != ConditionKind::absorbing) return condition;
  Formula rate = rate_of(run, array).parsed(array),
          speed = condition.value.parsed(condition_name(condition));
  const std::size_t sign = rate.text.size() + 4;
  for (FormulaNode& node : rate.nodes) node.at += 2;
  for (FormulaNode& node : speed.nodes) node.at += sign + 3;
  Assembly assembly(rate);
  const int above = assembly.add(
      {.kind = FormulaNode::Kind::negative, .operands = {assembly.copy({&rate, rate.whole()})}});
  const int below = assembly.copy({&speed, speed.whole()});
  assembly.add({.kind = FormulaNode::Kind::quotient, .operands = {above, below}, .at = sign});
  Formula made = assembly.take();
  made.text = fmt::format("-({}) / ({})", rate.text, speed.text);
  condition.kind = ConditionKind::derivative;
  condition.value = FormulaText(made);
  return condition;
}

std::string why_not_absorbing(const std::string& array, const RunConfig& run) {
  if (std::ranges::count(run.fields, array) == 0) return "is no field";
  std::set<std::string> seen;
  const std::string found = neighbours_in(rate_of(run, array).parsed(array), run, seen);
  return found.empty() ? "" : fmt::format("has {} in its rate", found);
}

}  // namespace lapl
