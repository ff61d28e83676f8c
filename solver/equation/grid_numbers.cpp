// Calls in formulas that stand for numbers of the whole grid: reductions, and values at a position.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/stages/tree_at.hpp"
#include "solver/equation/discretise.hpp"
#include "solver/near_nodes.hpp"

namespace lapl {

Term TreeWriter::over_grid(const ShiftedPart& place, const FormulaNode& node) {
  if (!names_.reduce)
    throw FormulaError(node.at,
                       fmt::format("{} {}", node.name,
                                   names_.has_none_of.empty()
                                       ? "has no meaning here (expected it in rates, equation.let, "
                                         "conditions and outputs)"
                                       : names_.has_none_of));
  if (place.at != Offset{} && !face_) refuse_over_grid(node);
  if (node.name == "value_at") return value_at(place, node);
  require_arguments(node, 1);
  using Of = NestedQuantity::Of;
  const GridReduction::Kind kind = formula_function(node.name)->reduction;
  const auto reduced = [&](Of of_part) {
    return of(tree_.reduced(names_.reduce(
        {.part = {place.formula, node.operands[0], of_part}, .call = &node, .kind = kind})));
  };
  if (names_.radial > 0 && kind == GridReduction::Kind::mean)
    return quotient(reduced(Of::by_volume), reduced(Of::volume));
  if (names_.radial > 0 && kind == GridReduction::Kind::sum)
    return product(scalar(full_angle(names_.radial), false), reduced(Of::by_volume));
  return reduced(Of::value);
}

// The values in the cells around a position, weighted linearly; those outside a mask do not count.
Term TreeWriter::value_at(const ShiftedPart& place, const FormulaNode& node) {
  require_arguments(node, static_cast<std::size_t>(names_.axes) + 1);
  std::array<double, 3> place_in_grid{};  // as an index along each axis
  for (int axis = 3 - names_.axes; axis < 3; ++axis) {
    const Term at = write(ShiftedPart{place.formula, node.operands[3 - axis], {}, false});
    if (!at.is_scalar())
      throw FormulaError(node.at,
                         "value_at: found a position that varies (expected numbers and "
                         "parameters that are numbers)");
    const std::int64_t size = by_axis(names_.shape)[axis];
    const double first = names_.origin[axis], h = names_.spacing[axis];
    double& index = place_in_grid[axis];
    index = node_index(at.factor, first, h);
    if (!names_.is_sample && !is_in_grid(at.factor, first, h, size))
      throw FormulaError(node.at,
                         fmt::format("value_at: {} = {:.9g} is outside the grid (expected {:.9g} "
                                     "to {:.9g})",
                                     "zyx"[axis], at.factor, first - h / 2,
                                     first + (static_cast<double>(size) - 0.5) * h));
    const int ending = names_.ending_axes(*place.formula, node.operands[0]);
    if (!names_.periodic[axis] || names_.is_sample || ends_at(ending, axis))
      index = std::clamp(index, 0.0, static_cast<double>(size - 1));
  }
  static const Formula mask{.name = "mask",
                            .text = "mask",
                            .nodes = {{.kind = FormulaNode::Kind::name, .name = "grid.mask"}}};
  const bool is_masked = names_.arrays.contains(mask.nodes[0].name);
  const auto reduced = [&](const NestedQuantity& part, const std::array<std::int64_t, 3>& at) {
    return tree_.reduced(names_.reduce({.part = part,
                                        .call = &node,
                                        .kind = GridReduction::Kind::maximum,
                                        .cell = cell_index(names_.shape, {at[1], at[2], at[0]})}));
  };
  std::optional<Term> sum, weights;
  for (const NearNode& node_beside : nodes_around(place_in_grid, names_.shape)) {
    const auto& at = node_beside.first;
    const double weight = node_beside.second;
    const auto add = [&](std::optional<Term>& to, Term term) {
      if (is_masked)
        term = of(tree_.operate(Operation::choice, reduced({&mask, 0}, at), as_node(term),
                                tree_.number(0)));
      to = to ? this->sum(*to, term) : term;
    };
    const Term value = of(reduced({place.formula, node.operands[0]}, at));
    add(sum, product(scalar(weight, false), value));
    if (is_masked) add(weights, scalar(weight, false));
  }
  return is_masked ? quotient(*sum, *weights) : *sum;
}

std::string ReducedPart::key() const {
  std::string text =
      fmt::format("{} {} {}", static_cast<int>(kind), static_cast<int>(part.of), cell);
  const std::function<void(int)> add = [&](int at) {
    const FormulaNode& node = part.formula->nodes[at];
    text += fmt::format("({} {} {}", static_cast<int>(node.kind), node.name, node.number);
    for (const int operand : node.operands) add(operand);
    text += ')';
  };
  add(part.node);
  return text;
}

void refuse_over_grid(const FormulaNode& node) {
  throw FormulaError(node.at,
                     "a number of the whole grid within an operator (expected mean, integral, "
                     "maximum, minimum and value_at outside of operators)");
}

}  // namespace lapl
