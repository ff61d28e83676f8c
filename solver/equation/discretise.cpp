#include "solver/equation/discretise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;

constexpr std::size_t most_operations = 4096;  // of a tree

Offset along(int axis, int by) {
  return {axis == 0 ? by : 0, axis == 1 ? by : 0, axis == 2 ? by : 0};
}
Offset along(int axis, int by, int other, int by_other) {
  const Offset a = along(axis, by), b = along(other, by_other);
  return {a.plane + b.plane, a.row + b.row, a.column + b.column};
}

bool is_unit(const Term& term) { return term.literal && std::abs(term.factor) == 1; }

// The exponent where it is written as an integer that is not large.
std::optional<int> integer_exponent(const Formula& formula, int node) {
  const FormulaNode* at = &formula.nodes[node];
  const bool negative = at->kind == Kind::negative;
  if (negative) at = &formula.nodes[at->operands[0]];
  if (at->kind != Kind::number || at->number > 64 || at->number != std::floor(at->number))
    return std::nullopt;
  return static_cast<int>(negative ? -at->number : at->number);
}

void require_arguments(const FormulaNode& node, std::size_t count) {
  if (node.operands.size() == count) return;
  throw FormulaError(
      node.at, fmt::format("{} of {} argument{} (expected {}({}))", node.name, node.operands.size(),
                           node.operands.size() == 1 ? "" : "s", node.name,
                           formula_function(node.name)->arguments));
}

std::vector<std::string> known_names(const FormulaNames& names) {
  std::vector<std::string> known;
  for (const auto& [name, array] : names.arrays) known.push_back(name);
  for (const auto& [name, number] : names.numbers) known.push_back(name);
  for (const auto& [name, formula] : names.quantities) known.push_back(name);
  for (const FormulaFunction& function : formula_functions) known.emplace_back(function.name);
  return known;
}

}  // namespace

int TreeWriter::node_of(Term term) {
  if (term.is_scalar()) return tree_.number(term.factor);
  if (!is_unit(term))
    return tree_.operate(Operation::product, tree_.number(term.factor), term.node);
  return term.factor > 0 ? term.node : tree_.operate(Operation::negative, term.node);
}

// A product that feeds a sum is fused with it: the second one where both are products.
Term TreeWriter::sum(Term a, Term b) {
  if (a.is_scalar() && b.is_scalar()) return scalar(a.factor + b.factor, a.literal && b.literal);
  for (Term* const term : {&a, &b})
    if (term->is_scalar()) *term = of(tree_.number(term->factor));
  for (const auto& [fused, other] : {std::pair(b, a), std::pair(a, b)}) {
    if (!is_unit(fused))
      return of(tree_.operate(Operation::fused_multiply_add, tree_.number(fused.factor), fused.node,
                              node_of(other)));
    const StageOperation node = tree_.operations[fused.node];
    if (node.operation != Operation::product) continue;
    const int first =
        fused.factor > 0 ? node.operands[0] : tree_.operate(Operation::negative, node.operands[0]);
    return of(
        tree_.operate(Operation::fused_multiply_add, first, node.operands[1], node_of(other)));
  }
  if (a.factor == b.factor) return {a.factor, true, tree_.operate(Operation::sum, a.node, b.node)};
  return of(a.factor > 0 ? tree_.operate(Operation::difference, a.node, b.node)
                         : tree_.operate(Operation::difference, b.node, a.node));
}

Term TreeWriter::product(Term a, Term b) {
  const double factor = a.factor * b.factor;
  const bool literal = a.literal && b.literal;
  if (a.is_scalar() || b.is_scalar()) return {factor, literal, std::max(a.node, b.node)};
  return {factor, literal, tree_.operate(Operation::product, a.node, b.node)};
}

Term TreeWriter::quotient(Term a, Term b) {
  const double factor = a.factor / b.factor;
  const bool literal = a.literal && b.literal;
  if (b.is_scalar()) return {factor, literal, a.node};
  if (a.is_scalar()) return of(tree_.operate(Operation::quotient, tree_.number(factor), b.node));
  return {factor, literal, tree_.operate(Operation::quotient, a.node, b.node)};
}

Term TreeWriter::negative(Term a) const { return {-a.factor, a.literal, a.node}; }

Term TreeWriter::apply(Operation operation, std::vector<Term> operands) {
  operands.resize(3, scalar(0));
  const std::size_t count = row_of(operation).operands;
  if (std::all_of(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(count),
                  [](const Term& term) { return term.is_scalar(); })) {
    double value = 0;
    with_operation<double>(operation, [&](auto of_three) {
      value = of_three(operands[0].factor, operands[1].factor, operands[2].factor);
    });
    return scalar(value, false);
  }
  std::array<int, 3> nodes{};
  for (std::size_t i = 0; i < count; ++i) nodes[i] = node_of(operands[i]);
  return of(tree_.operate(operation, nodes[0], nodes[1], nodes[2]));
}

