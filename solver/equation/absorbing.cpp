#include "solver/equation/absorbing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

SideLaw law_of_array(SideLaw law, const std::string& array, const RunConfig& run) {
  law.array = array;
  if (law.kind != LawKind::absorbing) return law;
  const Formula speed = law.value.parsed(law_name(law));
  Formula made = rate_of(run, array).parsed(array);  // -(rate) / (speed)
  for (FormulaNode& node : made.nodes) node.at += 2;
  made.nodes.push_back({.kind = FormulaNode::Kind::negative, .operands = {made.whole()}, .at = 0});
  const int rate = made.whole(), before = rate + 1;
  const std::size_t sign = made.text.size() + 4;
  for (FormulaNode node : speed.nodes) {
    for (int& operand : node.operands) operand += before;
    node.at += sign + 3;
    made.nodes.push_back(std::move(node));
  }
  made.nodes.push_back(
      {.kind = FormulaNode::Kind::quotient, .operands = {rate, made.whole()}, .at = sign});
  made.text = fmt::format("-({}) / ({})", made.text, speed.text);
  law.kind = LawKind::derivative;
  law.value = FormulaText(made);
  return law;
}

std::string why_not_absorbing(const std::string& array, const RunConfig& run) {
  if (std::ranges::count(run.fields, array) == 0) return "is no field";
  std::set<std::string> seen;
  const std::string found = neighbours_in(rate_of(run, array).parsed(array), run, seen);
  return found.empty() ? "" : fmt::format("has {} in its rate", found);
}

}  // namespace lapl
