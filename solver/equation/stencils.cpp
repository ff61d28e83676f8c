// The stencil operators of TreeWriter, which read their argument at neighbouring cells.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "solver/equation/discretise.hpp"

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;

enum class Choice { none, isotropic, fourth_order };

// True for laplacian, d_dx, d2_dx2 and those of other axes.
bool has_choice(std::string_view name) {
  return name == "laplacian" || name.starts_with("d_d") ||
         (name.starts_with("d2_d") && name.back() == '2');
}

// The discretisation that the second operand of a call asks for.
Choice choice_in(const Formula& formula, const FormulaNode& call) {
  if (call.operands.size() != 2 || !has_choice(call.name)) return Choice::none;
  const FormulaNode& node = formula.nodes[call.operands[1]];
  if (node.kind == FormulaNode::Kind::number && node.number == 4) return Choice::fourth_order;
  if (call.name != "laplacian")
    throw FormulaError(
        node.at, fmt::format("{0} of two arguments (expected {0}(e) or {0}(e, 4))", call.name));
  if (node.kind == FormulaNode::Kind::name && node.name == "isotropic") return Choice::isotropic;
  throw FormulaError(
      node.at,
      "laplacian of two arguments (expected laplacian(e), laplacian(e, isotropic) or "
      "laplacian(e, 4))");
}

}  // namespace

std::size_t stages_of_differences(const Formula& formula, const FormulaNode& call, int operand) {
  if (call.kind != Kind::call) return 0;
  if (call.name == "flux" || call.name == "advect") {
    const std::size_t of_faces = is_by_weno(formula, call) ? 2 : 1;
    return call.name == "flux" || operand == call.operands[call.operands.size() - of_faces]
               ? of_faces
               : 0;
  }
  const bool of_fourth_order = has_choice(call.name) && call.operands.size() == 2 &&
                               formula.nodes[call.operands[1]].kind == Kind::number;
  return of_fourth_order && operand == call.operands[0] ? 1 : 0;
}

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
  if (names_.radial > 0 ||
      std::ranges::any_of(all, [&](int axis) { return scale(axis) != scale(all.front()); }))
    return over_axes([&](int axis) { return across_faces(argument, axis); }, scale);
  const Term difference = nearest_less_centre(argument);
  const double factor = read(argument, {}).factor;
  return product(scalar(factor * scale(all.front()), false), difference);
}

// The second difference or, across r, the difference of the slopes through both faces.
Term TreeWriter::across_faces(const Argument& argument, int axis) {
  if (axis != 2 || names_.radial == 0) return second_difference(argument, axis);
  const Term here = read(argument, {});
  const Term out = beside(Operation::difference, read(argument, along(axis, 1)), here);
  const Term in = beside(Operation::difference, here, read(argument, along(axis, -1)));
  return product({here.factor, here.literal}, fused_outflow(axis, out, in));
}

// The sum of the values at a neighbour and at the opposite one.
Term TreeWriter::pair(const Argument& argument, Offset at) {
  return beside(Operation::sum, read(argument, {-at.plane, -at.row, -at.column}),
                read(argument, at));
}

Term TreeWriter::less_centre(const Argument& argument, double times, Term neighbours) {
  return sum({-times, true, read(argument, {}).node}, neighbours);
}

// The sum of the nearest neighbours less the cell's value for each. 4 u and 2 u are exact, but 6 u
// is rounded, so the third axis subtracts 2 u separately.
Term TreeWriter::nearest_less_centre(const Argument& argument) {
  const std::vector<int> all = axes();
  read(argument, {});
  const auto along_axis = [&](std::size_t axis) { return pair(argument, along(all[axis], 1)); };
  if (all.size() == 1) return less_centre(argument, 2, along_axis(0));
  const Term first = along_axis(0), second = along_axis(1);
  const Term in_plane = less_centre(argument, 4, sum(first, second));
  return all.size() == 2 ? in_plane : sum(in_plane, less_centre(argument, 2, along_axis(2)));
}

// With s, the second difference of e along an axis, that of e - s/12 divided by h^2 is the second
// derivative, and the difference of e - s/6 divided by 2 h the first, with an error in h^4. An
// earlier stage computes s.
Term TreeWriter::of_fourth_order(const Argument& argument, const std::string& name,
                                 const std::vector<int>& named) {
  const bool is_first = name.starts_with("d_");
  const auto along_axis = [&](int axis) {
    const Argument curved{{},
                          nested_({argument.place.formula, argument.place.node,
                                   NestedQuantity::Of::second_difference, axis})};
    const Term of_curved =
        is_first ? first_difference(curved, axis) : second_difference(curved, axis);
    Term difference =
        is_first ? first_difference(argument, axis) : second_difference(argument, axis);
    return sum(difference, product(scalar(is_first ? -1.0 / 6 : -1.0 / 12), of_curved));
  };
  const auto scale = [&](int axis) {
    const double h = names_.spacing[axis];
    return is_first ? 1 / (2 * h) : 1 / (h * h);
  };
  if (named.empty()) return over_axes(along_axis, scale);
  return product(scalar(scale(named[0]), false), along_axis(named[0]));
}

