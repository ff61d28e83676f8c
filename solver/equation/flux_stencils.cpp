// The stencil operators of TreeWriter that are differences of fluxes through faces, each of which
// both cells of the face compute alike.
#include <fmt/format.h>

#include <string_view>

#include "solver/equation/discretise.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/side_stages.hpp"

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;

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

// In cylinders and spheres the faces across r have areas r and r^2, and a cell has the volume
// between them: r h and (r^2 + h^2/12) h. The face where r is 0 has none.
Term TreeWriter::times_area(int axis, Offset cell, Term flux) {
  if (axis != 2 || names_.radial == 0) return flux;
  const Term r = sum(position(axis, cell), scalar(names_.spacing[axis] / 2, false));
  return product(names_.radial == 1 ? r : product(r, r), flux);
}
Term TreeWriter::over_volume(int axis, Term total) {
  if (axis != 2 || names_.radial == 0) return total;
  return quotient(total, cell_volume());
}
// The flux out of the face after the cell less that into the face before it.
Term TreeWriter::fused_outflow(int axis, Term out, Term in) {
  return over_volume(
      axis, sum(times_area(axis, {}, out), negative(times_area(axis, along(axis, -1), in))));
}
Term TreeWriter::around(Term value, Offset outward) {
  if (names_.radial == 0) return value;
  const double half = 0.5 * outward.column * names_.spacing[2];
  const Term r = half == 0 ? position(2, {}) : sum(position(2, {}), scalar(half, false));
  const Term size = half == 0 ? cell_volume() : names_.radial == 1 ? r : product(r, r);
  return product(scalar(full_angle(names_.radial), false), product(size, value));
}
Term TreeWriter::cell_volume() {
  const Term r = position(2, {});
  const double h = names_.spacing[2];
  return names_.radial == 1 ? r : sum(product(r, r), scalar(h * h / 12, false));
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
  const Factors of_tensor = product_factors(*place.formula, node.operands[0], "tensor");
  if (of_tensor.call >= 0) {
    std::vector<int> others = of_tensor.others;
    std::erase(others, factors.call);
    return tensor_divergence(place, factors.call, of_tensor.call, others);
  }
  const Argument of_argument = argument(place, gradient.operands[0], gradient);
  Term scalars = scalar(1);
  std::vector<Argument> coefficients, plain, harmonic;
  for (int factor : factors.others) {
    const FormulaNode& part = place.formula->nodes[factor];
    const bool is_harmonic = part.kind == Kind::call && part.name == "harmonic";
    if (is_harmonic) {
      require_arguments(part, 1);
      factor = part.operands[0];
    }
    refuse_noise(place, factor, node);
    const Argument coefficient{{place.formula, factor, {}}, nested_({place.formula, factor})};
    if (const Term value = read(coefficient, {}); value.is_scalar()) {
      scalars = product(scalars, value);
    } else {
      coefficients.push_back(coefficient);
      (is_harmonic ? harmonic : plain).push_back(coefficient);
    }
  }
  if (coefficients.empty()) return product(scalars, laplacian(of_argument));
  const auto all_of = [&](const std::vector<Argument>& parts, Offset at) {
    Term value = scalar(1);
    for (const Argument& part : parts) value = product(value, read(part, at));
    return value;
  };
  const auto twice_mean = [&](const std::vector<Argument>& parts, Offset from, Offset to) {
    return sum(of(all_of(parts, from).node), of(all_of(parts, to).node));
  };
  const auto twice_conductivity = [&](Offset from, Offset to) {
    if (harmonic.empty()) return twice_mean(plain, from, to);
    Term found = plain.empty() ? scalar(2) : twice_mean(plain, from, to);
    for (const Argument& part : harmonic)
      found = product({2 * found.factor, true, found.node},
                      half_harmonic(of(read(part, from).node), of(read(part, to).node)));
    return inside_or(found, twice_mean(coefficients, from, to), from == Offset{} ? to : from,
                     names_.ending_axes(*place.formula, node.operands[0]));
  };
  const double factor =
      all_of(coefficients, {}).factor * read(of_argument, {}).factor * scalars.factor;
  const Term total = over_axes(
      [&](int axis) {
        const Offset before = along(axis, -1), after = along(axis, 1);
        const auto slope = [&](Offset from, Offset to) {
          return beside(Operation::difference, read(of_argument, to), read(of_argument, from));
        };
        const Term out = product(twice_conductivity({}, after), slope({}, after));
        const Term in = product(twice_conductivity(before, {}), slope(before, {}));
        return fused_outflow(axis, out, in);
      },
      [&](int axis) { return 1 / (2 * names_.spacing[axis] * names_.spacing[axis]); });
  return product(scalar(factor, false), total);
}

// `inner` at a face between two cells, `outer` at the sides of the grid, where the operator's
// arguments end at these of a periodic axis, and at the mask's boundary. With `if_open`, only where
// these are not insulated for every array.
Term TreeWriter::inside_or(Term inner, Term outer, Offset outward, int ending, bool if_open) {
  const std::size_t axis = outward.plane != 0 ? 0 : outward.row != 0 ? 1 : 2;
  const bool last = outward.plane + outward.row + outward.column > 0;
  if (if_open ? names_.open_mask : names_.mask_values.has_value())
    inner = apply(Operation::choice,
                  {of(tree_.value(names_.arrays.at(mask_name), outward)), inner, outer});
  const bool wraps = names_.periodic[axis] && !ends_at(ending, static_cast<int>(axis));
  const bool is_side = if_open ? names_.open_sides.contains({axis, last})
                               : names_.side_values.contains({axis, last});
  if (wraps || !is_side) return inner;
  const int at_side = is_at_side(tree_, names_.shape, names_, axis, last);
  return apply(Operation::choice, {of(at_side), outer, inner});
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

// Half of the harmonic mean, 0 if the signs differ: near / (1 + near / far), which neither
// overflows nor exceeds the smaller one by rounding.
Term TreeWriter::half_harmonic(Term a, Term b) {
  const Term none = scalar(0);
  const Term low = apply(Operation::smaller, {a, b});
  const Term high = apply(Operation::larger, {a, b});
  const Term rises = apply(Operation::is_less, {none, low});
  const Term falls = apply(Operation::is_less, {high, none});
  const auto choose = [&](Term condition, Term one, Term other) {
    return apply(Operation::choice, {condition, one, other});
  };
  const Term near = choose(rises, low, choose(falls, high, none));
  const Term far = choose(rises, high, low);
  return choose(near, quotient(near, sum(scalar(1), quotient(near, far))), none);
}

}  // namespace lapl
