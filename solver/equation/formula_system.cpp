#include "solver/equation/formula_system.hpp"

#include <fmt/format.h>

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

namespace {

// The rate of a field; for diffusion with only a coefficient, the diffusivity is 1.
FormulaText rate_of(const RunConfig& run, const std::string& field) {
  if (is_diffusion(run))
    return field == run.fields.front()
               ? fmt::format("{} * laplacian({})", run.equation.number("diffusivity").value_or(1),
                             field)
               : "0";
  const auto rate = run.equation.rates.find(field);
  return rate == run.equation.rates.end() ? "0" : rate->second;
}

}  // namespace

std::map<std::string, int, std::less<>> arrays_of(const RunConfig& run) {
  std::map<std::string, int, std::less<>> arrays;
  int next = 0;
  for (const std::string& field : run.fields) arrays[field] = next++;
  for (const std::string& coefficient : coefficient_names(run)) arrays[coefficient] = next++;
  for (const auto& [name, formula] : run.equation.quantities)
    if (std::ranges::count(run.laws, name, &SideLaw::array) > 0) arrays[name] = next++;
  return arrays;
}

FormulaSystem system_of(const RunConfig& run) {
  FormulaSystem system{.names = names_of(run), .rates = {}, .quantities = {}};
  system.names.arrays = arrays_of(run);
  NoiseUses& noise = system.names.noise.emplace();
  noise.seed = run.initial.fractal.seed;
  for (int axis = 3 - run.shape.axes; axis < 3; ++axis) noise.volume *= run.spacing.by_axis[axis];
  for (const std::string& field : run.fields)
    system.rates.push_back(rate_of(run, field).parsed(field));
  for (const auto& [name, formula] : run.equation.quantities)
    system.quantities.push_back(formula.parsed(name));
  return system;
}

bool has_noise(const RunConfig& run) { return rate_stages(system_of(run)).used.contains("noise"); }

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
  const LawRow& row = row_of(law.kind);
  const double h = names.spacing[law.axis], out = row.place;
  const std::array size = by_axis(run.shape);
  const double position = law.last ? (static_cast<double>(size[law.axis] - 1) + out) * h : -out * h;
  names.terms[std::string(1, "zyx"[law.axis])] = TreeWriter::scalar(position, false);

  LawTerms terms;
  const auto written = [&](const FormulaText& text, const FormulaNames& of,
                           std::set<std::string>& in) {
    const Formula formula = text.parsed(law_name(law));
    return TreeWriter(of, terms.tree, in).write(formula);
  };
  FormulaNames of_row;
  of_row.terms = {{"h", TreeWriter::scalar(h, false)}, {"value", written(law.value, names, used)}};
  if (row.takes_factor()) of_row.terms["factor"] = written(law.factor, names, used);
  std::set<std::string> used_of_row;
  const Term a = written(row.a, of_row, used_of_row), b = written(row.b, of_row, used_of_row);
  const Term divisor = written(row.divisor, of_row, used_of_row);
  if (divisor.factor == 0) {
    FormulaError error(0, fmt::format("makes {} zero", row.divisor.text()));
    error.of = law_name(law);
    error.text = law.factor.text();
    throw error;
  }
  TreeWriter writer(names, terms.tree, used);
  terms.a = writer.quotient(a, divisor);
  terms.b = writer.quotient(b, divisor);
  if (!terms.a.is_scalar() || !terms.b.is_scalar())
    terms.tree.results = {writer.node_of(terms.a), writer.node_of(terms.b)};
  return terms;
}

}  // namespace lapl