// The error of these stencils is h^2/12 times the Laplacian of the Laplacian, which has no
// direction: on two axes [1 4 1; 4 -20 4; 1 4 1] / 6; on three 14/30 for the nodes along an axis,
// 3/30 and 1/30 for those along two and three (Patra and Karttunen, Numer. Methods Partial Differ.
// Equ. 22 (2006) 936). Each part is exactly 0 where e is constant.
Term TreeWriter::isotropic_laplacian(const Argument& argument, const FormulaNode& node) {
  const auto h = names_.spacing;
  if (names_.axes == 1)
    throw FormulaError(
        node.at, "isotropic on a grid of one axis (expected laplacian(e), which is the same)");
  if (h[1] != h[2] || (names_.axes == 3 && h[0] != h[2]))
    throw FormulaError(node.at,
                       fmt::format("isotropic where spacings differ: {} (expected equal ones)",
                                   fmt::join(h.begin() + (3 - names_.axes), h.end(), " x ")));
  const std::vector<int> all = axes();
  const auto add = [&](std::optional<Term>& total, double times, Term part) {
    total = total ? sum(Term{times, true, part.node}, *total) : Term{times, true, part.node};
  };
  std::optional<Term> total;
  if (all.size() == 3) {
    const auto corners = [&](int row) {
      return beside(Operation::sum, pair(argument, {1, row, -1}), pair(argument, {1, row, 1}));
    };
    add(total, 1, less_centre(argument, 8, beside(Operation::sum, corners(-1), corners(1))));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      add(total, all.size() == 2 ? 1 : 3,
          less_centre(argument, 4,
                      beside(Operation::sum, pair(argument, along(all[i], 1, all[j], -1)),
                             pair(argument, along(all[i], 1, all[j], 1)))));
  add(total, all.size() == 2 ? 4 : 14, nearest_less_centre(argument));
  const double divisor = (all.size() == 2 ? 6 : 30) * h[2] * h[2];
  return product(scalar(read(argument, {}).factor / divisor, false), *total);
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
        return over_volume(
            axis, beside(Operation::sum, times_area(axis, along(axis, -1), product(before, before)),
                         times_area(axis, {}, product(after, after))));
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

void TreeWriter::refuse_coordinates(const FormulaNode& node, std::string_view expected) const {
  if (names_.radial == 0) return;
  throw FormulaError(node.at,
                     fmt::format("{} in {} coordinates (expected {})", node.name,
                                 names_.radial == 1 ? "cylindrical" : "spherical", expected));
}

Term TreeWriter::stencil(const ShiftedPart& place, const FormulaNode& node) {
  const std::string& name = node.name;
  if (name == "gradient")
    throw FormulaError(node.at,
                       "gradient outside of divergence (expected divergence(D * "
                       "gradient(e)); d_dx(e) is one component)");
  if (name == "harmonic" || name == "tensor")
    throw FormulaError(node.at, fmt::format("{0} has no meaning here (expected it as a factor "
                                            "within divergence: divergence({0}({1}) * "
                                            "gradient(e)))",
                                            name, formula_function(name)->arguments));
  if (name == "normal_derivative") return normal_derivative(place, node);
  if (!names_.has_stencils)
    throw FormulaError(node.at, fmt::format("{} {}", name, names_.has_none_of));
  if (place.side.axis >= 0) return at_face(place);
  if (name == "upwind") return upwind(place, node);
  if (name == "advect") return advect(place, node);
  if (name == "flux") return flux_of_system(place, node);
  if (name == "divergence") return divergence(place, node);
  if (name == "convolve") return convolve(place, node);
  if (name == "shift") return shift(place, node);
  const Choice choice = choice_in(*place.formula, node);
  if (choice == Choice::none) require_arguments(node, 1);
  if (choice != Choice::none && name == "laplacian") refuse_coordinates(node, "laplacian(e)");
  std::vector<int> named;  // axes in the function's name, such as x and y in d2_dxdy
  for (std::size_t i = name.find('_'); i + 2 < name.size(); ++i)
    if (name[i + 1] == 'd') named.push_back(axis_named(name[i + 2], node));
  const Argument of_argument = argument(place, node.operands[0], node);
  if (choice == Choice::isotropic) return isotropic_laplacian(of_argument, node);
  if (choice == Choice::fourth_order) return of_fourth_order(of_argument, name, named);
  if (name == "laplacian") return laplacian(of_argument);
  if (name == "gradient_squared") return gradient_squared(of_argument);
  if (name == "gradient_energy") return gradient_energy(of_argument);
  if (named.size() == 2) return mixed(of_argument, named[0], named[1]);
  const double h = names_.spacing[named[0]];
  return name[1] == '2'
             ? product(scalar(1 / (h * h), false), second_difference(of_argument, named[0]))
             : product(scalar(1 / (2 * h), false), first_difference(of_argument, named[0]));
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
  if (names_.radial > 0 && face_->column != 0 && in_cell_)
    for (const std::string& name : names_.arrays_read(*place.formula, node.operands[0]))
      if (in_cell_(names_.arrays.at(name)))
        throw FormulaError(node.at, fmt::format("normal_derivative across r with grid.coordinates "
                                                "where nodes hold {} (expected at: face)",
                                                name));
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

}  // namespace lapl
