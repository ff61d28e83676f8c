#include "solver/equation/discretise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solver/names.hpp"

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;

constexpr std::size_t most_operations = 4096;

bool is_unit(const Term& term) { return term.literal && std::abs(term.factor) == 1; }

int along_axis(Offset at, int axis) {
  return axis == 0 ? at.plane : axis == 1 ? at.row : at.column;
}

std::vector<std::string> known_names(const FormulaNames& names) {
  std::vector<std::string> known;
  for (const auto& [name, array] : names.arrays)
    if (is_plain_name(name)) known.push_back(name);
  for (const auto& [name, number] : names.numbers) known.push_back(name);
  for (const auto& [name, formula] : names.quantities) known.push_back(name);
  if (names.has_time) known.emplace_back("t");
  for (int axis = 0; names.has_position && axis < names.axes; ++axis)
    known.emplace_back(1, "xyz"[axis]);
  if (names.draw) known.emplace_back("random");
  if (names.noise) known.emplace_back("noise");
  for (const FormulaFunction& function : formula_functions) known.emplace_back(function.name);
  return known;
}

}  // namespace

std::set<std::string> FormulaNames::arrays_read(const Formula& formula, int node) const {
  std::set<std::string> found;
  std::set<const Formula*> seen;
  std::vector<std::pair<const Formula*, int>> left = {{&formula, node}};
  while (!left.empty()) {
    const auto [of, at] = left.back();
    left.pop_back();
    const FormulaNode& part = of->nodes[at];
    for (const int operand : part.operands) left.emplace_back(of, operand);
    if (part.kind != Kind::name) continue;
    if (arrays.contains(part.name))
      found.insert(part.name);
    else if (const auto quantity = quantities.find(part.name);
             quantity != quantities.end() && seen.insert(quantity->second).second)
      left.emplace_back(quantity->second, quantity->second->whole());
  }
  return found;
}

int FormulaNames::ending_axes(const Formula& formula, int node) const {
  if (ending.empty()) return 0;
  int axes_of_all = 0;
  for (const std::string& name : arrays_read(formula, node))
    if (const auto array = ending.find(name); array != ending.end()) axes_of_all |= array->second;
  return axes_of_all;
}

std::optional<int> integer_exponent(const Formula& formula, int node) {
  const FormulaNode* at = &formula.nodes[node];
  const bool negative = at->kind == Kind::negative;
  if (negative) at = &formula.nodes[at->operands[0]];
  if (at->kind != Kind::number || at->number > 64 || at->number != std::floor(at->number))
    return std::nullopt;
  return static_cast<int>(negative ? -at->number : at->number);
}

int TreeWriter::as_node(Term term) {
  if (term.is_scalar()) return tree_.number(term.factor);
  if (!is_unit(term))
    return tree_.operate(Operation::product, tree_.number(term.factor), term.node);
  return term.factor > 0 ? term.node : tree_.operate(Operation::negative, term.node);
}

// A product that is added to a term becomes a fused multiply-add. If both are products, that of a
// number and an operation is fused, because other sums may share the operation, else the second
// one.
Term TreeWriter::sum(Term a, Term b) {
  if (vanishes(a)) return b;
  if (vanishes(b)) return a;
  if (a.is_scalar() && b.is_scalar()) return scalar(a.factor + b.factor, a.literal && b.literal);
  for (Term* const term : {&a, &b})
    if (term->is_scalar()) *term = of(tree_.number(term->factor));
  // x - x must be exactly 0: fusing a product would leave its rounding error.
  if (a.node == b.node && a.factor == -b.factor)
    return of(tree_.operate(Operation::difference, a.node, a.node));
  const auto fused = [&](int p, int q, const Term& other) {
    return of(tree_.operate(Operation::fused_multiply_add, p, q, as_node(other)));
  };
  for (const auto& [term, other] : {std::pair(b, a), std::pair(a, b)})
    if (!is_unit(term)) return fused(tree_.number(term.factor), term.node, other);
  for (const auto& [term, other] : {std::pair(b, a), std::pair(a, b)}) {
    const StageOperation node = tree_.operations[term.node];
    if (node.operation == Operation::product)
      return fused(as_node({term.factor, true, node.operands[0]}), node.operands[1], other);
  }
  if (a.factor == b.factor) return {a.factor, true, tree_.operate(Operation::sum, a.node, b.node)};
  return of(a.factor > 0 ? tree_.operate(Operation::difference, a.node, b.node)
                         : tree_.operate(Operation::difference, b.node, a.node));
}

