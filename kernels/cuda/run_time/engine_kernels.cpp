#include "kernels/cuda/run_time/engine_kernels.hpp"

#include <algorithm>

#include "kernels/cuda/run_time/arguments.hpp"
#include "kernels/cuda/run_time/kernel_text.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {

template <class T>
TileShape tile_shape(const Problem<T>& problem) {
  int most = 0;
  for (const Stage& stage : problem.stages)
    most = std::max(most, stage_properties(stage.tree).arithmetic);
  // Long code with four cells per thread would not fit the instruction cache; on small grids four
  // cells per thread would leave multiprocessors idle.
  constexpr std::int64_t small = 1 << 20;
  const int cells = most > 200 || problem.shape.cells() <= small ? 1 : 4;
  return problem.shape.rows == 1 ? TileShape{256, 1, 1} : TileShape{64, 4, cells};
}

template <class T>
bool has_tables_in_memory(const Problem<T>& problem) {
  const std::size_t arrays = problem.arrays();
  return std::ranges::any_of(problem.stages, [&](const Stage& stage) {
    return sizeof(StageGrid<T>) + (arrays + stage.targets.size()) * sizeof(T*) +
               kernel_arguments(stage.tree).size() * sizeof(T) + 6 * arrays * sizeof(FaceTable<T>) >
           most_parameter_bytes;
  });
}

template <class T>
std::string condition_kernels(const Problem<T>& problem, std::size_t levels) {
  std::string text;
  const std::vector<VaryingFace> varying = varying_faces(problem);
  for (std::size_t i = 0; i < varying.size(); ++i) {
    const VaryingFace& face = varying[i];
    if (!reads_positions(face.condition)) continue;
    const std::size_t count = kernel_arguments(face.condition).size();
    text += cell_function(
        face.condition, fmt::format("Face{}", i),
        fmt::format("axis = {}, last = {}, slow = {}, fast = {}", face.axis, face.last ? 1 : 0,
                    face.axis == 0 ? 1 : 0, face.axis == 2 ? 1 : 2));
    text += fmt::format(
        "extern \"C\" __global__ void conditions_{0}(\n"
        "    const __grid_constant__ lapl::StageGrid<T> grid,\n"
        "    const __grid_constant__ lapl::Values<T, {1}> arguments, lapl::GhostCondition<T>* "
        "conditions) {{\n"
        "  lapl::make_conditions<Face{0}>(grid, arguments.of, {2}, conditions);\n}}\n",
        i, at_least_one(count * levels), count);
  }
  return text;
}

template <class T>
KernelText tile_kernels(const Problem<T>& problem) {
  std::string text = beginning_of_code(sizeof(T), "kernels/cuda/run_time/tile.cuh");
  const TileShape tile = tile_shape(problem);
  const int arrays = problem.arrays();
  const bool in_memory = has_tables_in_memory(problem);
  const auto table = [&](const char* type, std::size_t size, const char* name) {
    return in_memory
               ? fmt::format("const {}* __restrict__ {}", type, name)
               : fmt::format("const __grid_constant__ lapl::Values<{}, {}> {}", type, size, name);
  };
  for (std::size_t i = 0; i < problem.stages.size(); ++i) {
    const StageTree& tree = problem.stages[i].tree;
    const std::size_t targets = tree.results.size();
    text += cell_function(tree, fmt::format("Stage{}", i),
                          fmt::format("targets = {}, rows = {}, reach_planes = {}, reach_rows = {}",
                                      targets, tile.cells, reads_beside(tree, &Offset::plane),
                                      reads_beside(tree, &Offset::row)));
    text += fmt::format(
        "extern \"C\" __global__ void __launch_bounds__({0}) tile_{1}(\n"
        "    const __grid_constant__ lapl::StageGrid<T> grid,\n"
        "    const __grid_constant__ lapl::Values<const T*, {2}> arrays,\n"
        "    const __grid_constant__ lapl::Values<T*, {3}> targets,\n"
        "    {4},\n    {5}) {{\n"
        "  lapl::make_tile<Stage{1}>(grid, arrays.of, targets.of, arguments{6}, faces{6});\n}}\n",
        tile.columns * tile.rows, i, arrays, targets,
        table("T", at_least_one(kernel_arguments(tree).size()), "arguments"),
        table("lapl::FaceTable<T>", 6 * static_cast<std::size_t>(arrays), "faces"),
        in_memory ? "" : ".of");
  }
  text += condition_kernels(problem, 1);
  return kernel_text(std::move(text));
}

LAPL_FOR_FLOATS(tile_shape);
LAPL_FOR_FLOATS(has_tables_in_memory);
LAPL_FOR_FLOATS(condition_kernels);
LAPL_FOR_FLOATS(tile_kernels);

}  // namespace lapl
