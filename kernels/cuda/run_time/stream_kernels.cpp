#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

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

}  // namespace

template <class T>
StreamPlan stream_plan(const Problem<T>& problem) {
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
  // a launch computes several steps, each of which ends with its largest error
  if (problem.measures_error) return refuse("the error of each step is measured");
  const bool symmetric = std::ranges::all_of(problem.stages, [](const Stage& stage) {
    return stage_properties(stage.tree).mirror_symmetric && !reads_positions(stage.tree);
  });
  const bool even = std::ranges::all_of(problem.faces, [](const Faces<T>& faces) {
    return faces.rows.first.is_even() && faces.rows.last.is_even();
  });
  constexpr int deep_rows = 64;  // the fewest rows for which rows beyond the grid can be mirrored
  plan.mirrors_rows = even && symmetric && shape.rows >= deep_rows;
  // Three rows of all levels must fit into 192 registers; conditions of faces take some of them.
  const Faces<T>& faces = problem.faces.front();
  const int most = faces.rows.wrap() && faces.columns.wrap() ? 16 : 12;
  const auto stages = static_cast<int>(problem.stages.size());
  const auto fastest = [&](Shape of) {
    double best = 0;
    std::optional<StreamSizes> found;
    for (const int chunks : {4, 2, 1})
      for (int levels = stages; levels * chunks * plan.slots <= most; levels += stages) {
        const bool wide = chunks > 1;
        const StreamSizes sizes{sizeof(T), plan.slots, chunks, levels, wide ? 4 : 2, wide};
        const int code = 4 * sizes.columns() * levels * (plan.arithmetic + 5) / stages;
        if (code > 3600 || argument_bytes(problem, plan, sizes.depth()) > 28'000 ||
            sizes.kept() <= 0 || sizes.start_rows() > deep_rows || of.columns < sizes.width() ||
            of.columns % sizes.columns() != 0)
          continue;
        if (const double yield = stream_yield(sizes, of); yield > best) {
          best = yield;
          found = sizes;
        }
      }
    return found;
  };
  const auto sizes = fastest(shape);
  if (!sizes)
    return refuse(
        why_no_sizes(shape, sizeof(T), [&](Shape of) { return fastest(of).has_value(); }));
  plan.sizes = *sizes;
  plan.blocks = 8 / plan.sizes.warps;
  return plan;
}

template <class T>
KernelText stream_kernel(const Problem<T>& problem, const StreamPlan& plan) {
  const StreamSizes& sizes = plan.sizes;
  const std::string constants = fmt::format(
      "static constexpr lapl::StreamSizes sizes{{{}, {}, {}, {}, {}, {}}};\n"
      "  static constexpr bool mirrors_rows = {}, shortened = false;",
      sizes.value_bytes, sizes.slots, sizes.chunks, sizes.levels, sizes.warps, sizes.lagged,
      plan.mirrors_rows);
  return level_kernel(problem, plan,
                      {.header = "kernels/cuda/run_time/stream.cuh",
                       .name = "stream",
                       .grid = "StreamGrid",
                       .function = "stream",
                       .constants = constants,
                       .depth = sizes.depth(),
                       .threads = StreamSizes::lanes * sizes.warps,
                       .blocks = plan.blocks});
}

LAPL_FOR_FLOATS(stream_plan);
LAPL_FOR_FLOATS(stream_kernel);

}  // namespace lapl
