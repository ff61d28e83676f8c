#include <utility>

#include "kernels/cuda/run_time/arguments.hpp"
#include "kernels/cuda/run_time/engine_kernels.hpp"
#include "kernels/cuda/run_time/kernel_text.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

// For each stage of a step, the cells beyond a tile in which it must be computed so that later
// stages can read their neighbours; the last entry is the margin of a whole step.
std::vector<int> margins(const std::vector<Stage>& stages, int Offset::*along) {
  std::vector<int> of(stages.size() + 1);
  for (std::size_t i = stages.size(); i > 0; --i) {
    of[i - 1] = of.back();
    of.back() += reads_beside(stages[i - 1].tree, along) ? 1 : 0;
  }
  return of;
}

template <class T>
bool is_given(const Problem<T>& problem, int array) {
  return array < problem.step_fields + static_cast<int>(problem.coefficients.size());
}

// True if a stage that computes the array also reads its neighbouring cells: it needs two copies.
template <class T>
bool needs_two(const Problem<T>& problem, int array) {
  return std::ranges::any_of(problem.stages, [&](const Stage& stage) {
    return std::ranges::count(stage.targets, array) > 0 &&
           std::ranges::any_of(stage.tree.operations, [&](const StageOperation& node) {
             return node.operation == Operation::value && node.index == array &&
                    node.at != Offset{};
           });
  });
}

int quotient_up(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

// Clock cycles per step, from a fit to measurements on an H200: barriers of each stage, waiting in
// each round of all warps, and part of an exchange.
template <class T>
double cycles_of_step(const ResidentPlan& plan, const Problem<T>& problem) {
  double cycles = 3500;
  for (int step = 0; step < plan.depth; ++step)
    for (std::size_t i = 0; i < problem.stages.size(); ++i) {
      const int rows = plan.rows + 2 * (plan.row_margins[i] + step * plan.row_margins.back());
      const int columns =
          plan.columns + 2 * (plan.column_margins[i] + step * plan.column_margins.back());
      const int pieces = quotient_up(rows, plan.cells) * quotient_up(columns, 32);
      const double work = 50 + 9 * instruction_count(problem.stages[i].tree);
      cycles += 320 + quotient_up(pieces, ResidentPlan::warps) * (200 + plan.cells * work);
    }
  return cycles / plan.depth;
}

}  // namespace

template <class T>
ResidentPlan resident_plan(const Problem<T>& problem, const DeviceLimits& device) {
  ResidentPlan best;
  const auto refuse = [&](const std::string& why) {
    best.unsuitable = "engine resident: " + why;
    return best;
  };
  const Shape shape = problem.shape;
  if (!device.cooperative)
    return refuse("the device cannot launch blocks that wait for each other");
  if (shape.axes > 2) return refuse("the grid has more than two axes");
  for (const VaryingFace& face : varying_faces(problem)) {
    if (reads_positions(face.condition)) return refuse("the condition of a face differs along it");
    if (reads_time(face.condition)) return refuse("a condition depends on the time");
  }
  if (has_global_operations(problem))
    return refuse("stages read numbers or fields of the whole grid");
  for (const Stage& stage : problem.stages) {
    if (reads_noise(stage.tree)) return refuse("the equation has noise");
    if (reads_time(stage.tree)) return refuse("the equation depends on the time");
  }

  const std::vector<int> first_argument = first_arguments(problem.stages);
  if (problem.arrays() * (sizeof(GridIndex) + 6 * sizeof(GhostCondition<T>)) +
          first_argument.back() * sizeof(T) + sizeof(ResidentGrid<T>) >
      most_parameter_bytes)
    return refuse("its arrays and numbers are more than a kernel's parameters may hold");

  ResidentPlan plan;
  plan.row_margins = margins(problem.stages, &Offset::row);
  plan.column_margins = margins(problem.stages, &Offset::column);
  plan.first_argument = first_argument;
  for (int array = 0; array < problem.arrays(); ++array) {
    plan.place.push_back(plan.places);
    plan.copies.push_back(needs_two(problem, array) ? 2 : 1);
    plan.places += plan.copies.back();
  }
  const Faces<T>& faces = problem.faces.front();
  // A tile reads only from the tiles next to it, so none may be narrower than the halo.
  const auto wide_enough = [](std::int64_t size, std::int64_t tiles, bool wraps, int halo) {
    return size / tiles >= std::max((tiles > 1 || wraps) ? halo : 0, 1);
  };
  double least = 0;
  for (plan.cells = 1; plan.cells <= 8; plan.cells *= 2)
    for (plan.depth = 1; plan.depth <= (problem.measures_error ? 1 : 32); ++plan.depth)
      for (plan.tiles_across = 1; plan.tiles_across <= device.processors; ++plan.tiles_across) {
        const int row_halo = plan.depth * plan.row_margins.back();
        const int column_halo = plan.depth * plan.column_margins.back();
        if (!wide_enough(shape.columns, plan.tiles_across, faces.columns.wrap(), column_halo))
          break;
        plan.tiles_down = device.processors / plan.tiles_across;
        while (plan.tiles_down > 1 &&
               !wide_enough(shape.rows, plan.tiles_down, faces.rows.wrap(), row_halo))
          --plan.tiles_down;
        if (!wide_enough(shape.rows, plan.tiles_down, faces.rows.wrap(), row_halo)) continue;
        const std::int64_t rows = quotient_up(shape.rows, plan.tiles_down),
                           columns = quotient_up(shape.columns, plan.tiles_across);
        const std::int64_t values =
            plan.places * (rows + 2 * row_halo) * (columns + 2 * column_halo);
        if (values * static_cast<std::int64_t>(sizeof(T)) > device.shared_bytes) continue;
        plan.rows = static_cast<int>(rows);
        plan.columns = static_cast<int>(columns);
        plan.shared_bytes = static_cast<int>(values) * static_cast<int>(sizeof(T));
        const double cycles = cycles_of_step(plan, problem);
        if (least != 0 && cycles >= least) continue;
        least = cycles;
        best = plan;
      }
  if (least == 0) return refuse("the grid does not fit into the shared memory of the device");
  return best;
}

