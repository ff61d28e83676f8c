// The stencil operators of TreeWriter, which read their argument at neighbouring cells.
#include <fmt/format.h>

#include <algorithm>

#include "solver/equation/discretise.hpp"

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;

Offset along(int axis, int by) {
  return {axis == 0 ? by : 0, axis == 1 ? by : 0, axis == 2 ? by : 0};
}
Offset along(int axis, int by, int other, int by_other) {
  const Offset a = along(axis, by), b = along(other, by_other);
  return {a.plane + b.plane, a.row + b.row, a.column + b.column};
}

// The factors of a product: the node with the first call of one function, -1 if there is none, and
// the other factors from left to right.
struct Factors {
  int call = -1;
  std::vector<int> others;
};
Factors product_factors(const Formula& formula, int product, std::string_view function) {
  Factors factors;
  std::vector<int> left = {product};
  while (!left.empty()) {
    const int at = left.back();
    left.pop_back();
    const FormulaNode& part = formula.nodes[at];
    if (part.kind == Kind::product) {
      left.push_back(part.operands[1]);
      left.push_back(part.operands[0]);
    } else if (factors.call < 0 && part.kind == Kind::call && part.name == function) {
      factors.call = at;
    } else {
      factors.others.push_back(at);
    }
  }
  return factors;
}

}  // namespace

std::vector<int> TreeWriter::axes() const {
  std::vector<int> from_the_fastest;
  for (int axis = 2; axis >= 3 - names_.axes; --axis) from_the_fastest.push_back(axis);
  return from_the_fastest;
}

TreeWriter::Argument TreeWriter::argument(const ShiftedPart& place, int operand,
                                          const FormulaNode& of_node) {
  refuse_noise(place, operand, of_node);
  const Argument argument{{place.formula, operand, {}}, nested_({place.formula, operand})};
  if (read(argument, {}).is_scalar())
    throw FormulaError(of_node.at,
                       fmt::format("{} of what is the same in every cell", of_node.name));
  return argument;
}

Term TreeWriter::read(const Argument& argument, Offset at) {
  if (argument.array) return of(tree_.value(*argument.array, at));
  return write(ShiftedPart{argument.place.formula, argument.place.node, at});
}

// Values of an expression at two nodes are combined without a fused product, so that both are
// rounded alike and a constant has slope 0. A common factor multiplies the result instead.
Term TreeWriter::beside(Operation operation, Term a, Term b) {
  return of(tree_.operate(operation, a.node, b.node));
}

Term TreeWriter::first_difference(const Argument& argument, int axis) {
  const Term before = read(argument, along(axis, -1)), after = read(argument, along(axis, 1));
  return {before.factor, before.literal, beside(Operation::difference, after, before).node};
}

Term TreeWriter::second_difference(const Argument& argument, int axis) {
  const Term centre = read(argument, {});
  const Term pair =
      beside(Operation::sum, read(argument, along(axis, -1)), read(argument, along(axis, 1)));
  const Term difference = sum({-2, true, centre.node}, pair);
  return {centre.factor * difference.factor, centre.literal && difference.literal, difference.node};
}

// The sum over the axes of scale(axis) * term(axis); a common scale multiplies the sum.
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
  // 4 u and 2 u are exact, but 6 u is rounded, so the third axis subtracts 2 u separately.
  const Term centre = read(argument, {});
  const auto pair = [&](int axis) {
    return beside(Operation::sum, read(argument, along(axis, -1)), read(argument, along(axis, 1)));
  };
  const auto less_centre = [&](double times, const Term& neighbours) {
    return sum({-times, true, centre.node}, neighbours);
  };
  Term difference = all.size() == 1 ? less_centre(2, pair(all[0]))
                                    : less_centre(4, sum(pair(all[0]), pair(all[1])));
  if (all.size() == 3) difference = sum(difference, less_centre(2, pair(all[2])));
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

// The sum over all cells counts each inner face twice, each time with half the square of its slope.
// So the variation of the sum is -2 laplacian(e) where faces are insulated or periodic
// (docs/numerics.md).
Term TreeWriter::gradient_energy(const Argument& argument) {
  const Term centre = read(argument, {});
  const Term total = over_axes(
      [&](int axis) {
        const Term after = beside(Operation::difference, read(argument, along(axis, 1)), centre);
        const Term before = beside(Operation::difference, centre, read(argument, along(axis, -1)));
        return beside(Operation::sum, product(before, before), product(after, after));
      },
      [&](int axis) { return 1 / (2 * names_.spacing[axis] * names_.spacing[axis]); });
  return product(scalar(centre.factor * centre.factor, false), total);
}

