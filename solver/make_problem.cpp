#include "solver/make_problem.hpp"

#include <algorithm>

#include "kernels/evaluation.hpp"
#include "kernels/fields/pcg64.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/ranks/local_problem.hpp"
#include "kernels/solve/grid_convolution.hpp"
#include "kernels/solve/grid_system.hpp"
#include "kernels/solve/implicit_system.hpp"
#include "solver/equation/condition_formulas.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/mixed_axes.hpp"
#include "solver/equation/rate_symbol.hpp"
#include "solver/exponential_problem.hpp"
#include "solver/spectral_problem.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

template <class T>
void impose(const RunConfig& config, const SideCondition& condition, int array,
            Problem<T>& problem) {
  if (is_mixed(config, condition.axis)) return;  // stages impose it
  std::set<std::string> used;
  ConditionTerms terms = condition_terms(condition, config, used);
  Faces<T>& faces = problem.faces[array];
  AxisFaces<T>& axis = condition.axis == 0   ? faces.planes
                       : condition.axis == 1 ? faces.rows
                                             : faces.columns;
  Face<T>& face = condition.last ? axis.last : axis.first;
  if (terms.staged) {
    terms.a = TreeWriter::scalar(0);
    terms.b = TreeWriter::scalar(1);
  } else if (!terms.tree.results.empty()) {
    face = Face<T>::varying(static_cast<int>(problem.conditions.size()));
    problem.conditions.push_back(std::move(terms.tree));
    return;
  }
  face = {static_cast<T>(terms.a.factor), static_cast<T>(terms.b.factor)};
}

// The part of the grid with these rows (on three axes, with the planes that contain them) and a
// halo of one cell.
Part part_with(RowRange rows, Shape grid, const Faces<double>& faces) {
  if (rows.count == 0) return {.whole = grid, .own = {}};
  Part part = Part::all(grid);
  part.endless = {faces.planes.wrap(), faces.rows.wrap(), faces.columns.wrap()};
  if (rows == RowRange::all(grid)) return part;
  const std::size_t axis = grid.axes > 2 ? 0 : 1;
  const std::int64_t step = grid.axes > 2 ? grid.rows : 1, size = by_axis(grid)[axis];
  const std::int64_t first = rows.first / step, end = (rows.end() + step - 1) / step;
  part.first[axis] = first;
  part.own[axis] = end - first;
  if (first > 0 || part.endless[axis]) part.before[axis] = 1;
  if (end < size || part.endless[axis]) part.after[axis] = 1;
  return part;
}

// Random numbers for the cells of a part. Cell i of the grid has the number that numpy's generator
// returns after `before` + i others.
std::vector<double> random_values(std::uint64_t seed, std::uint64_t before, const Part& part) {
  const Shape shape = part.shape();
  std::vector<double> values;
  values.reserve(shape.cells());
  const Pcg64 seeded = numpy_generator(seed);
  for (std::int64_t row = 0; row < shape.planes * shape.rows; ++row) {
    Pcg64 generator = seeded;
    generator.advance(before + static_cast<std::uint64_t>(part.row_in_grid(row)));
    for (std::int64_t column = 0; column < shape.columns; ++column)
      values.push_back(static_cast<double>(generator.next() >> 11) * 0x1p-53);
  }
  return values;
}

// The values of `rows` as a block of the shape of `part`. It is 0 in other rows, which formulas
// without operators do not read.
std::vector<double> rows_in_block(const std::vector<double>& values, RowRange rows,
                                  const Part& part) {
  const Shape shape = part.shape();
  std::vector<double> block(shape.cells());
  for (std::int64_t row = 0; row < shape.planes * shape.rows; ++row) {
    const std::int64_t from = part.row_in_grid(row) / shape.columns - rows.first;
    if (from >= 0 && from < rows.count)
      std::copy_n(values.begin() + from * shape.columns, shape.columns,
                  block.begin() + row * shape.columns);
  }
  return block;
}

// True if the rates are linear, with factors that depend neither on fields nor on time.
bool is_linear(const Problem<double>& rates) {
  return !names_time(rates) &&
         RateSymbol(rates.stages, rates.step_fields, rates.arrays()).rates() !=
             RateSymbol::Rates::nonlinear;
}

double tolerance(const SolveConfig& solve, const RunConfig& config) {
  return solve.tolerance.value_or(config.precision == Precision::float64 ? 1e-10 : 1e-5);
}

// The preconditioner of a field in a system of several: transforms only where they can.
SolveMethod method_in_system(const SolveConfig& solve) {
  return solve.method == SolveMethod::multigrid ? SolveMethod::multigrid : SolveMethod::automatic;
}

