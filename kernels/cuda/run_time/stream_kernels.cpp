#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/cuda/run_time/level_kernels.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

// The relative number of cells that a plan computes per unit of time, from a fit to measurements on
// an H200. A warp's row takes a time proportional to levels + 1.7. Cells of the halo, and the
// start_rows before a segment (a block's part of a strip), are computed twice, and each launch
// waits for memory once.
double stream_yield(const StreamSizes& sizes, Shape shape) {
  constexpr int multiprocessors = 132;
  const double strips = std::ceil(static_cast<double>(shape.columns) / sizes.kept());
  const double rows =
      strips * static_cast<double>(shape.rows) * sizes.warps / (multiprocessors * 8);
  const double made = sizes.levels / (sizes.levels + 1.7) * (sizes.chunks == 1 ? 0.88 : 1) *
                      sizes.kept() / sizes.width() * rows / (rows + sizes.start_rows());
  return 1 / (1 / made + 3.0 / sizes.depth());
}

// Estimates the registers of the warp that needs most: two rows stay of each array that a stage
// reads beside the cell, one of others; one row more of each array enters and one leaves.
template <class T>
int most_registers(const Problem<T>& problem, const StreamPlan& plan, const StreamSizes& sizes) {
  int most = 0, rows = 0;
  for (std::size_t stage = 0; stage < problem.stages.size(); ++stage) {
    if (stage % static_cast<std::size_t>(sizes.levels) == 0) rows = 0;
    for (const int array : plan.alive[stage])
      rows += std::ranges::any_of(problem.stages[stage].tree.operations,
                                  [&](const StageOperation& node) {
                                    return node.operation == Operation::value &&
                                           node.index == array && node.at != Offset{};
                                  })
                  ? 2
                  : 1;
    most = std::max(
        most, rows + static_cast<int>(plan.alive[stage].size() + plan.alive[stage + 1].size()));
  }
  return most * sizes.columns() * sizes.value_bytes / 4;
}

}  // namespace

template <class T>
StreamPlan stream_plan(const Problem<T>& problem, const DeviceLimits& device) {
  StreamPlan plan{level_plan(problem)};
  const auto refuse = [&](const std::string& why) {
    plan.unsuitable = "engine streaming: " + why;
    return plan;
  };
  const Shape shape = problem.shape;
  if (!plan.unsuitable.empty()) return refuse(plan.unsuitable);
  if (shape.axes != 2) return refuse("the grid does not have two axes");
  if (std::max(shape.rows, shape.columns) > (1 << 30))
    return refuse("the grid has more than 2^30 rows or columns");
  const bool symmetric = std::ranges::all_of(problem.stages, [](const Stage& stage) {
    return stage_properties(stage.tree).mirror_symmetric && !reads_positions(stage.tree);
  });
  const bool even = std::ranges::all_of(problem.faces, [](const Faces<T>& faces) {
    return faces.rows.first.is_even() && faces.rows.last.is_even();
  });
  constexpr int longest_unrolled = 700;  // operations of a row
  constexpr int deep_rows = 64;  // the fewest rows for which rows beyond the grid can be mirrored
  plan.mirrors_rows = even && symmetric && plan.tables == 0 && shape.rows >= deep_rows;
  // Three rows of all levels must fit into 192 registers; conditions of faces take some of them.
  const Faces<T>& faces = problem.faces.front();
  const int most = faces.rows.wrap() && faces.columns.wrap() ? 16 : 12;
  const auto stages = static_cast<int>(problem.stages.size());
  const auto fits = [&](const StreamSizes& sizes, Shape of) {
    const int code =
        4 * sizes.columns() * std::max(sizes.levels, stages) * (plan.arithmetic + 5) / stages;
    return code <= 3600 && argument_bytes(problem, plan, sizes.depth()) <= 28'000 &&
           sizes.shared_bytes() <= device.shared_bytes && sizes.kept() > 0 &&
           sizes.start_rows() <= deep_rows &&
           whole_vectors(of.columns, sizeof(T)) >= sizes.width() &&
           // a launch of several steps has not the error of each
           (!problem.measures_error || sizes.depth() == stages);
  };
  const auto fastest = [&](Shape of) {
    double best = 0;
    std::optional<StreamSizes> found;
    for (const int chunks : {4, 2, 1})
      for (int levels = stages; levels * chunks * plan.slots <= most; levels += stages) {
        const bool wide = chunks > 1;
        const StreamSizes sizes{sizeof(T), plan.slots, chunks, levels, wide ? 4 : 2, wide};
        if (!fits(sizes, of)) continue;
        if (const double yield = stream_yield(sizes, of); yield > best) {
          best = yield;
          found = sizes;
        }
      }
    if (found) return found;
    // One step a launch, whose stages several warps share. Strips keep half of their columns.
    for (const int warps : {4, 3, 2}) {
      StreamSizes sizes{sizeof(T), plan.slots, 1, (stages + warps - 1) / warps, warps, false};
      sizes.missing = sizes.levels * warps - stages;
      sizes.rolled = sizes.columns() * plan.arithmetic > longest_unrolled;
      sizes.entering = static_cast<int>(plan.alive.front().size());
      if (sizes.missing >= sizes.levels) continue;
      for (int warp = 1; warp < warps; ++warp)
        sizes.handed += static_cast<int>(plan.alive[warp * sizes.levels].size());
      if (fits(sizes, of) && 2 * sizes.kept() >= sizes.width() &&
          most_registers(problem, plan, sizes) <= 216)
        return std::optional(sizes);
    }
    return found;
  };
  const auto sizes = fastest(shape);
  if (!sizes)
    return refuse(
        why_no_sizes(shape, sizeof(T), [&](Shape of) { return fastest(of).has_value(); }));
  plan.sizes = *sizes;
  plan.blocks = 8 / plan.sizes.warps;
  if (plan.sizes.levels % stages != 0) {
    // As many as registers, of which code takes some too, and shared memory allow.
    const int registers = most_registers(problem, plan, plan.sizes) + 40;
    plan.blocks = std::max(
        1, std::min({65536 / (32 * plan.sizes.warps * registers),
                     (device.shared_bytes + 1024) / (plan.sizes.shared_bytes() + 1024), 4}));
  }
  return plan;
}

template <class T>
KernelText stream_kernel(const Problem<T>& problem, const StreamPlan& plan) {
  const StreamSizes& sizes = plan.sizes;
  const std::string constants = fmt::format(
      "static constexpr lapl::StreamSizes sizes{{{}, {}, {}, {}, {}, {}, false, {}, {}, {}, {}}};\n"
      "  static constexpr bool mirrors_rows = {}, shortened = false;",
      sizes.value_bytes, sizes.slots, sizes.chunks, sizes.levels, sizes.warps, sizes.lagged,
      sizes.entering, sizes.handed, sizes.missing, sizes.rolled, plan.mirrors_rows);
  return level_kernel(problem, plan,
                      {.header = "kernels/cuda/run_time/stream.cuh",
                       .name = "stream",
                       .grid = "StreamGrid",
                       .function = "stream",
                       .constants = constants,
                       .depth = sizes.depth(),
                       .threads = StreamSizes::lanes * sizes.warps,
                       .blocks = plan.blocks,
                       .finds_error = problem.measures_error});
}

LAPL_FOR_FLOATS(stream_plan);
LAPL_FOR_FLOATS(stream_kernel);

}  // namespace lapl