Term TreeWriter::write(const Formula& formula) {
  return write(Place{&formula, formula.whole(), {}});
}
Term TreeWriter::write(const NestedQuantity& part) {
  return write(Place{part.formula, part.node, {}});
}

Term TreeWriter::write(Place place) {
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
    throw;
  }
}

Term TreeWriter::made(const Place& place, const FormulaNode& node) {
  const auto operand = [&](std::size_t which) {
    return write(Place{place.formula, node.operands[which], place.at});
  };
  switch (node.kind) {
    case Kind::number: return scalar(node.number);
    case Kind::name: return name(place, node);
    case Kind::negative: return negative(operand(0));
    case Kind::sum: return sum(operand(0), operand(1));
    case Kind::difference: return sum(operand(0), negative(operand(1)));
    case Kind::product: return product(operand(0), operand(1));
    case Kind::quotient: {
      const Term a = operand(0), b = operand(1);
      if (b.factor == 0) throw FormulaError(node.at, "division by 0");
      return quotient(a, b);
    }
    case Kind::power: return power(place, node);
    case Kind::comparison: return comparison(node, operand(0), operand(1));
    case Kind::call: return call(place, node);
  }
  return {};
}

Term TreeWriter::name(const Place& place, const FormulaNode& node) {
  const std::string& name = node.name;
  used_.insert(name);
  if (const auto array = names_.arrays.find(name); array != names_.arrays.end())
    return of(tree_.value(array->second, place.at));
  if (const auto number = names_.numbers.find(name); number != names_.numbers.end())
    return scalar(number->second, false);
  if (const auto quantity = names_.quantities.find(name); quantity != names_.quantities.end())
    return write(Place{quantity->second, quantity->second->whole(), place.at});
  if (name == "pi") return scalar(std::numbers::pi);
  if (const auto position = names_.positions.find(name); position != names_.positions.end())
    return scalar(position->second, false);
  if (name == "t" && names_.has_time) return of(tree_.time());
  if (name == "random" && names_.draw) return of(tree_.value(names_.draw(), place.at));
  if (name.size() == 1 && name[0] >= 'x' && name[0] <= 'z' && names_.has_position)
    return of(tree_.position(axis_named(name[0], node), place.at));
  if (!names_.has_none_of.empty() && is_reserved_name(name))
    throw FormulaError(node.at, fmt::format("{} {}", name, names_.has_none_of));
  if (const FormulaFunction* const function = formula_function(name))
    throw FormulaError(node.at, fmt::format("{} without what it is of (expected {}({}))", name,
                                            name, function->arguments));
  throw FormulaError(node.at, name, known_names(names_));
}

int TreeWriter::axis_named(char letter, const FormulaNode& node) const {
  const int axis = letter == 'x' ? 2 : letter == 'y' ? 1 : 0;
  if (axis < 3 - names_.axes)
    throw FormulaError(
        node.at, fmt::format("{} on a grid of {} {} (there is no axis {})", node.name, names_.axes,
                             names_.axes == 1 ? "axis" : "axes", letter));
  return axis;
}

std::vector<int> TreeWriter::axes() const {
  std::vector<int> from_the_fastest;
  for (int axis = 2; axis >= 3 - names_.axes; --axis) from_the_fastest.push_back(axis);
  return from_the_fastest;
}

Term TreeWriter::comparison(const FormulaNode& node, Term a, Term b) {
  if (node.name == ">" || node.name == ">=") std::swap(a, b);
  return apply(node.name == "=="       ? Operation::is_equal
               : node.name == "!="     ? Operation::is_other
               : node.name.size() == 1 ? Operation::is_less
                                       : Operation::is_at_most,
               {a, b});
}

// Integers by repeated squaring, from the exponent's highest digit on.
Term TreeWriter::power(const Place& place, const FormulaNode& node) {
  const Term base = write(Place{place.formula, node.operands[0], place.at});
  if (const auto exponent = integer_exponent(*place.formula, node.operands[1])) {
    if (*exponent == 0) return scalar(1);
    Term result = base;
    int digit = 1;
    while (digit <= std::abs(*exponent) / 2) digit *= 2;
    for (digit /= 2; digit > 0; digit /= 2) {
      result = product(result, result);
      if (std::abs(*exponent) & digit) result = product(result, base);
    }
    if (*exponent > 0) return result;
    if (result.factor == 0) throw FormulaError(node.at, "division by 0");
    return quotient(scalar(1), result);
  }
  return apply(Operation::power, {base, write(Place{place.formula, node.operands[1], place.at})});
}

