// Convolutions over the grid in formulas.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "solver/equation/stage_maker.hpp"

namespace lapl {
namespace {

using Kind = FormulaNode::Kind;

}  // namespace

int TreeWriter::convolved(const ConvolvedPart& part) {
  if (!names_.convolve)
    throw FormulaError(part.call->at,
                       fmt::format("{} has no meaning here (expected it in rates, equation.let and "
                                   "outputs)",
                                   part.call->name));
  refuse_noise({part.part.formula, part.part.node, {}}, part.part.node, *part.call);
  return names_.convolve(part);
}

Term TreeWriter::convolve(const ShiftedPart& place, const FormulaNode& node) {
  refuse_coordinates(node);
  require_arguments(node, 2);
  const FormulaNode& name = place.formula->nodes[node.operands[0]];
  if (name.kind != Kind::name || !names_.kernels.contains(name.name))
    throw FormulaError(
        name.at, fmt::format("convolve: found {} (expected a name of section "
                             "kernels{}{})",
                             name.kind == Kind::name ? name.name : "no name",
                             names_.kernels.empty() ? "" : ": ", fmt::join(names_.kernels, ", ")));
  used_.insert(name.name);
  return read(convolved({{place.formula, node.operands[1]}, &node, {name.name}}), place);
}

// Up to one cell away, a stage reads the values themselves.
Term TreeWriter::shift(const ShiftedPart& place, const FormulaNode& node) {
  require_arguments(node, static_cast<std::size_t>(names_.axes) + 1);
  constexpr int most = 32;
  std::array<int, 3> by{};
  for (int axis = 3 - names_.axes; axis < 3; ++axis) {
    const Term cells = write(ShiftedPart{place.formula, node.operands[3 - axis], {}, false});
    if (!cells.is_scalar() || cells.factor != std::round(cells.factor) ||
        std::abs(cells.factor) > most)
      throw FormulaError(node.at,
                         fmt::format("shift: found {} along {} (expected whole numbers of cells "
                                     "from -{} to {})",
                                     cells.is_scalar() ? fmt::format("{}", cells.factor)
                                                       : "a distance that varies",
                                     "zyx"[axis], most, most));
    by[axis] = static_cast<int>(cells.factor);
    const std::int64_t size = by_axis(names_.shape)[axis];
    if (!names_.periodic[axis] && !names_.is_sample && std::abs(by[axis]) > size)
      throw FormulaError(node.at, fmt::format("shift: found {} along {} on a grid of {} cells "
                                              "(expected at most as many cells)",
                                              by[axis], "zyx"[axis], size));
  }
  if (std::ranges::all_of(by, [](int cells) { return std::abs(cells) <= 1; }))
    return read(argument(place, node.operands[0], node), {by[0], by[1], by[2]});
  return read(convolved({{place.formula, node.operands[0]}, &node, {{}, by}}), place);
}

int StageMaker::convolution(const ConvolvedPart& convolved) {
  const NestedQuantity& part = convolved.part;
  const int source = array_over_grid(part, convolved.call);
  const auto [known, is_new] = arrays_of_windows_.try_emplace(
      {convolved.window, meaning_number(*part.formula, part.node)}, 0);
  if (is_new) known->second = new_array(-1 - names_.ending_axes(*part.formula, part.node));
  const int target = known->second;
  if (!computed_.insert(target).second) return target;
  const StageWindow window{convolved.window, made_.like[source],
                           continued_sides(part, convolved.call)};
  const auto place = std::ranges::find(made_.windows, window) - made_.windows.begin();
  if (place == std::ssize(made_.windows)) made_.windows.push_back(window);
  made_.convolutions.push_back({evaluation_, static_cast<std::size_t>(place), source, target});
  for (const ContinuedSide& side : window.sides)
    if (!side.at_node)
      made_.convolutions.back().ghosts.push_back(ghosts_beside(part, source, side));
  return target;
}

std::vector<ContinuedSide> StageMaker::continued_sides(const NestedQuantity& part,
                                                       const FormulaNode* call) {
  std::vector<ContinuedSide> sides;
  if (!system_.sides) return sides;
  const int like = is_array(part) ? made_.like[names_.arrays.at(root_node(part).name)]
                                  : -1 - names_.ending_axes(*part.formula, part.node);
  for (const auto& [key, side] : system_.sides->at) {
    const ConditionKind kind = side.condition.kind;
    if (std::get<0>(key) != like || !side.staged) continue;
    if (kind == ConditionKind::mixed)
      throw FormulaError(
          call->at,
          fmt::format("{}: at a side, the mixed condition of its argument reads fields or numbers "
                      "of the grid, or is of an axis that is periodic for other fields (expected a "
                      "value or a derivative, or a quantity)",
                      call->name));
    sides.push_back({.axis = std::get<1>(key),
                     .last = std::get<2>(key),
                     .at_node = kind == ConditionKind::value_at_node,
                     .b = kind == ConditionKind::value           ? 0
                          : kind == ConditionKind::value_at_face ? -1
                                                                 : 1});
  }
  return sides;
}

// The array with the first ghosts of an array beyond a side, which a stage computes.
int StageMaker::ghosts_beside(const NestedQuantity& part, int source, const ContinuedSide& side) {
  const auto [known, is_new] = arrays_of_ghosts_.try_emplace(
      {meaning_number(*part.formula, part.node), side.axis, side.last}, 0);
  if (is_new) known->second = new_array(-1);
  if (!computed_.insert(known->second).second) return known->second;
  Offset outward;
  (side.axis == 0   ? outward.plane
   : side.axis == 1 ? outward.row
                    : outward.column) = side.last ? 1 : -1;
  Stage& stage =
      level(first_level_ + stage_order(*part.formula, part.node) + (is_array(part) ? 0 : 1)).stage;
  stage.tree.results.push_back(stage.tree.value(source, outward));
  stage.targets.push_back(known->second);
  return known->second;
}

}  // namespace lapl
