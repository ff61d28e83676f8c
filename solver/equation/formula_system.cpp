#include "solver/equation/formula_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "solver/equation/check_quantities.hpp"
#include "solver/equation/condition_formulas.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/mixed_axes.hpp"
#include "solver/equation/reactions.hpp"

namespace lapl {

namespace {

constexpr std::array axis_names = {"planes", "rows", "columns"};

std::vector<Formula> parameters_of_position(const RunConfig& run) {
  std::vector<Formula> formulas;
  for (const auto& [name, parameter] : run.parameters)
    if (is_of_position(run, name)) formulas.push_back(parameter.formula.parsed(name));
  return formulas;
}

}  // namespace

bool has_flux(const SideCondition& condition) {
  return table_row(condition.kind).place == 0.5 && condition.kind != ConditionKind::value_at_face &&
         !(condition.kind == ConditionKind::derivative && condition.value.text() == "0");
}

bool has_weights(const RunConfig& run) {
  return run.mask && std::ranges::any_of(run.mask_conditions, has_flux);
}

std::string weight_name(int axis) {
  return fmt::format("{}.{}", mask_name, axis_names.at(static_cast<std::size_t>(axis)));
}

FormulaNames formula_names(const RunConfig& run) {
  FormulaNames names;
  for (const auto& [name, parameter] : run.parameters)
    if (parameter.kind == ParameterConfig::Kind::number) names.numbers[name] = parameter.number;
  names.axes = run.shape.axes;
  names.spacing = run.spacing.by_axis;
  names.origin = run.spacing.origin;
  names.middle = run.spacing.middle;
  names.radial = static_cast<int>(run.coordinates);
  names.shape = run.shape;
  names.is_sample = run.is_sample;
  for (const auto& [name, window] : run.kernels) names.kernels.insert(name);
  const std::array boundaries = by_axis(run.boundaries);
  for (std::size_t axis = 0; axis < 3; ++axis)
    names.periodic[axis] = boundaries.at(axis) == Boundary::periodic;
  const auto constant = [&](std::string name, double value) {
    names.terms.emplace(std::move(name), TreeWriter::scalar(value, false));
  };
  for (int axis = 3 - names.axes; axis < 3; ++axis) {
    const char letter = "zyx"[axis];
    const double h = names.spacing[axis], n = static_cast<double>(by_axis(run.shape)[axis]);
    constant({'h', letter}, h);
    constant({'n', letter}, n);
    constant({'L', letter}, n * h);
  }
  if (!run.scheme.varies && !run.lacks_step()) constant("dt", step_seconds(run));
  return names;
}

FormulaNames names_of_values(const RunConfig& run) {
  FormulaNames names = formula_names(run);
  names.has_time = names.has_stencils = false;
  names.has_none_of = "has no meaning here (expected a formula of the position and parameters)";
  return names;
}

FormulaNames names_of_conditions(const RunConfig& run) {
  FormulaNames names = formula_names(run);
  names.has_stencils = false;
  names.has_none_of =
      "has no meaning at a face (a condition is of t, the position, parameters and fields)";
  int array = 0;
  for (const std::string& field : run.fields) names.arrays[field] = array++;
  for (const std::string& coefficient : coefficient_names(run)) {
    if (!is_of_position(run, coefficient)) names.arrays[coefficient] = array;
    ++array;
  }
  return names;
}

std::vector<std::string> coefficient_names(const RunConfig& run) {
  std::vector<std::string> coefficients;
  for (const auto& [name, parameter] : run.parameters)
    if (parameter.kind != ParameterConfig::Kind::number) coefficients.push_back(name);
  if (run.mask) coefficients.emplace_back(mask_name);
  for (int axis = 3 - run.shape.axes; axis < 3 && has_weights(run); ++axis)
    coefficients.push_back(weight_name(axis));
  return coefficients;
}

namespace {

// Adds the reductions that a condition reads, which may have mistakes, to the system's.
ConditionTerms terms_in_system(const SideCondition& condition, const RunConfig& run,
                               FormulaSystem& system) {
  std::set<std::string> used;
  const ConditionTerms terms = condition_terms(condition, run, used);
  for (const ConditionReduction& one : terms.reductions)
    if (std::ranges::count(system.condition_reductions, one.key, &ConditionReduction::key) == 0)
      system.condition_reductions.push_back(one);
  return terms;
}

MaskBoundary make_mask_boundary(const RunConfig& run, FormulaSystem& system) {
  const FormulaNames& names = system.names;
  MaskBoundary mask_boundary{
      .mask = names.arrays.at(mask_name), .names = names_of_conditions(run), .conditions = {}};
  for (const SideCondition& condition : run.mask_conditions)
    for (const auto& [name, array] : names.arrays)
      if (applies_to(condition, name, run)) {
        const SideCondition of_array = condition_of_array(condition, name, run);
        SideCondition along_columns = of_array;
        along_columns.axis = 2;
        try {
          terms_in_system(along_columns, run, system);
          mask_boundary.conditions[array] = of_array;
        } catch (const FormulaError&) {  // reported as a mistake of the condition
        }
      }
  for (int axis = 3 - run.shape.axes; axis < 3 && has_weights(run); ++axis)
    mask_boundary.weights[static_cast<std::size_t>(axis)] = names.arrays.at(weight_name(axis));
  for (const FaceCoefficient& coefficient : coefficients_at_faces(run, run.mask_conditions)) {
    const int array = names.arrays.at(coefficient.condition.array);
    if (coefficient.is_linear)
      mask_boundary.linear.insert(array);
    else
      mask_boundary.conditions[array] = coefficient.condition;
  }
  return mask_boundary;
}

// The sides where stages impose conditions; none if there are none. Conditions with mistakes are
// left out.
std::optional<StagedSides> staged_sides(const RunConfig& run, FormulaSystem& system) {
  const FormulaNames& names = system.names;
  StagedSides sides{.names = names_of_conditions(run), .shape = run.shape, .at = {}};
  std::set<int> arrays;
  const std::vector<FaceCoefficient> coefficients = coefficients_at_faces(run, run.conditions);
  std::vector<SideCondition> conditions = run.conditions;
  for (const FaceCoefficient& coefficient : coefficients)
    if (!coefficient.is_linear) conditions.push_back(coefficient.condition);
  for (const SideCondition& given : conditions)
    for (const auto& [name, array] : names.arrays) {
      if (given.kind == ConditionKind::periodic || !applies_to(given, name, run)) continue;
      try {
        const SideCondition condition = condition_of_array(given, name, run);
        const ConditionTerms terms = terms_in_system(condition, run, system);
        // At faces, engines give coefficients the value inside; stages impose any other condition.
        const bool staged =
            terms.staged || (array >= std::ssize(run.fields) && run.parameters.contains(name));
        sides.at[{array, condition.axis, condition.last}] = {condition, terms.place, staged, false};
        if (staged) arrays.insert(array);
      } catch (const FormulaError&) {
      }
    }
  for (const FaceCoefficient& coefficient : coefficients) {
    if (!coefficient.is_linear) continue;
    const int array = names.arrays.at(coefficient.condition.array);
    arrays.insert(array);
    sides.at[{array, coefficient.condition.axis, coefficient.condition.last}] = {
        {.axis = coefficient.condition.axis,
         .last = coefficient.condition.last,
         .kind = ConditionKind::derivative},
        0,
        true,
        true};
  }
  std::erase_if(sides.at,
                [&](const auto& side) { return !arrays.contains(std::get<0>(side.first)); });
  const std::array boundaries = by_axis(run.boundaries);
  std::map<int, int> ending;  // of arrays, and of quantities (StepStages::like)
  for (const auto& [name, axes] : names.ending)
    if (const auto at = names.arrays.find(name); at != names.arrays.end())
      ending[at->second] = axes;
  for (int axes = 1; axes < 8 && !names.ending.empty(); ++axes) ending[-1 - axes] = axes;
  for (const auto& [array, axes] : ending) arrays.insert(array);
  for (const int array : arrays)
    for (int axis = 3 - run.shape.axes; axis < 3; ++axis) {
      const Boundary boundary = boundaries.at(static_cast<std::size_t>(axis));
      const bool wraps = boundary == Boundary::periodic;
      if (wraps && !ends_at(ending[array], axis)) continue;
      const bool zero = boundary == Boundary::zero && array >= 0 && array < std::ssize(run.fields);
      for (const bool last : {false, true})
        sides.at.try_emplace(
            {array, axis, last},
            ArraySide{{.axis = axis,
                       .last = last,
                       .kind = zero ? ConditionKind::value : ConditionKind::derivative},
                      0,
                      wraps});
    }
  return arrays.empty() ? std::nullopt : std::optional(std::move(sides));
}

}  // namespace

FormulaText field_rate(const RunConfig& run, const std::string& field) {
  if (is_diffusion(run))
    return field == run.fields.front()
               ? fmt::format("{} * laplacian({})", run.equation.diffusivity.value_or(1), field)
               : "0";
  const auto rate = run.equation.rates.find(field);
  return rate == run.equation.rates.end() || run.equation.maps.contains(field) ? "0" : rate->second;
}

std::map<std::string, int, std::less<>> array_indices(const RunConfig& run) {
  std::map<std::string, int, std::less<>> arrays;
  int next = 0;
  for (const std::string& field : run.fields) arrays[field] = next++;
  for (const std::string& coefficient : coefficient_names(run)) arrays[coefficient] = next++;
  for (const auto& [name, formula] : run.equation.quantities)
    if (std::ranges::count(run.conditions, name, &SideCondition::array) > 0 ||
        std::ranges::count(run.mask_conditions, name, &SideCondition::array) > 0)
      arrays[name] = next++;
  return arrays;
}

FormulaSystem make_system(const RunConfig& run) {
  FormulaSystem system{.names = formula_names(run)};
  set_sides(run, system.names);
  system.names.ending = ending_arrays(run);
  system.names.arrays = array_indices(run);
  NoiseUses& noise = system.names.noise.emplace();
  noise.seed = run.initial.fractal.seed;
  for (int axis = 3 - run.shape.axes; axis < 3; ++axis) noise.volume *= run.spacing.by_axis[axis];
  for (const std::string& field : run.fields) {
    const int index = static_cast<int>(system.rates.size());
    if (run.equation.maps.contains(field))
      system.next[index] = run.equation.rates.at(field).parsed(field);
    for (const auto& [name, formula] : run.equation.after)
      if (name == field) system.after[index] = formula.parsed(field);
    system.rates.push_back(with_own_field(field_rate(run, field).parsed(field), field));
  }
  for (const auto& [name, formula] : run.equation.quantities)
    system.quantities.push_back(formula.parsed(name));
  for (std::size_t i = 0; i < run.equation.solves.size(); ++i) {
    const SolveConfig& solve = run.equation.solves[i];
    const bool is_next = i > 0 && solve.name != run.equation.solves[i - 1].name;
    system.solved.push_back(
        {static_cast<int>(std::ranges::find(run.fields, solve.field) - run.fields.begin()),
         solve.left.parsed(solve.field), solve.right.parsed(solve.field),
         i == 0 ? 0 : system.solved.back().system + (is_next ? 1 : 0)});
  }
  system.coefficients = parameters_of_position(run);
  if (run.mask) system.mask_boundary = make_mask_boundary(run, system);
  system.sides = staged_sides(run, system);
  return system;
}

FormulaSystem explicit_part(const FormulaSystem& system, Scheme scheme) {
  return scheme == Scheme::imex ? SplitSystem(system).others : system;
}

bool applies_to(const SideCondition& condition, const std::string& array, const RunConfig& run) {
  return condition.array.empty() ? std::ranges::count(run.fields, array) > 0
                                 : condition.array == array;
}

bool conditions_read(const RunConfig& run) {
  const auto reads = [&](SideCondition condition) {
    if (condition.of_mask) condition.axis = 2;
    return std::ranges::any_of(array_indices(run), [&](const auto& array) {
      std::set<std::string> used;
      return condition.kind != ConditionKind::value_at_node &&
             applies_to(condition, array.first, run) &&
             condition_terms(condition_of_array(condition, array.first, run), run, used).reads;
    });
  };
  return std::ranges::any_of(run.conditions, reads) ||
         std::ranges::any_of(run.mask_conditions, reads);
}

std::string side_name(int axis, bool last) {
  return fmt::format("{}.{}", axis_names.at(static_cast<std::size_t>(axis)),
                     last ? "last" : "first");
}
std::string condition_name(const SideCondition& condition) {
  return condition.of_mask ? "boundary.mask"
                           : "boundary." + side_name(condition.axis, condition.last);
}
std::string condition_key(const SideCondition& condition) {
  const std::string name = condition_name(condition);
  return condition.of_mask ? name : name.substr(0, name.rfind('.'));
}

GhostTerms ghost_terms(const SideCondition& condition, const FormulaNames& names, double h,
                       StageTree& tree, std::set<std::string>& used) {
  const ConditionRow& row = table_row(condition.kind);
  const auto written = [&](const FormulaText& text, const FormulaNames& of,
                           std::set<std::string>& in) {
    const Formula formula = text.parsed(condition_name(condition));
    return TreeWriter(of, tree, in).write(formula);
  };
  FormulaNames of_row;
  of_row.terms = {{"h", TreeWriter::scalar(h, false)},
                  {"value", written(condition.value, names, used)}};
  if (row.has_factor) of_row.terms["factor"] = written(condition.factor, names, used);
  std::set<std::string> used_of_row;
  const Term a = written(row.a, of_row, used_of_row), b = written(row.b, of_row, used_of_row);
  const Term divisor = written(row.divisor, of_row, used_of_row);
  if (divisor.factor == 0)
    throw FormulaError(0, fmt::format("makes {} zero", row.divisor.text()),
                       condition_name(condition), condition.factor.text());
  TreeWriter writer(names, tree, used);
  return {writer.quotient(a, divisor), writer.quotient(b, divisor)};
}

namespace {

// The names for what a condition reduces over the grid, from those of the condition.
FormulaNames names_reduced(FormulaNames names) {
  names.has_none_of =
      "has no meaning in a number of the whole grid that a condition reads (expected an expression "
      "without operators, noise and other such numbers)";
  return names;
}

// A quantity with conditions is made after the reductions that conditions read.
void refuse_quantities(const Formula& formula, int node, const RunConfig& run,
                       const FormulaNames& names) {
  const FormulaNode& at = formula.nodes[node];
  const auto quantity = names.quantities.find(at.name);
  if (at.kind == FormulaNode::Kind::name && quantity != names.quantities.end()) {
    if (array_indices(run).contains(at.name) && !run.parameters.contains(at.name))
      throw FormulaError(at.at, fmt::format("{} has conditions of its own (expected an expression "
                                            "of other names in a number that a condition reads)",
                                            at.name));
    refuse_quantities(*quantity->second, quantity->second->whole(), run, names);
  }
  for (const int operand : at.operands) refuse_quantities(formula, operand, run, names);
}

}  // namespace

ConditionTerms condition_terms(const SideCondition& condition, const RunConfig& run,
                               std::set<std::string>& used) {
  FormulaNames names = names_of_conditions(run);
  std::vector<Formula> quantities;
  for (const auto& [name, formula] : run.equation.quantities)
    quantities.push_back(formula.parsed(name));
  check_quantities(quantities);
  std::ranges::move(parameters_of_position(run), std::back_inserter(quantities));
  for (const Formula& quantity : quantities) names.quantities[quantity.name] = &quantity;
  ConditionTerms terms;
  const FormulaNames in_cells = names_reduced(names);
  names.reduce = [&](const ReducedPart& reduced) {
    const Formula& formula = *reduced.part.formula;
    refuse_quantities(formula, reduced.part.node, run, in_cells);
    StageTree tree;
    if (TreeWriter(in_cells, tree, used).write(reduced.part).is_scalar())
      throw FormulaError(reduced.call->at,
                         fmt::format("{} of what is the same in every cell", reduced.call->name));
    terms.reductions.push_back(
        {reduced.key(), formula, reduced.part.node, reduced.part.of, reduced.kind, reduced.cell});
    return 0;
  };
  const double h = names.spacing[condition.axis], out = table_row(condition.kind).place;
  const std::array size = by_axis(run.shape);
  terms.place = run.spacing.position(
      condition.axis, condition.last ? static_cast<double>(size[condition.axis] - 1) + out : -out);
  names.terms[std::string(1, "zyx"[condition.axis])] =
      condition.of_mask ? TreeWriter(names, terms.tree, used).position(condition.axis, {})
                        : TreeWriter::scalar(terms.place, false);
  static_cast<GhostTerms&>(terms) = ghost_terms(condition, names, h, terms.tree, used);
  terms.reads =
      !terms.reductions.empty() ||
      std::ranges::count(terms.tree.operations, Operation::value, &StageOperation::operation) > 0;
  terms.staged = terms.reads || condition.kind == ConditionKind::value_at_node ||
                 (!condition.of_mask && is_mixed(run, condition.axis));
  TreeWriter writer(names, terms.tree, used);
  if (!terms.a.is_scalar() || !terms.b.is_scalar())
    terms.tree.results = {writer.as_node(terms.a), writer.as_node(terms.b)};
  return terms;
}

}  // namespace lapl
