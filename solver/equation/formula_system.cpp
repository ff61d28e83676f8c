#include "solver/equation/formula_system.hpp"

#include <algorithm>

namespace lapl {

FormulaNames names_of(const RunConfig& run) {
  FormulaNames names;
  for (const auto& [name, parameter] : run.parameters)
    if (parameter.kind == ParameterConfig::Kind::number) names.numbers[name] = parameter.number;
  names.axes = run.shape.axes;
  names.spacing = run.spacing.by_axis;
  return names;
}

FormulaNames names_of_values(const RunConfig& run) {
  FormulaNames names = names_of(run);
  names.has_time = names.has_stencils = false;
  names.has_none_of = "has no meaning here (expected a formula of the position and parameters)";
  return names;
}

std::vector<std::string> coefficient_names(const RunConfig& run) {
  std::vector<std::string> coefficients;
  for (const auto& [name, parameter] : run.parameters)
    if (parameter.kind != ParameterConfig::Kind::number) coefficients.push_back(name);
  return coefficients;
}

FormulaSystem system_of(const RunConfig& run) {
  FormulaSystem system{.names = names_of(run), .rates = {}, .quantities = {}};
  int arrays = 0;
  for (const std::string& field : run.fields) {
    const auto rate = run.equation.rates.find(field);
    system.rates.push_back(
        parse_formula(field, rate == run.equation.rates.end() ? "0" : rate->second));
    system.names.arrays[field] = arrays++;
  }
  for (const std::string& coefficient : coefficient_names(run))
    system.names.arrays[coefficient] = arrays++;
  for (const auto& [name, text] : run.equation.quantities) {
    system.quantities.push_back(parse_formula(name, text));
    if (std::ranges::count(run.laws, name, &SideLaw::array) > 0)
      system.names.arrays[name] = arrays++;
  }
  return system;
}

std::string law_name(const SideLaw& law) {
  constexpr std::array axes = {"planes", "rows", "columns"};
  return std::string("boundary.") + axes[law.axis] + (law.last ? ".last" : ".first");
}

LawTerms terms_of(const SideLaw& law, const RunConfig& run, std::set<std::string>& used) {
  FormulaNames names = names_of(run);
  names.has_stencils = false;
  names.has_none_of = "has no meaning at a face (a law is of t, the position and numbers)";
  names.elsewhere = {run.fields.begin(), run.fields.end()};
  for (const auto& [name, parameter] : run.parameters) names.elsewhere.insert(name);
  for (const auto& [name, text] : run.equation.quantities) names.elsewhere.insert(name);
  // A value is held by the node just outside; a derivative is that at the face, half as far.
  const double h = names.spacing[law.axis], out = law.kind == LawKind::value ? 1 : 0.5;
  const std::array size = by_axis(run.shape);
  const double position = law.last ? (static_cast<double>(size[law.axis] - 1) + out) * h : -out * h;
  names.positions[std::string(1, "zyx"[law.axis])] = position;

  LawTerms terms;
  TreeWriter writer(names, terms.tree, used);
  const auto number = [](double value) { return TreeWriter::scalar(value, false); };
  const Formula value_formula = parse_formula(law_name(law), law.value);
  const Term value = writer.write(value_formula);
  switch (law.kind) {
    case LawKind::value: terms.a = value, terms.b = number(0); break;
    case LawKind::derivative:
      terms.a = writer.product(number(h), value), terms.b = number(1);
      break;
    case LawKind::mixed: {
      const Formula factor_formula = parse_formula(law_name(law), law.factor);
      const Term half = writer.product(number(0.5), writer.write(factor_formula));
      const Term below = writer.sum(number(1 / h), half);
      if (below.factor == 0) {
        FormulaError error(0, "makes 1/h + factor/2 zero");
        error.of = law_name(law);
        error.text = law.factor;
        throw error;
      }
      terms.a = writer.quotient(value, below);
      terms.b = writer.quotient(writer.sum(number(1 / h), writer.negative(half)), below);
      break;
    }
  }
  if (!terms.a.is_scalar() || !terms.b.is_scalar())
    terms.tree.results = {writer.node_of(terms.a), writer.node_of(terms.b)};
  return terms;
}

}  // namespace lapl
