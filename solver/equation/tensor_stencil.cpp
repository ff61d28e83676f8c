// divergence(K * gradient(e)) with a tensor K. The flux through the face between a cell and the
// next one along axis a is
//
//   (K_aa + K_aa+) / 2 (e+ - e) / h_a + sum over b of (G_ab + G_ab+) / 2,  G_ab = K_ab d_b(e)
//
// so its differences G_ab+ - G_ab- read corners alone, and the matrix is symmetric if K is. Through
// a side where no value of e is given flows K_aa times the slope of the condition: there G_ab
// beyond is -G_ab. The slope d_b(e) that this implies along a closed side of axis b,
// -(K_ba d_a(e) + K_bc d_c(e)) / K_bb at the face, enters G_ab of the cells beside it with a half:
//
//   K'_ac = K_ac - K_ab K_bc / K_bb / 2
#include <fmt/format.h>

#include "solver/equation/discretise.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/side_stages.hpp"

namespace lapl {
namespace {

// The index of K_ab in the arguments of a tensor, where letters 0, 1, 2 are x, y, z.
std::size_t entry_index(int a, int b, int axes, bool is_full) {
  if (is_full) return static_cast<std::size_t>(axes * a + b);
  if (a > b) std::swap(a, b);
  return static_cast<std::size_t>(a * axes - a * (a - 1) / 2 + b - a);
}

std::size_t checked_count(const FormulaNode& tensor, int axes) {
  const std::size_t count = tensor.operands.size();
  const auto all = static_cast<std::size_t>(axes * axes);
  if (axes > 1 && (count == all || count == (all + axes) / 2)) return count;
  throw FormulaError(
      tensor.at,
      fmt::format("tensor of {} arguments on a grid of {} {} (expected {})", count, axes,
                  axes == 1 ? "axis" : "axes",
                  axes == 1   ? "a number or an expression D in place of the tensor"
                  : axes == 2 ? "tensor(xx, xy, yy) or tensor(xx, xy, yx, yy)"
                              : "tensor(xx, xy, xz, yy, yz, zz) or all nine, row by row"));
}

}  // namespace

Term TreeWriter::tensor_divergence(const ShiftedPart& place, int gradient, int tensor,
                                   const std::vector<int>& factors) {
  const Formula& formula = *place.formula;
  const FormulaNode& call = formula.nodes[tensor];
  const std::size_t count = checked_count(call, names_.axes);
  refuse_coordinates(call);
  const int operand = formula.nodes[gradient].operands[0];
  const Argument of_argument = argument(place, operand, formula.nodes[gradient]);
  const auto as_argument = [&](int node) {
    refuse_noise(place, node, call);
    return Argument{{&formula, node, {}}, nested_({&formula, node})};
  };
  std::vector<Argument> entries, scales;
  for (const int node : call.operands) entries.push_back(as_argument(node));
  for (const int node : factors) scales.push_back(as_argument(node));
  const auto entry = [&](int a, int b, Offset at) {
    const bool is_full = count == static_cast<std::size_t>(names_.axes * names_.axes);
    Term value = read(entries[entry_index(2 - a, 2 - b, names_.axes, is_full)], at);
    for (const Argument& scale : scales) value = product(value, read(scale, at));
    return value;
  };
  const auto is_zero = [](const Term& term) { return term.is_scalar() && term.factor == 0; };

  const std::set<std::string> arrays = names_.arrays_read(formula, operand);
  const int ending = names_.ending_axes(formula, operand);
  const auto is_closed = [&](const std::set<std::string>& values) {
    return std::ranges::none_of(arrays, [&](const auto& name) { return values.contains(name); });
  };
  // The operation that is 1 where a face of this axis is a closed side of the grid, if it may be.
  const auto closed_side = [&](int axis, bool last) -> std::optional<Term> {
    const auto side = names_.side_values.find({axis, last});
    if (side == names_.side_values.end() || !is_closed(side->second) ||
        (names_.periodic[axis] && !ends_at(ending, axis)))
      return std::nullopt;
    return of(is_at_side(tree_, names_.shape, names_, static_cast<std::size_t>(axis), last));
  };
  const auto choose = [&](Term condition, Term one, Term other) {
    return apply(Operation::choice, {condition, one, other});
  };

  const std::vector<int> all = axes();
  const auto beside_sides = [&](int a, int c, Offset at) {
    Term found = entry(a, c, at);
    for (const int b : all) {
      if (b == a || b == c) continue;
      const Term across = product(entry(a, b, at), entry(b, c, at)), along_b = entry(b, b, at);
      if (is_zero(across) || is_zero(along_b)) continue;
      const Term ratio = quotient(across, along_b);
      const Term lost = along_b.is_scalar() ? ratio : choose(along_b, ratio, scalar(0));
      for (const bool last : {false, true})
        if (const auto side = closed_side(b, last))
          found = choose(*side, sum(found, product(scalar(-0.5), lost)), found);
    }
    return found;
  };
  const auto slope = [&](Offset from, Offset to) {
    return beside(Operation::difference, read(of_argument, to), read(of_argument, from));
  };
  const bool closed_mask = names_.mask_values && is_closed(*names_.mask_values);
  const auto inside_mask = [&](Offset at, Term inside, Term outside) {
    if (!closed_mask) return inside;
    return choose(of(tree_.value(names_.arrays.at(mask_name), at)), inside, outside);
  };
  // 2 h_c G_ac at a neighbour along axis a. All cells that read it see the same values: beyond the
  // mask's boundary that of the neighbour itself, where the ghost of a corner may differ.
  const auto crossing = [&](int a, int c, int by) {
    const auto in_cell = [&](int at) {
      const auto value = [&](int by_c) {
        const Offset there = along(a, at, c, by_c);
        return inside_mask(there, of(read(of_argument, there).node),
                           of(read(of_argument, along(a, at)).node));
      };
      return product(beside_sides(a, c, along(a, at)),
                     beside(Operation::difference, value(1), value(-1)));
    };
    Term found = inside_mask(along(a, by), in_cell(by), negative(in_cell(0)));
    if (const auto side = closed_side(a, by > 0))
      found = choose(*side, negative(in_cell(0)), found);
    return found;
  };

  std::optional<Term> total;
  const auto add = [&](double scale, Term part) {
    part = product(scalar(scale, false), part);
    total = total ? sum(*total, part) : part;
  };
  for (const int a : all) {
    const double h = names_.spacing[a];
    const auto twice = [&](Offset from, Offset to) {
      return sum(beside_sides(a, a, from), beside_sides(a, a, to));
    };
    const Offset before = along(a, -1), after = along(a, 1);
    add(1 / (2 * h * h), sum(product(twice({}, after), slope({}, after)),
                             negative(product(twice(before, {}), slope(before, {})))));
    for (const int c : all)
      if (c != a && !is_zero(beside_sides(a, c, {})))
        add(1 / (4 * h * names_.spacing[c]), sum(crossing(a, c, 1), negative(crossing(a, c, -1))));
  }
  return product(scalar(read(of_argument, {}).factor, false), *total);
}

}  // namespace lapl
