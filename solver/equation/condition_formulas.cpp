#include "solver/equation/condition_formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "solver/equation/formula_system.hpp"
#include "solver/equation/formulas_of.hpp"
#include "solver/equation/mixed_axes.hpp"
#include "solver/equation/reactions.hpp"

namespace lapl {
namespace {

// Names that arguments of operators read, also through quantities: operators read them at
// neighbours.
std::set<std::string> read_beside(const RunConfig& run) {
  std::set<std::string> names;
  const FormulasOf formulas(run);
  formulas.each_operator([&](const FormulaNode& call, const Formula& formula) {
    for (const int operand : call.operands)
      formulas.each_below(formula, operand, [&](const FormulaNode& node) {
        // a name that is known already needs no second visit of its quantity
        return node.kind != FormulaNode::Kind::name || names.insert(node.name).second;
      });
  });
  return names;
}

}  // namespace

bool is_of_position(const RunConfig& run, const std::string& name) {
  const auto parameter = run.parameters.find(name);
  if (parameter == run.parameters.end() || parameter->second.kind != ParameterConfig::Kind::formula)
    return false;
  try {
    return std::ranges::count(parameter->second.formula.parsed(name).nodes, "random",
                              &FormulaNode::name) == 0;
  } catch (const FormulaError&) {
    return false;
  }
}

std::vector<FaceCoefficient> coefficients_at_faces(const RunConfig& run,
                                                   const std::vector<SideCondition>& conditions) {
  std::vector<FaceCoefficient> found;
  const std::vector<std::string> names = coefficient_names(run);
  if (names.empty() || std::ranges::none_of(conditions, has_flux)) return found;
  const std::set<std::string> beside = read_beside(run);
  const auto ending = ending_arrays(run);
  std::set<std::pair<std::string, std::string>> done;
  for (const SideCondition& condition : conditions)
    if (has_flux(condition))
      for (const std::string& name : names) {
        if (!condition.of_mask && is_mixed(run, condition.axis) &&
            !ends_at(ending, name, condition.axis))
          continue;
        if (!beside.contains(name) || !done.emplace(condition_name(condition), name).second)
          continue;
        found.push_back({condition, !is_of_position(run, name)});
        FaceCoefficient& made = found.back();
        made.condition.array = name;
        made.condition.kind = ConditionKind::value_at_face;
        if (!made.is_linear) made.condition.value = run.parameters.at(name).formula;
      }
  return found;
}

bool has_coefficient_of_operators(const RunConfig& run) {
  if (std::ranges::none_of(run.conditions, has_flux) &&
      std::ranges::none_of(run.mask_conditions, has_flux))
    return false;
  bool found = false;
  const FormulasOf formulas(run);
  formulas.each_operator([&](const FormulaNode& call, const Formula& formula) {
    if (call.name != "divergence") return;
    formulas.each_below(formula, call.operands[0], [&](const FormulaNode& node) {
      if (node.kind == FormulaNode::Kind::call && node.name == "gradient") return false;
      found = found || (is_operator(node) && node.name != "harmonic" && node.name != "tensor");
      return true;
    });
  });
  return found;
}

std::string function_of_faces(const RunConfig& run) {
  std::string found;
  FormulasOf(run).each_operator([&](const FormulaNode& call, const Formula&) {
    if (call.name == "harmonic" || call.name == "tensor") found = call.name;
  });
  return found;
}

void set_sides(const RunConfig& run, FormulaNames& names) {
  const auto is_open = [](const SideCondition& condition) {
    return condition.kind != ConditionKind::periodic &&
           (condition.kind != ConditionKind::derivative || condition.value.text() != "0");
  };
  const auto add_values = [&](const SideCondition& condition, std::set<std::string>& to) {
    if (table_row(condition.kind).place == 0.5 && condition.kind != ConditionKind::value_at_face)
      return;
    if (condition.array.empty())
      to.insert(run.fields.begin(), run.fields.end());
    else
      to.insert(condition.array);
  };
  for (int axis = 3 - run.shape.axes; axis < 3; ++axis)
    for (const bool last : {false, true}) {
      const Boundary boundary = by_axis(run.boundaries)[axis];
      bool open = false, given = false;
      std::set<std::string> values;
      for (const SideCondition& condition : run.conditions)
        if (condition.axis == axis && condition.last == last) {
          given = true;
          open = open || is_open(condition);
          add_values(condition, values);
        }
      if (boundary == Boundary::zero && !given) add_values({}, values);
      if (boundary != Boundary::periodic || is_mixed(run, axis))
        names.side_values[{axis, last}] = values;
      if (is_mixed(run, axis) ? open : boundary == Boundary::zero && (open || !given))
        names.open_sides.emplace(axis, last);
    }
  if (run.mask) names.mask_values.emplace();
  for (const SideCondition& condition : run.mask_conditions)
    if (run.mask) add_values(condition, *names.mask_values);
  names.open_mask = run.mask && std::ranges::any_of(run.mask_conditions, is_open);
}

SideCondition condition_of_array(SideCondition condition, const std::string& array,
                                 const RunConfig& run) {
  condition.array = array;
  if (condition.kind != ConditionKind::absorbing) return condition;
  Formula rate = field_rate(run, array).parsed(array),
          speed = condition.value.parsed(condition_name(condition));
  const std::size_t sign = rate.text.size() + 4;
  for (FormulaNode& node : rate.nodes) node.at += 2;
  for (FormulaNode& node : speed.nodes) node.at += sign + 3;
  Assembly assembly(rate);
  const int above = assembly.add(
      {.kind = FormulaNode::Kind::negative, .operands = {assembly.copy({&rate, rate.whole()})}});
  const int below = assembly.copy({&speed, speed.whole()});
  assembly.add({.kind = FormulaNode::Kind::quotient, .operands = {above, below}, .at = sign});
  Formula made = assembly.finish();
  made.text = fmt::format("-({}) / ({})", rate.text, speed.text);
  condition.kind = ConditionKind::derivative;
  condition.value = FormulaText(made);
  return condition;
}

std::string why_not_absorbing(const std::string& array, const RunConfig& run) {
  if (std::ranges::count(run.fields, array) == 0) return "is no field";
  if (run.equation.maps.contains(array)) return "has no rate, but a next value";
  const Formula rate = field_rate(run, array).parsed(array);
  std::string found;
  FormulasOf(run).each_below(rate, rate.whole(), [&](const FormulaNode& node) {
    if (found.empty() && (node.name == "noise" || reads_others(node))) found = node.name;
    return found.empty();
  });
  return found.empty() ? "" : fmt::format("has {} in its rate", found);
}

}  // namespace lapl