Term TreeWriter::product(Term a, Term b) {
  if (vanishes(a)) return a;
  if (vanishes(b)) return b;
  const double factor = a.factor * b.factor;
  const bool literal = a.literal && b.literal;
  if (a.is_scalar() || b.is_scalar()) return {factor, literal, std::max(a.node, b.node)};
  return {factor, literal, tree_.operate(Operation::product, a.node, b.node)};
}

Term TreeWriter::quotient(Term a, Term b) {
  if (vanishes(a)) return a;
  const double factor = a.factor / b.factor;
  const bool literal = a.literal && b.literal;
  if (b.is_scalar()) return {factor, literal, a.node};
  if (a.is_scalar()) return of(tree_.operate(Operation::quotient, tree_.number(factor), b.node));
  return {factor, literal, tree_.operate(Operation::quotient, a.node, b.node)};
}

Term TreeWriter::position(int axis, Offset at) {
  const Term from_zero = of(tree_.position(axis, at));
  const double origin = names_.middle[axis] != 0 ? 0 : names_.origin[axis];
  return origin == 0 ? from_zero : sum(from_zero, scalar(origin, false));
}

Term TreeWriter::negative(Term a) const { return {-a.factor, a.literal, a.node}; }

Term TreeWriter::apply(Operation operation, std::vector<Term> operands) {
  operands.resize(3, scalar(0));
  const std::size_t count = table_row(operation).operands;
  if (std::all_of(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(count),
                  [](const Term& term) { return term.is_scalar(); })) {
    double value = 0;
    with_operation<double>(operation, [&](auto of_three) {
      value = of_three(operands[0].factor, operands[1].factor, operands[2].factor);
    });
    return scalar(value, false);
  }
  std::array<int, 3> nodes{};
  for (std::size_t i = 0; i < count; ++i) nodes[i] = as_node(operands[i]);
  return of(tree_.operate(operation, nodes[0], nodes[1], nodes[2]));
}

Term TreeWriter::write(const Formula& formula) {
  return write(ShiftedPart{&formula, formula.whole(), {}, face_.has_value()});
}
Term TreeWriter::write(const NestedQuantity& part) {
  const ShiftedPart place{part.formula, part.node, {}};
  if (part.of == NestedQuantity::Of::volume) return cell_volume();
  if (part.of == NestedQuantity::Of::by_volume) return product(write(place), cell_volume());
  if (!part.is_difference()) return write(place);
  const Argument argument{place, nested_({part.formula, part.node})};
  switch (part.of) {
    case NestedQuantity::Of::slope: return limited_slope(argument, part.axis);
    case NestedQuantity::Of::second_difference: return second_difference(argument, part.axis);
    default: return weno_difference(argument, part.axis, part.of == NestedQuantity::Of::to_after);
  }
}

Term TreeWriter::write(ShiftedPart place) {
  if (const auto known = known_.find(place); known != known_.end()) return known->second;
  const FormulaNode& node = place.formula->nodes[place.node];
  try {
    if (tree_.operations.size() > most_operations)
      throw FormulaError(node.at, fmt::format("more than {} operations a cell", most_operations));
    const Term term = made(place, node);
    if (!std::isfinite(term.factor))
      throw FormulaError(node.at, fmt::format("makes the number {}", term.factor));
    known_.emplace(place, term);
    return term;
  } catch (FormulaError& error) {
    if (error.of.empty()) {
      error.of = place.formula->name;
      error.text = place.formula->text;
    }
    if (place.node == place.formula->whole()) error.through.push_back(place.formula->name);
    throw;
  }
}