// The equations of fields that are solved for together.
std::shared_ptr<GridEquations> equations_together(const RunConfig& config,
                                                  const FormulaSystem& system, int which,
                                                  const CoefficientFields& coefficients) {
  FormulaSystem alone = implicit_rates(system);
  ImplicitRules rules;
  for (const SolvedField& solved : system.solved)
    if (solved.system == which) rules.unknowns.push_back(solved.field);
  for (int field = 0; field < std::ssize(config.fields); ++field)
    if (std::ranges::count(rules.unknowns, field) == 0)
      alone.rates[field] = parse_formula(config.fields[field], "0");
  const Problem<double> rates = rates_problem(config, alone, coefficients);
  rules.is_linear = is_linear(rates);
  for (const int field : rules.unknowns) {
    const auto solve =
        std::ranges::find(config.equation.solves, config.fields[static_cast<std::size_t>(field)],
                          &SolveConfig::field);
    rules.fields.push_back(solve->field);
    rules.has_rate.push_back(false);
    rules.removes_mean.push_back(solve->removes_mean);
    rules.methods.push_back(method_in_system(*solve));
    rules.key = "equation.let." + solve->name;
    rules.most_iterations = static_cast<int>(solve->most_iterations);
    rules.tolerance = tolerance(*solve, config);
  }
  return std::make_shared<ImplicitSystem>(rates, std::move(rules), config.threads);
}

// The equations of an implicit step.
std::shared_ptr<GridEquations> step_equations(const RunConfig& config, const FormulaSystem& system,
                                              const CoefficientFields& coefficients) {
  const Problem<double> rates = rates_problem(config, implicit_rates(system), coefficients);
  ImplicitRules rules{.fields = config.fields,
                      .has_rate = std::vector<bool>(config.fields.size(), true),
                      .tolerance = config.precision == Precision::float64 ? 1e-10 : 1e-8,
                      .rejects = config.scheme.tolerance.has_value()};
  if (config.scheme.tolerance)
    rules.tolerance = std::max(rules.tolerance, 1e-4 * config.scheme.tolerance->relative);
  if (config.steady_tolerance) rules.tolerance = config.steady_tolerance->relative;
  rules.is_linear = is_linear(rates);
  rules.removes_mean = std::vector<bool>(config.fields.size());
  rules.methods.resize(config.fields.size());
  for (std::size_t i = 0; i < system.solved.size(); ++i) {
    const auto field = static_cast<std::size_t>(system.solved[i].field);
    rules.has_rate[field] = false;
    rules.removes_mean[field] = config.equation.solves[i].removes_mean;
    rules.methods[field] = method_in_system(config.equation.solves[i]);
  }
  return std::make_shared<ImplicitSystem>(rates, std::move(rules), config.threads);
}

}  // namespace

CoefficientFields unread_coefficients(const RunConfig& config) {
  CoefficientFields fields;
  for (const std::string& name : coefficient_names(config)) fields[name];
  return fields;
}

template <class T>
Problem<T> problem_with(const RunConfig& config, const CoefficientFields& coefficients,
                        const StepStages& step) {
  Problem<T> problem{.shape = config.shape, .faces = {}};
  const int fields = static_cast<int>(config.fields.size());
  problem.measures_error = step.measures_error;
  problem.step_fields = fields + (step.measures_error ? 1 : 0);
  problem.stages = step.stages;
  for (const Stage& stage : problem.stages)
    for (const GridReduction& reduction : stage.reductions)
      problem.reduced.resize(std::max<std::size_t>(problem.reduced.size(), reduction.index + 1));
  for (const Stage& stage : problem.stages)
    for (const GridSolve& solve : stage.solves)
      problem.systems.resize(std::max<std::size_t>(problem.systems.size(), solve.system + 1));
  problem.spacing = config.spacing.by_axis;
  problem.middle = config.spacing.middle;
  problem.clock = step_times(config);
  for (const std::string& name : coefficient_names(config))
    problem.coefficients.push_back(shared_values(rounded_once<T>(coefficients.at(name))));
  for (const int like : step.like)
    problem.faces.push_back(like >= 0 && like < fields ? Faces<T>(config.boundaries)
                                                       : quantity_faces<T>(config.boundaries));
  const auto named = array_indices(config);
  for (int array = 0; array < problem.arrays(); ++array)
    for (const SideCondition& condition : config.conditions)
      for (const auto& [name, like] : named)
        if (step.like[array] == like && applies_to(condition, name, config))
          impose(config, condition_of_array(condition, name, config), array, problem);
  if (!step.windows.empty()) problem.systems.resize(step.first_window);
  for (const StageWindow& one : step.windows)
    problem.systems.push_back(std::make_shared<GridConvolution<T>>(
        problem, static_cast<int>(std::ranges::find(step.like, one.like) - step.like.begin()),
        one.window.kernel.empty()
            ? shift_window(one.window.shift, config.shape.axes)
            : convolution_window(config.kernels.at(one.window.kernel), config),
        one.sides, config.threads));
  return problem;
}
LAPL_FOR_FLOATS(problem_with);

Problem<double> rates_problem(const RunConfig& config, const FormulaSystem& system,
                              const CoefficientFields& coefficients) {
  RunConfig with_step = config;
  // With time.step: auto there is no number yet. All numbers give the same rates.
  if (!with_step.time_step) with_step.time_step = 1;
  return problem_with<double>(with_step, coefficients, rate_stages(system));
}

