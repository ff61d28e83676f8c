// Integrals over cells, over sides and over the boundary of the mask, whole or in a box.
#include <algorithm>
#include <cmath>

#include "solver/equation/formula_system.hpp"
#include "solver/equation/side_stages.hpp"
#include "solver/equation/stage_maker.hpp"
#include "solver/near_nodes.hpp"

namespace lapl {
namespace {

// Adds to a tree: the node `value` in these cells of the grid, 0 in others.
int in_cells(StageTree& tree, const CellRanges& cells, const FormulaNames& names, int value) {
  const CellRanges all = all_cells(names.shape);
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const std::size_t end : {0, 1})
      if (cells[axis][end] != all[axis][end])
        value = tree.operate(
            Operation::choice,
            is_beyond(tree, names, axis, static_cast<double>(cells[axis][end]) - 0.5, end == 0),
            value, tree.number(0));
  return value;
}

}  // namespace

std::array<std::int64_t, 2> cells_between(const std::array<double, 2>& ends, std::size_t axis,
                                          const RunConfig& run) {
  const std::int64_t nodes = by_axis(run.shape)[axis];
  std::array<std::int64_t, 2> cells{};
  for (const std::size_t end : {0, 1}) {
    const double index = node_index(ends[end], run.spacing.origin[axis], run.spacing.by_axis[axis]);
    const double after = end == 1 && index == static_cast<double>(nodes - 1) ? index + 1 : index;
    cells[end] =
        static_cast<std::int64_t>(std::ceil(std::clamp(after, 0.0, static_cast<double>(nodes))));
  }
  return cells;
}

CellFaces faces_on(const IntegralConfig& integral, const RunConfig& run) {
  CellFaces faces{.outward = {},
                  .of_mask = integral.on == "mask",
                  .shape = run.shape,
                  .cells = all_cells(run.shape)};
  for (const auto& [name, ends] : integral.box) {
    const auto axis = static_cast<std::size_t>('z' - name.front());
    faces.cells.at(axis) = cells_between(ends, axis, run);
  }
  const std::array outward = {&Offset::plane, &Offset::row, &Offset::column};
  for (int axis = 3 - run.shape.axes; axis < 3; ++axis)
    for (const bool last : {false, true})
      if (integral.on == side_name(axis, last) || (faces.of_mask && run.mask))
        faces.outward.emplace_back().*outward.at(static_cast<std::size_t>(axis)) = last ? 1 : -1;
  return faces;
}

StepStages StageMaker::of_volume(const Formula& formula, const CellRanges& cells) {
  without_noise();
  evaluate(fields_, 0, {&formula}, [&](Level& to, int, Term value) {
    value = to.writer.around(value, {});
    if (cells == all_cells(names_.shape)) return std::vector<Made>{{-1, value}};
    const int here = to.writer.as_node(value);
    return std::vector<Made>{{-1, TreeWriter::of(in_cells(to.stage.tree, cells, names_, here))}};
  });
  return with_results_last();
}

StepStages StageMaker::of_faces(const Formula& formula, const CellFaces& faces) {
  without_noise();
  at_faces_ = faces.outward;
  if (faces.of_mask) face_weight_ = system_.mask_boundary->weights;
  std::optional<Term> sum;
  evaluate(fields_, 0, Formulas(at_faces_.size(), &formula), [&](Level& to, int i, Term value) {
    const Offset outward = at_faces_[static_cast<std::size_t>(i)];
    const std::size_t axis = outward_axis(outward);
    if (const int weight = face_weight_[axis]; weight >= 0)
      value = to.writer.product(TreeWriter::of(to.stage.tree.value(weight, {})), value);
    value = to.writer.around(value, outward);
    const bool last = outward.plane + outward.row + outward.column > 0;
    StageTree& tree = to.stage.tree;
    const int here = to.writer.as_node(to.product(1 / names_.spacing[axis], value, false));
    const int nothing = tree.number(0);
    const int of_face =
        faces.of_mask
            ? tree.operate(Operation::choice, tree.value(system_.mask_boundary->mask, outward),
                           nothing, here)
            : tree.operate(Operation::choice, is_at_side(tree, faces.shape, names_, axis, last),
                           here, nothing);
    const Term counted = TreeWriter::of(in_cells(tree, faces.cells, names_, of_face));
    sum = sum ? to.writer.sum(*sum, counted) : counted;
    return i + 1 < std::ssize(at_faces_) ? std::vector<Made>() : std::vector<Made>{{-1, *sum}};
  });
  made_.stages.back().targets = {new_array(-1)};
  return std::move(made_);
}

}  // namespace lapl