Term TreeWriter::made(const ShiftedPart& place, const FormulaNode& node) {
  const auto operand = [&](std::size_t which) {
    return write(place.operand(node.operands[which]));
  };
  switch (node.kind) {
    case Kind::number: return scalar(node.number);
    case Kind::name: return name(place, node);
    case Kind::negative: return negative(operand(0));
    case Kind::power: return power(place, node);
    case Kind::logic: return logic(place, node);
    case Kind::call: return call(place, node);
    case Kind::product:
      if (const auto found = flux(place)) return *found;
      break;
    default: break;
  }
  // C++ does not order the evaluation of arguments, but uses of `random` must draw in the order of
  // the text.
  const Term a = operand(0), b = operand(1);
  switch (node.kind) {
    case Kind::sum: return sum(a, b);
    case Kind::difference: return sum(a, negative(b));
    case Kind::product: return product(a, b);
    case Kind::quotient:
      if (b.factor == 0) throw FormulaError(node.at, "division by 0");
      return quotient(a, b);
    default: return comparison(node, a, b);
  }
}

Term TreeWriter::name(const ShiftedPart& place, const FormulaNode& node) {
  const std::string& name = node.name;
  used_.insert(name);
  if (const auto array = names_.arrays.find(name); array != names_.arrays.end())
    return place.side.axis < 0 ? read(array->second, place) : at_face(place);
  if (const auto number = names_.numbers.find(name); number != names_.numbers.end())
    return scalar(number->second, false);
  if (const auto quantity = names_.quantities.find(name); quantity != names_.quantities.end())
    return write(
        ShiftedPart{quantity->second, quantity->second->whole(), place.at, place.face, place.side});
  if (name == "pi") return scalar(std::numbers::pi);
  if (const auto term = names_.terms.find(name); term != names_.terms.end()) return term->second;
  if (name == "t" && names_.has_time) return of(tree_.time());
  if (name == "noise" && names_.noise) return noise(place, node);
  if (name == "random" && names_.draw) return of(tree_.value(names_.draw(), place.at));
  if (name.size() == 1 && name[0] >= 'x' && name[0] <= 'z' && names_.has_position) {
    const int axis = axis_named(name[0], node);
    const Term at = position(axis, place.at);
    const int outward = place.face                ? along_axis(*face_, axis)
                        : place.side.axis != axis ? 0
                        : place.side.after        ? 1
                                                  : -1;
    return outward == 0 ? at : sum(at, scalar(0.5 * outward * names_.spacing[axis], false));
  }
  if (is_grid_constant(name)) {
    if (name == "dt")
      throw FormulaError(node.at,
                         "dt where steps vary (expected time.step: a number, without auto "
                         "and without time.tolerance)");
    axis_named(name[1], node);
  }
  if (!names_.has_none_of.empty() && (is_reserved_name(name) || formula_function(name)))
    throw FormulaError(node.at, fmt::format("{} {}", name, names_.has_none_of));
  if (const FormulaFunction* const function = formula_function(name))
    throw FormulaError(node.at, fmt::format("{} without what it is of (expected {}({}))", name,
                                            name, function->arguments));
  throw FormulaError(node.at, name, known_names(names_));
}

Term TreeWriter::read(int array, const ShiftedPart& place) {
  if (names_.read) return of(names_.read(array));
  const int here = tree_.value(array, place.at);
  if (!place.face || (in_cell_ && in_cell_(array))) return of(here);
  return {0.5, false, tree_.operate(Operation::sum, here, tree_.value(array, *face_))};
}

// A random number / sqrt(dt h^d), on a grid of d axes.
Term TreeWriter::noise(const ShiftedPart& place, const FormulaNode& node) {
  const NoiseUses& noise = *names_.noise;
  const std::uint64_t seed = noise_seed(*place.formula, node).value_or(noise.seed);
  used_.insert(node.name);
  refuse_coordinates(node);
  if (noise.is_zero) return of(tree_.number(0));
  const auto use = noise.uses.find({place.formula, place.node});
  if (use == noise.uses.end() || place.at != Offset{})
    throw FormulaError(node.at, "noise has no meaning here (expected it in a rate)");
  const Term draw = of(tree_.noise(seed, use->second));
  if (noise.dt) return product(scalar(1 / std::sqrt(*noise.dt * noise.volume), false), draw);
  const Term root = apply(Operation::square_root, {of(tree_.time_step())});
  return product(of(as_node(quotient(scalar(1 / std::sqrt(noise.volume), false), root))), draw);
}

