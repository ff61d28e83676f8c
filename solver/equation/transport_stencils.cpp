// The operators of TreeWriter that carry values from cell to cell: fluxes through faces, from
// values at the faces that the cells on both sides imply. A cell implies the value in it and half
// of van Leer's slope (J. Comput. Phys. 32 (1979) 101), or a weighted mean of three parabolas
// (weno_difference).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "solver/equation/discretise.hpp"

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;

// Where the own field, which a formula does not write, stands in its text.
constexpr std::size_t not_written = static_cast<std::size_t>(-1);

bool has_own_field(const Formula& formula, const FormulaNode& call) {
  return formula.nodes[call.operands.back()].at == not_written;
}

}  // namespace

bool is_by_weno(const Formula& formula, const FormulaNode& call) {
  const std::size_t written = call.operands.size() - (has_own_field(formula, call) ? 1 : 0);
  if (written < 2) return false;
  const FormulaNode& last = formula.nodes[call.operands[written - 1]];
  return last.kind == Kind::name && last.name == "weno5";
}

Formula with_own_field(Formula rate, const std::string& field) {
  const auto is_flux = [](const FormulaNode& node) {
    return node.kind == Kind::call && node.name == "flux";
  };
  if (std::ranges::none_of(rate.nodes, is_flux)) return rate;
  for (FormulaNode& node : rate.nodes)
    for (int& operand : node.operands) ++operand;
  rate.nodes.insert(rate.nodes.begin(), {.kind = Kind::name, .name = field, .at = not_written});
  for (FormulaNode& node : rate.nodes)
    if (is_flux(node)) node.operands.push_back(0);
  return rate;
}

// The value that the cell at place.at implies at its face. Beyond the sides slopes continue evenly,
// as all that stages compute: a cell there implies at the side what the cell inside does, mirrored.
Term TreeWriter::at_face(const ShiftedPart& place) {
  const auto [axis, after, by_weno] = place.side;
  using Of = NestedQuantity::Of;
  const auto difference = [&](Of of) {
    return Argument{{}, nested_({place.formula, place.node, of, place.side.axis})};
  };
  const Argument of_value{{place.formula, place.node, {}}, nested_({place.formula, place.node})};
  const Term value = read(of_value, place.at);
  Term slope;
  if (!by_weno) {
    slope = read(difference(Of::slope), place.at);
  } else {
    slope = read(difference(after ? Of::to_after : Of::to_before), place.at);
    if (place.at != Offset{})
      slope = inside_or(slope, read(difference(after ? Of::to_before : Of::to_after), {}), place.at,
                        names_.ending_axes(*place.formula, place.node), false);
  }
  return {value.factor, value.literal,
          beside(after ? Operation::sum : Operation::difference, value, slope).node};
}

// Half of van Leer's slope: of the differences to both sides.
Term TreeWriter::limited_slope(const Argument& argument, int axis) {
  const Term here = read(argument, {});
  const Term before = beside(Operation::difference, here, read(argument, along(axis, -1)));
  const Term after = beside(Operation::difference, read(argument, along(axis, 1)), here);
  return half_harmonic(before, after);
}

// The difference between the value in the cell and at its face: after - cell, or cell - before. It
// is a mean of those of three parabolas with weights of Borges et al., J. Comput. Phys. 227 (2008)
// 3191, of order 5 where e is smooth. In place of their constant 1e-40 stands a part of the sum of
// the smoothness indicators, so that the weights do not depend on the unit of e, while squares of
// its differences are above 1e-36 and finite. At the faces of sides and of the mask's boundary it
// is half of van Leer's slope. With the second differences s, for the face after the cell:
//
//   p0 = (e - e-)/2 + s-/3    p1 = (e+ - e)/2 - s/6          p2 = (e+ - e)/2 - s+/6
//   b0 = 13/12 s-^2 +         b1 = 13/12 s^2 +               b2 = 13/12 s+^2 +
//        ((e - e-) + s-/2)^2       ((e+ - e) + (e - e-))^2/4      ((e+ - e) - s+/2)^2
Term TreeWriter::weno_difference(const Argument& argument, int axis, bool after) {
  const int sign = after ? 1 : -1;
  const Argument curved{{},
                        nested_({argument.place.formula, argument.place.node,
                                 NestedQuantity::Of::second_difference, axis})};
  const Offset there = along(axis, sign), opposite = along(axis, -sign);
  const auto difference = [&](Offset low, Offset high) {
    return beside(Operation::difference, read(argument, high), read(argument, low));
  };
  const Term onward = after ? difference({}, there) : difference(there, {});
  const Term from = after ? difference(opposite, {}) : difference({}, opposite);
  const std::array bends = {read(curved, opposite), read(curved, {}), read(curved, there)};
  const auto times = [&](double factor, Term term) { return product(scalar(factor), term); };
  const auto parabola = [&](Term slope, double part, Term bend) {
    return sum(times(0.5, slope), times(sign * part, bend));
  };
  const std::array parts = {parabola(from, 1.0 / 3, bends[0]), parabola(onward, -1.0 / 6, bends[1]),
                            parabola(onward, -1.0 / 6, bends[2])};
  const std::array slopes = {sum(from, times(0.5 * sign, bends[0])), times(0.5, sum(onward, from)),
                             sum(onward, times(-0.5 * sign, bends[2]))};
  std::array<Term, 3> roughness;
  for (std::size_t i = 0; i < 3; ++i)
    roughness[i] =
        sum(times(13.0 / 12, product(bends[i], bends[i])), product(slopes[i], slopes[i]));
  const Term all = sum(sum(roughness[0], roughness[1]), roughness[2]);
  const Term least = sum(times(1e-6, all), scalar(1e-36));
  const Term tau = apply(Operation::magnitude, {sum(roughness[0], negative(roughness[2]))});
  constexpr std::array ideal = {0.1, 0.6, 0.3};
  Term weighted = scalar(0), weights = scalar(0);
  for (std::size_t i = 0; i < 3; ++i) {
    const Term ratio = quotient(tau, sum(roughness[i], least));
    const Term weight = times(ideal[i], sum(scalar(1), product(ratio, ratio)));
    weighted = i == 0 ? product(weight, parts[i]) : sum(weighted, product(weight, parts[i]));
    weights = i == 0 ? weight : sum(weights, weight);
  }
  const int ending = names_.ending_axes(*argument.place.formula, argument.place.node);
  return inside_or(quotient(weighted, weights), limited_slope(argument, axis), there, ending,
                   false);
}

