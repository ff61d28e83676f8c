#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/cuda/run_time/level_kernels.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

// Nanoseconds per cell and step, from a fit to measurements on an H200: the larger of the times of
// arithmetic (with the fixed work of a warp per row) and of memory, divided by the fraction of
// cells that are not computed twice.
double volume_cost(const VolumeSizes& sizes, int arithmetic, int stages) {
  const double words = sizes.value_bytes / 4.0;
  const double compute = words * (1.4 * arithmetic + 2.8 * stages) / 33400 * (1 + 1.2 / sizes.rows);
  const double memory = words * sizes.slots / 530 * stages / sizes.levels;
  const double kept =
      double(sizes.kept_rows()) * sizes.kept_columns() / (double(sizes.height()) * sizes.width());
  return std::max(compute, memory) / kept;
}

}  // namespace

template <class T>
VolumePlan volume_plan(const Problem<T>& problem, const DeviceLimits& device) {
  VolumePlan plan{level_plan(problem)};
  const auto refuse = [&](const std::string& why) {
    plan.unsuitable = "engine streaming: " + why;
    return plan;
  };
  const Shape shape = problem.shape;
  if (!plan.unsuitable.empty()) return refuse(plan.unsuitable);
  if (plan.tables > 0) return refuse("the condition of a face differs along it");
  for (const Stage& stage : problem.stages)
    for (const StageOperation& node : stage.tree.operations)
      if (node.operation == Operation::value && node.at.plane != 0 && node.at.row != 0)
        return refuse("a derivative is mixed of planes and rows");
  if (shape.planes > (1 << 30) || shape.rows * shape.columns > (1 << 27))
    return refuse("the grid has more than 2^30 planes, or 2^27 cells of a plane");
  const auto stages = static_cast<int>(problem.stages.size());
  const auto fastest = [&](Shape of) {
    double least = 0;
    std::optional<VolumeSizes> found;
    for (const int rows : {4, 3, 2, 1})
      for (int levels = stages; plan.slots * levels * rows <= 18; levels += stages) {
        const VolumeSizes sizes{sizeof(T), plan.slots, rows, levels};
        const int code = 3 * levels * rows * sizes.count() * (plan.arithmetic + 5) / stages;
        if (code > 6000 || argument_bytes(problem, plan, levels) > 28'000 ||
            (problem.measures_error && levels > stages) ||
            sizes.shared_bytes() > device.shared_bytes || sizes.kept_rows() <= 0 ||
            sizes.kept_columns() <= 0 || of.rows < sizes.height() ||
            whole_vectors(of.columns, sizeof(T)) < sizes.width())
          continue;
        if (const double cost = volume_cost(sizes, plan.arithmetic, stages);
            !found || cost < least) {
          least = cost;
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
  return plan;
}

template <class T>
KernelText volume_kernel(const Problem<T>& problem, const VolumePlan& plan) {
  const VolumeSizes& sizes = plan.sizes;
  return level_kernel(
      problem, plan,
      {.header = "kernels/cuda/run_time/volume.cuh",
       .name = "volume",
       .grid = "VolumeGrid",
       .function = "walk_volume",
       .constants = fmt::format("static constexpr lapl::VolumeSizes sizes{{{}, {}, {}, {}}};",
                                sizes.value_bytes, sizes.slots, sizes.rows, sizes.levels),
       .depth = sizes.levels,
       .threads = VolumeSizes::lanes * VolumeSizes::warps,
       .blocks = 1});
}

LAPL_FOR_FLOATS(volume_plan);
LAPL_FOR_FLOATS(volume_kernel);

}  // namespace lapl