// True for the noise of rates that are evaluated without it. Its terms are dropped, so that they
// affect neither stability nor which rates are linear.
bool TreeWriter::vanishes(const Term& term) const {
  return names_.noise && names_.noise->is_zero && !term.is_scalar() &&
         tree_.operations[term.node] == StageOperation{.operation = Operation::number};
}

void TreeWriter::refuse_noise(const ShiftedPart& place, int operand,
                              const FormulaNode& of_node) const {
  if (names_.noise && names_.noise->noisy_nodes.contains({place.formula, operand}))
    throw FormulaError(of_node.at,
                       fmt::format("{} of noise, which it would read at neighbours (expected noise "
                                   "outside of operators)",
                                   of_node.name));
}

int TreeWriter::axis_named(char letter, const FormulaNode& node) const {
  const int axis = letter == 'x' ? 2 : letter == 'y' ? 1 : 0;
  if (axis < 3 - names_.axes)
    throw FormulaError(
        node.at, fmt::format("{} on a grid of {} {} (there is no axis {})", node.name, names_.axes,
                             names_.axes == 1 ? "axis" : "axes", letter));
  return axis;
}

Term TreeWriter::logic(const ShiftedPart& place, const FormulaNode& node) {
  std::vector<Term> operands;
  for (const int operand : node.operands) operands.push_back(write(place.operand(operand)));
  return apply(node.name == "and"  ? Operation::both
               : node.name == "or" ? Operation::either
                                   : Operation::is_not,
               operands);
}

Term TreeWriter::comparison(const FormulaNode& node, Term a, Term b) {
  if (node.name == ">" || node.name == ">=") std::swap(a, b);
  return apply(node.name == "=="       ? Operation::is_equal
               : node.name == "!="     ? Operation::is_other
               : node.name.size() == 1 ? Operation::is_less
                                       : Operation::is_at_most,
               {a, b});
}

Term TreeWriter::power(const ShiftedPart& place, const FormulaNode& node) {
  const Term base = write(place.operand(node.operands[0]));
  if (const auto exponent = integer_exponent(*place.formula, node.operands[1])) {
    if (*exponent == 0) return scalar(1);
    const Term result =
        power_by_squaring(base, std::abs(*exponent), [&](Term a, Term b) { return product(a, b); });
    if (*exponent > 0) return result;
    if (result.factor == 0) throw FormulaError(node.at, "division by 0");
    return quotient(scalar(1), result);
  }
  return apply(Operation::power, {base, write(place.operand(node.operands[1]))});
}

Term TreeWriter::call(const ShiftedPart& place, const FormulaNode& node) {
  if (is_noise(node) && names_.noise) return noise(place, node);
  const FormulaFunction* const function = formula_function(node.name);
  if (function == nullptr) {
    if (names_.arrays.contains(node.name) || names_.numbers.contains(node.name) ||
        names_.quantities.contains(node.name))
      throw FormulaError(node.at, fmt::format("{} is no function (a product is written {} * (...))",
                                              node.name, node.name));
    throw FormulaError(node.at, node.name, known_names(names_));
  }
  if (function->kind == FormulaFunction::Kind::defined)
    require_arguments(node, static_cast<std::size_t>(function->argument_count()));
  if (function->kind == FormulaFunction::Kind::over_grid) return over_grid(place, node);
  return function->kind == FormulaFunction::Kind::stencil ? stencil(place, node)
                                                          : values_function(place, node);
}

void TreeWriter::require_arguments(const FormulaNode& node, std::size_t count) {
  if (node.operands.size() == count) return;
  throw FormulaError(
      node.at, fmt::format("{} of {} argument{} (expected {}({}))", node.name, node.operands.size(),
                           node.operands.size() == 1 ? "" : "s", node.name,
                           formula_function(node.name)->arguments));
}

Term TreeWriter::values_function(const ShiftedPart& place, const FormulaNode& node) {
  const Operation operation = formula_function(node.name)->operation;
  require_arguments(node, static_cast<std::size_t>(table_row(operation).operands));
  std::vector<Term> operands;
  for (const int operand : node.operands) operands.push_back(write(place.operand(operand)));
  if (operation == Operation::choice && operands[0].is_scalar())
    return operands[operands[0].factor != 0 ? 1 : 2];
  return apply(operation, operands);
}

}  // namespace lapl