Term TreeWriter::call(const Place& place, const FormulaNode& node) {
  const FormulaFunction* const function = formula_function(node.name);
  if (function == nullptr) {
    if (names_.arrays.contains(node.name) || names_.numbers.contains(node.name) ||
        names_.quantities.contains(node.name))
      throw FormulaError(node.at, fmt::format("{} is no function (a product is written {} * (...))",
                                              node.name, node.name));
    throw FormulaError(node.at, node.name, known_names(names_));
  }
  return function->kind == FormulaFunction::Kind::stencil ? stencil(place, node)
                                                          : values_function(place, node);
}

Term TreeWriter::values_function(const Place& place, const FormulaNode& node) {
  const Operation operation = formula_function(node.name)->operation;
  require_arguments(node, static_cast<std::size_t>(row_of(operation).operands));
  std::vector<Term> operands;
  for (const int operand : node.operands)
    operands.push_back(write(Place{place.formula, operand, place.at}));
  if (operation == Operation::choice && operands[0].is_scalar())
    return operands[operands[0].factor != 0 ? 1 : 2];
  return apply(operation, operands);
}

TreeWriter::Argument TreeWriter::argument(const Place& place, int operand,
                                          const FormulaNode& of_node) {
  const Argument argument{{place.formula, operand, {}}, nested_({place.formula, operand})};
  if (read(argument, {}).is_scalar())
    throw FormulaError(of_node.at,
                       fmt::format("{} of what is the same in every cell", of_node.name));
  return argument;
}

Term TreeWriter::read(const Argument& argument, Offset at) {
  if (argument.array) return of(tree_.value(*argument.array, at));
  return write(Place{argument.place.formula, argument.place.node, at});
}

// Differences and sums of an argument beside the cell leave its factor, which is the same
// everywhere, for their result.
Term TreeWriter::first_difference(const Argument& argument, int axis) {
  const Term before = read(argument, along(axis, -1)), after = read(argument, along(axis, 1));
  const Term difference = sum(of(after.node), negative(of(before.node)));
  return {before.factor * difference.factor, before.literal && difference.literal, difference.node};
}

Term TreeWriter::second_difference(const Argument& argument, int axis) {
  const Term centre = read(argument, {});
  const Term pair =
      sum(of(read(argument, along(axis, -1)).node), of(read(argument, along(axis, 1)).node));
  const Term difference = sum({-2, true, centre.node}, pair);
  return {centre.factor * difference.factor, centre.literal && difference.literal, difference.node};
}

Term TreeWriter::over_axes(const std::function<Term(int axis)>& term,
                           const std::function<double(int axis)>& scale) {
  const std::vector<int> all = axes();
  const bool alike =
      std::ranges::all_of(all, [&](int axis) { return scale(axis) == scale(all.front()); });
  std::optional<Term> total;
  for (const int axis : all) {
    const Term part = alike ? term(axis) : product(scalar(scale(axis), false), term(axis));
    total = total ? sum(*total, part) : part;
  }
  return alike ? product(scalar(scale(all.front()), false), *total) : *total;
}

Term TreeWriter::laplacian(const Argument& argument) {
  const auto scale = [&](int axis) { return 1 / (names_.spacing[axis] * names_.spacing[axis]); };
  const std::vector<int> all = axes();
  if (std::ranges::any_of(all, [&](int axis) { return scale(axis) != scale(all.front()); }))
    return over_axes([&](int axis) { return second_difference(argument, axis); }, scale);
  const Term centre = read(argument, {});
  std::optional<Term> neighbours;
  for (const int axis : all) {
    const Term pair =
        sum(of(read(argument, along(axis, -1)).node), of(read(argument, along(axis, 1)).node));
    neighbours = neighbours ? sum(*neighbours, pair) : pair;
  }
  const Term difference =
      sum({-2.0 * static_cast<double>(all.size()), true, centre.node}, *neighbours);
  return product(scalar(centre.factor * scale(all.front()), false), difference);
}

Term TreeWriter::gradient_squared(const Argument& argument) {
  return over_axes(
      [&](int axis) {
        const Term difference = first_difference(argument, axis);
        return product(difference, difference);
      },
      [&](int axis) { return 1 / (4 * names_.spacing[axis] * names_.spacing[axis]); });
}

Term TreeWriter::mixed(const Argument& argument, int axis, int other) {
  const Term centre = read(argument, {});
  const auto at = [&](int by, int by_other) {
    return of(read(argument, along(axis, by, other, by_other)).node);
  };
  const Term first = sum(at(1, 1), negative(at(1, -1)));
  const Term second = sum(first, negative(at(-1, 1)));
  return product(scalar(centre.factor / (4 * names_.spacing[axis] * names_.spacing[other]), false),
                 sum(second, at(-1, -1)));
}