template <class T>
KernelText resident_kernel(const Problem<T>& problem, const ResidentPlan& plan) {
  std::string text = beginning_of_code(sizeof(T), "kernels/cuda/run_time/resident.cuh");
  const std::size_t stages = problem.stages.size();
  text += "template <int stage>\nstruct StageOf;\n";
  std::size_t most = 0;
  for (const Stage& stage : problem.stages) most = std::max(most, stage.targets.size());
  std::vector<int> targets(stages * most), given;
  for (std::size_t i = 0; i < stages; ++i) {
    const Stage& stage = problem.stages[i];
    text += "template <>\n" + cell_function(stage.tree, fmt::format("StageOf<{}>", i),
                                            fmt::format("targets = {}", stage.targets.size()));
    std::ranges::copy(stage.targets, targets.begin() + static_cast<std::ptrdiff_t>(i * most));
  }
  const int arrays = problem.arrays(), arguments = plan.first_argument.back();
  for (int array = 0; array < arrays; ++array) given.push_back(is_given(problem, array) ? 1 : 0);
  const Faces<T>& faces = problem.faces.front();
  text += fmt::format(
      "struct Plan {{\n  using T = ::T;\n"
      "  static constexpr int fields = {}, arrays = {}, stages = {}, cells = {}, rows = {}, "
      "columns = {}, depth = {};\n"
      "  static constexpr bool wraps_rows = {}, wraps_columns = {};\n"
      "  template <int stage>\n  using Stage = StageOf<stage>;\n"
      "  static __device__ constexpr int target(int stage, int k) {{\n"
      "    return target_at(stage * {} + k);\n  }}\n",
      problem.step_fields, arrays, stages, plan.cells, plan.rows, plan.columns, plan.depth,
      faces.rows.wrap(), faces.columns.wrap(), most);
  text += table_text("int", "target_at", targets) + table_text("int", "copies", plan.copies) +
          table_text("int", "place", plan.place) + table_text("bool", "given", given) +
          table_text("int", "first_argument", plan.first_argument) +
          table_text("int", "row_margin", plan.row_margins) +
          table_text("int", "column_margin", plan.column_margins) + "};\n";
  text += fmt::format(
      "extern \"C\" __global__ void __launch_bounds__({}, 1) resident(\n"
      "    const __grid_constant__ lapl::ResidentGrid<T> grid,\n"
      "    const __grid_constant__ lapl::Values<lapl::GridIndex, {}> sources,\n"
      "    const __grid_constant__ lapl::Values<T, {}> arguments,\n"
      "    const __grid_constant__ lapl::Values<lapl::GhostCondition<T>, {}> conditions,\n"
      "    const T* __restrict__ from, T* __restrict__ to) {{\n"
      "  lapl::stay_resident<Plan>(from, to, {{grid, sources.of, arguments.of, "
      "conditions.of}});\n}}\n",
      32 * ResidentPlan::warps, arrays, at_least_one(arguments), 6 * arrays);
  return kernel_text(std::move(text));
}

LAPL_FOR_FLOATS(resident_plan);
LAPL_FOR_FLOATS(resident_kernel);

}  // namespace lapl