Term TreeWriter::mixed(const Argument& argument, int axis, int other) {
  const Term centre = read(argument, {});
  const auto at = [&](int by, int by_other) {
    return read(argument, along(axis, by, other, by_other));
  };
  const Term first = beside(Operation::difference, at(1, 1), at(1, -1));
  const Term second = beside(Operation::difference, first, at(-1, 1));
  return product(scalar(centre.factor / (4 * names_.spacing[axis] * names_.spacing[other]), false),
                 beside(Operation::sum, second, at(-1, -1)));
}

Term TreeWriter::stencil(const ShiftedPart& place, const FormulaNode& node) {
  const std::string& name = node.name;
  if (name == "gradient")
    throw FormulaError(node.at,
                       "gradient outside of divergence (expected divergence(D * "
                       "gradient(e)); d_dx(e) is one component)");
  if (name == "normal_derivative") return normal_derivative(place, node);
  if (!names_.has_stencils)
    throw FormulaError(node.at, fmt::format("{} {}", name, names_.has_none_of));
  if (name == "upwind") return upwind(place, node);
  if (name == "advect") return advect(place, node);
  if (name == "divergence") return divergence(place, node);
  if (name == "convolve") return convolve(place, node);
  if (name == "shift") return shift(place, node);
  require_arguments(node, 1);
  std::vector<int> named;  // axes in the function's name, such as x and y in d2_dxdy
  for (std::size_t i = name.find('_'); i + 2 < name.size(); ++i)
    if (name[i + 1] == 'd') named.push_back(axis_named(name[i + 2], node));
  const Argument of_argument = argument(place, node.operands[0], node);
  if (name == "laplacian") return laplacian(of_argument);
  if (name == "gradient_squared") return gradient_squared(of_argument);
  if (name == "gradient_energy") return gradient_energy(of_argument);
  if (named.size() == 2) return mixed(of_argument, named[0], named[1]);
  const double h = names_.spacing[named[0]];
  return name[1] == '2'
             ? product(scalar(1 / (h * h), false), second_difference(of_argument, named[0]))
             : product(scalar(1 / (2 * h), false), first_difference(of_argument, named[0]));
}

// The argument is D * gradient(e), with its factors in any order.
Term TreeWriter::divergence(const ShiftedPart& place, const FormulaNode& node) {
  require_arguments(node, 1);
  const Factors factors = product_factors(*place.formula, node.operands[0], "gradient");
  if (factors.call < 0)
    throw FormulaError(node.at,
                       "divergence of what is no gradient (expected divergence(D * "
                       "gradient(e)); a sum has one divergence for each of its terms)");
  const FormulaNode& gradient = place.formula->nodes[factors.call];
  require_arguments(gradient, 1);
  const Argument of_argument = argument(place, gradient.operands[0], gradient);
  Term scalars = scalar(1);
  std::vector<Argument> coefficients;
  for (const int factor : factors.others) {
    refuse_noise(place, factor, node);
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
        const auto slope = [&](Offset from, Offset to) {
          return beside(Operation::difference, read(of_argument, to), read(of_argument, from));
        };
        const Term out = product(sum(conductivity({}), conductivity(after)), slope({}, after));
        const Term in = product(sum(conductivity(before), conductivity({})), slope(before, {}));
        return sum(out, negative(in));
      },
      [&](int axis) { return 1 / (2 * names_.spacing[axis] * names_.spacing[axis]); });
  return product(scalar(factor, false), total);
}

// A product with normal_derivative(e) as a factor, D normal_derivative(e), at a face: as in
// divergence(), D is the mean of its values at both nodes.
std::optional<Term> TreeWriter::flux(const ShiftedPart& place) {
  if (!place.face) return std::nullopt;
  const Factors factors = product_factors(*place.formula, place.node, "normal_derivative");
  if (factors.call < 0) return std::nullopt;
  const auto coefficient = [&](Offset at) {
    Term value = scalar(1);
    for (const int factor : factors.others)
      value = product(value, write(ShiftedPart{place.formula, factor, at}));
    return value;
  };
  const Term here = coefficient({}),
             gradient = write(ShiftedPart{place.formula, factors.call, {}, true});
  if (here.is_scalar()) return product(here, gradient);
  const Term there = coefficient(*face_);
  const Term mean = {0.5 * here.factor, false, beside(Operation::sum, here, there).node};
  return product(mean, gradient);
}

void TreeWriter::set_face(Offset outward, std::function<bool(int array)> in_cell, int weight) {
  face_ = outward;
  weight_ = weight;
  in_cell_ = std::move(in_cell);
  known_.clear();
}

