// Creates runs of equations given as formulas, without a config, and steps them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/mask_weights.hpp"
#include "solver/make_problem.hpp"

namespace lapl::test {

/// A run with these fields and rates, in order: periodic, scheme euler, time step 1.
inline RunConfig formula_run(Shape shape, const NamedFormulas& rates) {
  RunConfig run;
  run.shape = shape;
  run.boundaries = {Boundary::periodic, Boundary::periodic};
  run.fields.clear();
  for (const auto& [field, rate] : rates) {
    run.fields.push_back(field);
    run.equation.rates[field] = rate;
  }
  run.output_fields = run.fields;
  run.equation.kind = EquationKind::formula;
  run.time_step = 1;
  return run;
}

/// The schemes that every engine steps.
inline std::vector<SchemeRow> schemes_of_stages() {
  std::vector<SchemeRow> schemes;
  for (const SchemeRow& row : name_table<Scheme>)
    if (!row.is_exponential() && !row.is_implicit()) schemes.push_back(row);
  return schemes;
}

inline ParameterConfig number_parameter(double number) {
  ParameterConfig parameter;
  parameter.number = number;
  return parameter;
}
inline ParameterConfig formula_parameter(const std::string& formula) {
  ParameterConfig parameter;
  parameter.kind = ParameterConfig::Kind::formula;
  parameter.formula = formula;
  return parameter;
}

/// The values of the parameters, and of a mask, that are formulas of position, by name.
inline CoefficientFields coefficient_fields(const RunConfig& run) {
  CoefficientFields fields;
  for (const auto& [name, parameter] : run.parameters)
    if (parameter.kind == ParameterConfig::Kind::formula)
      fields[name] = values_of_formula(name, parameter.formula, run, {}, only_rank());
  if (run.mask)
    for (double value : values_of_formula(mask_name, run.mask->formula, run, {}, only_rank()))
      fields[mask_name].push_back(value != 0 ? 1 : 0);
  add_mask_weights(run, fields);
  return fields;
}

/// of(x, y) at every node.
template <class T = double, class Of>
std::vector<T> at_nodes(const RunConfig& run, Of of) {
  std::vector<T> values;
  for (std::int64_t row = 0; row < run.shape.rows; ++row)
    for (std::int64_t column = 0; column < run.shape.columns; ++column)
      values.push_back(static_cast<T>(of(static_cast<double>(column) * run.spacing.by_axis[2],
                                         static_cast<double>(row) * run.spacing.by_axis[1])));
  return values;
}

/// The state after `steps` steps.
template <class T>
std::vector<T> formula_stepped(const RunConfig& run, const std::vector<T>& state,
                               std::int64_t steps, const std::string& engine = "interpreted",
                               int threads = 2) {
  const auto backend =
      make_backend<T>("cpu", engine, make_problem<T>(Model(run), coefficient_fields(run)), threads);
  backend->set_state(state);
  backend->advance(steps);
  return copy_of_state(*backend);
}

/// The values of a formula that reads field v.
inline std::vector<double> value_of_formula(RunConfig run, const std::string& formula,
                                            const std::vector<double>& v) {
  run.fields = {"u", "v"};
  run.equation.rates = {{"u", formula}, {"v", "0"}};
  run.output_fields = run.fields;
  run.equation.kind = EquationKind::formula;
  run.scheme = Scheme::euler;
  run.time_step = 1;
  std::vector<double> state(v.size());
  state.insert(state.end(), v.begin(), v.end());
  state = formula_stepped(run, state, 1);
  state.resize(v.size());
  return state;
}

/// The message about a run whose only field, v, has this rate; empty if there is no mistake.
inline std::string rate_mistake(RunConfig run, const std::string& rate) {
  run.fields = {"v"};
  run.equation.rates = {{"v", rate}};
  try {
    rate_stages(make_system(run));
  } catch (const FormulaError& error) {
    return error.what();
  }
  return "";
}

}  // namespace lapl::test