Term TreeWriter::stencil(const Place& place, const FormulaNode& node) {
  const std::string& name = node.name;
  if (name == "gradient")
    throw FormulaError(node.at,
                       "gradient outside of divergence (expected divergence(D * "
                       "gradient(e)); d_dx(e) is one component)");
  if (!names_.has_stencils)
    throw FormulaError(node.at, fmt::format("{} {}", name, names_.has_none_of));
  if (name == "upwind") return upwind(place, node);
  if (name == "divergence") return divergence(place, node);
  require_arguments(node, 1);
  std::vector<int> named;  // axes in the name, such as x and y of d2_dxdy
  for (std::size_t i = name.find('_'); i + 2 < name.size(); ++i)
    if (name[i + 1] == 'd') named.push_back(axis_named(name[i + 2], node));
  const Argument of_argument = argument(place, node.operands[0], node);
  if (name == "laplacian") return laplacian(of_argument);
  if (name == "gradient_squared") return gradient_squared(of_argument);
  if (named.size() == 2) return mixed(of_argument, named[0], named[1]);
  const double h = names_.spacing[named[0]];
  return name[1] == '2'
             ? product(scalar(1 / (h * h), false), second_difference(of_argument, named[0]))
             : product(scalar(1 / (2 * h), false), first_difference(of_argument, named[0]));
}

// The factors of D * gradient(e), in any order.
Term TreeWriter::divergence(const Place& place, const FormulaNode& node) {
  require_arguments(node, 1);
  std::vector<int> left = {node.operands[0]}, factors;
  const FormulaNode* gradient = nullptr;
  while (!left.empty()) {
    const int at = left.back();
    left.pop_back();
    const FormulaNode& part = place.formula->nodes[at];
    if (part.kind == Kind::product) {
      left.push_back(part.operands[1]);
      left.push_back(part.operands[0]);
    } else if (part.kind == Kind::call && part.name == "gradient" && gradient == nullptr) {
      gradient = &part;
    } else {
      factors.push_back(at);
    }
  }
  if (gradient == nullptr)
    throw FormulaError(node.at,
                       "divergence of what is no gradient (expected divergence(D * "
                       "gradient(e)))");
  require_arguments(*gradient, 1);
  const Argument of_argument = argument(place, gradient->operands[0], *gradient);
  Term scalars = scalar(1);
  std::vector<Argument> coefficients;
  for (const int factor : factors) {
    const Argument coefficient{{place.formula, factor, {}}, nested_({place.formula, factor})};
    if (const Term value = read(coefficient, {}); value.is_scalar())
      scalars = product(scalars, value);
    else
      coefficients.push_back(coefficient);
  }
  if (coefficients.empty()) return product(scalars, laplacian(of_argument));
  const auto coefficient = [&](Offset at) {
    Term value = scalar(1);
    for (const Argument& part : coefficients) value = product(value, read(part, at));
    return value;
  };
  const double factor = coefficient({}).factor * read(of_argument, {}).factor * scalars.factor;
  const Term total = over_axes(
      [&](int axis) {
        const Offset before = along(axis, -1), after = along(axis, 1);
        const auto conductivity = [&](Offset at) { return of(coefficient(at).node); };
        const auto value = [&](Offset at) { return of(read(of_argument, at).node); };
        const Term out = product(sum(conductivity({}), conductivity(after)),
                                 sum(value(after), negative(value({}))));
        const Term in = product(sum(conductivity(before), conductivity({})),
                                sum(value({}), negative(value(before))));
        return sum(out, negative(in));
      },
      [&](int axis) { return 1 / (2 * names_.spacing[axis] * names_.spacing[axis]); });
  return product(scalar(factor, false), total);
}

Term TreeWriter::upwind(const Place& place, const FormulaNode& node) {
  require_arguments(node, static_cast<std::size_t>(names_.axes) + 1);
  const Argument of_argument = argument(place, node.operands.back(), node);
  const double factor = read(of_argument, {}).factor;
  const auto value = [&](Offset at) { return of(read(of_argument, at).node); };
  const Term total = over_axes(
      [&](int axis) {
        const Term speed = write(
            Place{place.formula, node.operands[static_cast<std::size_t>(2 - axis)], place.at});
        const Term back = sum(value({}), negative(value(along(axis, -1))));
        const Term forward = sum(value(along(axis, 1)), negative(value({})));
        if (speed.is_scalar()) return product(speed, speed.factor > 0 ? back : forward);
        const Term positive = apply(Operation::is_less, {scalar(0), speed});
        return product(speed, apply(Operation::choice, {positive, back, forward}));
      },
      [&](int axis) { return 1 / names_.spacing[axis]; });
  return product(scalar(factor, false), total);
}

}  // namespace lapl