Term TreeWriter::normal_derivative(const ShiftedPart& place, const FormulaNode& node) {
  if (!face_)
    throw FormulaError(node.at,
                       "normal_derivative has no meaning here (expected it in output.integrals, on "
                       "a side, and in no other operator: {formula: -k * normal_derivative(T), on: "
                       "columns.last})");
  require_arguments(node, 1);
  const Argument of_argument = argument(place, node.operands[0], node);
  const Term inside = read(of_argument, {});
  const double h = names_.spacing[face_->plane != 0 ? 0 : face_->row != 0 ? 1 : 2];
  const Term slope = product(scalar(inside.factor / h, false),
                             beside(Operation::difference, read(of_argument, *face_), inside));
  return weight_ < 0 ? slope : quotient(slope, of(tree_.value(weight_, {})));
}

Term TreeWriter::upwind(const ShiftedPart& place, const FormulaNode& node) {
  require_arguments(node, static_cast<std::size_t>(names_.axes) + 1);
  const Argument of_argument = argument(place, node.operands.back(), node);
  const double factor = read(of_argument, {}).factor;
  const auto slope = [&](Offset from, Offset to) {
    return beside(Operation::difference, read(of_argument, to), read(of_argument, from));
  };
  const Term total = over_axes(
      [&](int axis) {
        const Term speed = write(ShiftedPart{
            place.formula, node.operands[static_cast<std::size_t>(2 - axis)], place.at});
        const Term back = slope(along(axis, -1), {}), forward = slope({}, along(axis, 1));
        if (speed.is_scalar()) return product(speed, speed.factor > 0 ? back : forward);
        const Term positive = apply(Operation::is_less, {scalar(0), speed});
        return product(speed, apply(Operation::choice, {positive, back, forward}));
      },
      [&](int axis) { return 1 / names_.spacing[axis]; });
  return product(scalar(factor, false), total);
}

// Both cells of a face compute its flux by the same operations, and no flux is fused, so that the
// sum over all cells telescopes.
Term TreeWriter::advect(const ShiftedPart& place, const FormulaNode& node) {
  require_arguments(node, static_cast<std::size_t>(names_.axes) + 1);
  const int carried = node.operands.back();
  const Argument of_argument = argument(place, carried, node);
  const double factor = read(of_argument, {}).factor;
  const Term total = over_axes(
      [&](int axis) {
        const int operand = node.operands[static_cast<std::size_t>(2 - axis)];
        refuse_noise(place, operand, node);
        const Argument speed{{place.formula, operand, {}}, nested_({place.formula, operand})};
        const Argument slope{{}, nested_({place.formula, carried, axis})};
        const Term here = read(speed, {});
        const auto flux = [&](Offset from, Offset to) {
          const Term forth = beside(Operation::sum, read(of_argument, from), read(slope, from));
          const Term back = beside(Operation::difference, read(of_argument, to), read(slope, to));
          if (here.is_scalar()) return here.factor > 0 ? forth : back;
          const Term twice =
              beside(Operation::sum, of(as_node(read(speed, from))), of(as_node(read(speed, to))));
          const Term positive = apply(Operation::is_less, {scalar(0), twice});
          return product(twice, apply(Operation::choice, {positive, forth, back}));
        };
        const Term change =
            beside(Operation::difference, flux({}, along(axis, 1)), flux(along(axis, -1), {}));
        return here.is_scalar() ? product({2 * here.factor, here.literal}, change) : change;
      },
      [&](int axis) { return 1 / (2 * names_.spacing[axis]); });
  return product(scalar(factor, false), total);
}

// Half of van Leer's slope, the harmonic mean of the differences to both sides: near / (1 + near /
// far), which neither overflows nor exceeds the smaller difference by rounding.
Term TreeWriter::limited_slope(const Argument& argument, int axis) {
  const Term here = read(argument, {}), none = scalar(0);
  const Term before = beside(Operation::difference, here, read(argument, along(axis, -1)));
  const Term after = beside(Operation::difference, read(argument, along(axis, 1)), here);
  const Term low = apply(Operation::smaller, {before, after});
  const Term high = apply(Operation::larger, {before, after});
  const Term rises = apply(Operation::is_less, {none, low});
  const Term falls = apply(Operation::is_less, {high, none});
  const auto choose = [&](Term condition, Term a, Term b) {
    return apply(Operation::choice, {condition, a, b});
  };
  const Term near = choose(rises, low, choose(falls, high, none));
  const Term far = choose(rises, high, low);
  return choose(near, quotient(near, sum(scalar(1), quotient(near, far))), none);
}

}  // namespace lapl