std::vector<std::shared_ptr<GridEquations>> grid_systems(const RunConfig& config,
                                                         const FormulaSystem& system,
                                                         const CoefficientFields& coefficients) {
  RunConfig with_step = config;
  if (!with_step.time_step) with_step.time_step = 1;  // is not read
  std::vector<std::shared_ptr<GridEquations>> systems;
  for (std::size_t i = 0; i < system.solved.size(); ++i) {
    const SolvedField& solved = system.solved[i];
    const SolveConfig& solve = config.equation.solves[i];
    if (std::ranges::count(system.solved, solved.system, &SolvedField::system) > 1) {
      if (solved.system == std::ssize(systems))
        systems.push_back(equations_together(with_step, system, solved.system, coefficients));
      continue;
    }
    const auto side = [&](const Formula& formula) {
      return problem_with<double>(with_step, coefficients,
                                  solve_stages(system, formula, solved.field));
    };
    systems.push_back(std::make_shared<GridSystem>(
        side(solved.left), side(solved.right), solved.field,
        SolveRules{.unknown = solve.field,
                   .tolerance = tolerance(solve, config),
                   .most_iterations = static_cast<int>(solve.most_iterations),
                   .removes_mean = solve.removes_mean,
                   .rounding = config.precision == Precision::float64 ? 1e-9 : 1e-6,
                   .method = solve.method},
        config.threads));
  }
  return systems;
}

template <class T>
Problem<T> make_problem(const Model& model, const CoefficientFields& coefficients,
                        bool with_source) {
  const RunConfig& config = model.run;
  Problem<T> problem = problem_with<T>(config, coefficients, model.step);
  if (config.scheme.kind == Scheme::steady && names_time(problem))
    throw ConfigError(
        "time.scheme: found steady, but a rate or a condition reads t (expected another "
        "scheme, such as sdirk2)");
  if (is_exponential(config))
    problem.exponential = exponential_rates(config, model.system, coefficients);
  if (is_spectral(config))
    problem.linear_rates = linear_rates(config, model.system, coefficients, with_source);
  if (with_source && !problem.systems.empty()) {
    std::vector<std::shared_ptr<GridEquations>> systems =
        grid_systems(config, model.system, coefficients);
    if (table_row(config.scheme.kind).is_implicit())
      systems.push_back(step_equations(config, model.system, coefficients));
    std::ranges::move(systems, problem.systems.begin());
  }
  return problem;
}
LAPL_FOR_FLOATS(make_problem);

std::vector<double> values_of_formula(const std::string& name, const FormulaText& text,
                                      const RunConfig& config,
                                      const CoefficientFields& coefficients, Ranks& ranks,
                                      std::int64_t* draws, std::optional<RowRange> rows,
                                      const CoefficientFields& others) {
  const Formula formula = text.parsed(name);
  FormulaNames names = names_of_values(config);
  const Faces<double> faces = quantity_faces<double>(config.boundaries);
  const Part part = part_with(rows.value_or(RowRange::all(config.shape)), config.shape, faces);
  // In this problem, everything that the formula reads is a coefficient.
  Problem<double> problem{.shape = part.shape(), .faces = {}, .step_fields = 0};
  problem.part = part;
  problem.spacing = names.spacing;
  problem.middle = names.middle;
  const auto new_array = [&, open = open_faces(faces, part)] {
    problem.faces.push_back(open);
    return problem.arrays() - 1;
  };
  const auto add = [&](std::vector<double> values) {
    problem.coefficients.push_back(shared_values(std::move(values)));
    return new_array();
  };
  for (const FormulaNode& node : formula.nodes)
    if (const auto field = coefficients.find(node.name);
        field != coefficients.end() && !names.arrays.contains(node.name))
      names.arrays[node.name] = add(values_of_first(ranks, field->second, part));
  for (const auto& [other, values] : others)
    if (std::ranges::count(formula.nodes, other, &FormulaNode::name) > 0)
      names.arrays[other] = add(rows_in_block(values, *rows, part));
  if (draws)
    names.draw = [&] {
      const auto before = static_cast<std::uint64_t>((*draws)++ * config.shape.cells());
      return add(random_values(config.initial.fractal.seed, before, part));
    };
  Stage stage;
  std::set<std::string> used;
  TreeWriter writer(names, stage.tree, used);
  stage.tree.results = {writer.as_node(writer.write(formula))};
  if (part.is_empty()) return {};
  stage.targets = {new_array()};
  problem.stages = {std::move(stage)};
  const std::vector<double> block = Evaluation<double>(problem, 1, 0)({});
  // On three axes the part has whole planes, so it may begin before the first wanted row.
  const RowRange made{part.in_grid(0) / part.whole.columns, part.rows()},
      wanted = rows.value_or(made);
  std::vector<double> values;
  values.reserve(wanted.count * config.shape.columns);
  for (std::int64_t row = wanted.first; row < wanted.end(); ++row)
    values.insert(values.end(), block.begin() + part.in_block(row - made.first),
                  block.begin() + part.in_block(row - made.first) + config.shape.columns);
  return values;
}

}  // namespace lapl