// Both cells of a face compute its flux by the same operations, and no flux is fused, so that the
// sum over all cells telescopes.
Term TreeWriter::outflow(int axis, Term out, Term in) {
  return over_volume(axis, beside(Operation::difference, times_area(axis, {}, out),
                                  times_area(axis, along(axis, -1), in)));
}

Term TreeWriter::advect(const ShiftedPart& place, const FormulaNode& node) {
  const auto written = static_cast<std::size_t>(names_.axes) + 1;
  const bool by_weno = node.operands.size() > written && is_by_weno(*place.formula, node);
  require_arguments(node, written + (by_weno ? 1 : 0));
  const int carried = node.operands[written - 1];
  const double factor = read(argument(place, carried, node), {}).factor;
  const Term total = over_axes(
      [&](int axis) {
        const int operand = node.operands[static_cast<std::size_t>(2 - axis)];
        refuse_noise(place, operand, node);
        const Argument speed{{place.formula, operand, {}}, nested_({place.formula, operand})};
        const Term here = read(speed, {});
        const auto flux = [&](Offset from, Offset to) {
          const auto implied = [&](Offset cell, bool after) {
            return of(at_face({place.formula, carried, cell, false, {axis, after, by_weno}}).node);
          };
          const Term forth = implied(from, true), back = implied(to, false);
          if (here.is_scalar()) return here.factor > 0 ? forth : back;
          const Term twice =
              beside(Operation::sum, of(as_node(read(speed, from))), of(as_node(read(speed, to))));
          const Term positive = apply(Operation::is_less, {scalar(0), twice});
          return product(twice, apply(Operation::choice, {positive, forth, back}));
        };
        const Term change = outflow(axis, flux({}, along(axis, 1)), flux(along(axis, -1), {}));
        return here.is_scalar() ? product({2 * here.factor, here.literal}, change) : change;
      },
      [&](int axis) { return 1 / (2 * names_.spacing[axis]); });
  return product(scalar(factor, false), total);
}

// The flux through a face is (F + F' - a (u' - u)) / 2 with what the cell before the face implies
// of the fields, and, primed, that after it; a is the larger speed of both (Rusanov, USSR Comput.
// Math. Math. Phys. 1 (1961) 267). The last operand is u, which with_own_field adds.
Term TreeWriter::flux_of_system(const ShiftedPart& place, const FormulaNode& node) {
  const auto axes = static_cast<std::size_t>(names_.axes);
  if (!has_own_field(*place.formula, node))
    throw FormulaError(
        node.at,
        "flux has no meaning here (expected it in the rate of a field, whose flux it "
        "is)");
  FormulaNode written = node;
  written.operands.pop_back();
  const bool by_weno = written.operands.size() > axes + 1 && is_by_weno(*place.formula, node);
  require_arguments(written, axes + 1 + (by_weno ? 1 : 0));
  for (const int operand : written.operands) refuse_noise(place, operand, node);
  if (const Term speed = write(place.operand(node.operands[axes]));
      speed.is_scalar() && speed.factor < 0)
    throw FormulaError(node.at,
                       fmt::format("flux with a speed of {} (expected at least 0)", speed.factor));
  const Term total = over_axes(
      [&](int axis) {
        const auto through = [&](Offset from, Offset to) {
          const auto implied = [&](int operand, bool before) {
            return of(as_node(write(ShiftedPart{
                place.formula, operand, before ? from : to, false, {axis, before, by_weno}})));
          };
          const auto in_both = [&](Operation operation, int operand) {
            return beside(operation, implied(operand, false), implied(operand, true));
          };
          const Term twice =
              in_both(Operation::sum, node.operands[static_cast<std::size_t>(2 - axis)]);
          const Term speed = in_both(Operation::larger, node.operands[axes]);
          const Term jump = in_both(Operation::difference, node.operands.back());
          return beside(Operation::difference, twice, product(speed, jump));
        };
        return outflow(axis, through({}, along(axis, 1)), through(along(axis, -1), {}));
      },
      [&](int axis) { return 1 / (2 * names_.spacing[axis]); });
  return total;
}

}  // namespace lapl
