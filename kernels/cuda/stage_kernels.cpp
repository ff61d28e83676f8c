#include "kernels/cuda/stage_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/stage_code.hpp"

namespace lapl {
namespace {

std::vector<bool> varying_on_grid(const StageTree& tree) {
  return made_of(tree, [](const StageOperation& node) {
    return node.operation == Operation::value || node.operation == Operation::position;
  });
}

std::string leaf_text(const StageOperation& node) {
  const Offset at = node.at;
  if (node.operation == Operation::position)
    return fmt::format("at.template position<{}, {}>()", node.index,
                       std::array{at.plane, at.row, at.column}[node.index]);
  return fmt::format("at.template value<{}, {}, {}, {}>()", node.index, at.plane, at.row,
                     at.column);
}

// A struct with the function of a cell and with `constants` of its own.
std::string stage_text(const StageTree& tree, const std::string& name,
                       const std::string& constants) {
  const std::vector<int> arguments = kernel_arguments(tree);
  std::string text = fmt::format(
      "struct {} {{\n  static constexpr int {};\n  template <class At>\n  static __device__ "
      "__forceinline__ void make(const At& at, const T* arguments, T* results) {{\n",
      name, constants);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    text += fmt::format("    const T v{} = arguments[{}];\n", arguments[i], i);
  text += operations_text(tree, varying_on_grid(tree), leaf_text);
  for (std::size_t i = 0; i < tree.results.size(); ++i)
    text += fmt::format("    results[{}] = v{};\n", i, tree.results[i]);
  return text + "  }\n};\n";
}

template <class T>
std::string begin_text(const char* header) {
  return fmt::format(
      "#define LAPL_RUN_TIME_CODE\n#include \"kernels/operations.hpp\"\n#include \"{}\"\n"
      "using T = {};\n",
      header, sizeof(T) == 4 ? "float" : "double");
}

KernelText kernel_text(std::string source) {
  return {.source = std::move(source),
          .headers = code_headers(),
          .flags = {"--device-as-default-execution-space"}};
}

std::size_t at_least_one(std::size_t size) { return std::max<std::size_t>(size, 1); }

int reach(const StageTree& tree, int Offset::*along) {
  return static_cast<int>(std::ranges::any_of(tree.operations, [&](const StageOperation& node) {
    return node.operation == Operation::value && node.at.*along != 0;
  }));
}

// What an operation takes, in instructions, roughly.
int weight(Operation operation) {
  if (!computes(operation)) return 0;
  if (operation >= Operation::exponential && operation <= Operation::power) return 30;
  return operation == Operation::quotient || operation == Operation::square_root ? 8 : 1;
}

}  // namespace

std::vector<int> kernel_arguments(const StageTree& tree) {
  return arguments_of(tree, varying_on_grid(tree));
}

bool reads_positions(const StageTree& tree) {
  return std::ranges::count(tree.operations, Operation::position, &StageOperation::operation) > 0;
}

template <class T>
TileShape tile_shape(const Problem<T>& problem) {
  int most = 0;
  for (const Stage& stage : problem.stages)
    most = std::max(most, properties_of(stage.tree).arithmetic);
  const int cells = most > 200 ? 1 : 4;  // larger code would not be held by the caches
  return problem.shape.rows == 1 ? TileShape{256, 1, 1} : TileShape{64, 4, cells};
}

template <class T>
KernelText tile_kernels(const Problem<T>& problem) {
  std::string text = begin_text<T>("kernels/cuda/run_time/tile.cuh");
  const TileShape tile = tile_shape(problem);
  const int arrays = problem.arrays();
  for (std::size_t i = 0; i < problem.stages.size(); ++i) {
    const StageTree& tree = problem.stages[i].tree;
    const std::size_t targets = tree.results.size();
    text += stage_text(
        tree, fmt::format("Stage{}", i),
        fmt::format("targets = {}, rows = {}, reach_planes = {}, reach_rows = {}", targets,
                    tile.cells, reach(tree, &Offset::plane), reach(tree, &Offset::row)));
    text += fmt::format(
        "extern \"C\" __global__ void __launch_bounds__({0}) tile_{1}(\n"
        "    const __grid_constant__ lapl::StageGrid<T> grid,\n"
        "    const __grid_constant__ lapl::Values<const T*, {2}> arrays,\n"
        "    const __grid_constant__ lapl::Values<T*, {3}> targets,\n"
        "    const __grid_constant__ lapl::Values<T, {4}> arguments,\n"
        "    const __grid_constant__ lapl::Values<lapl::FaceTable<T>, {5}> faces) {{\n"
        "  lapl::make_tile<Stage{1}>(grid, arrays.of, targets.of, arguments.of, faces.of);\n}}\n",
        tile.columns * tile.rows, i, arrays, targets, at_least_one(kernel_arguments(tree).size()),
        6 * arrays);
  }
  for (std::size_t i = 0; i < problem.laws.size(); ++i) {
    const VaryingFace& face = problem.laws[i];
    if (!reads_positions(face.law)) continue;
    text +=
        stage_text(face.law, fmt::format("Face{}", i),
                   fmt::format("axis = {}, last = {}, slow = {}, fast = {}", face.axis,
                               face.last ? 1 : 0, face.axis == 0 ? 1 : 0, face.axis == 2 ? 1 : 2));
    text += fmt::format(
        "extern \"C\" __global__ void laws_{0}(\n"
        "    const __grid_constant__ lapl::StageGrid<T> grid,\n"
        "    const __grid_constant__ lapl::Values<T, {1}> arguments, lapl::GhostLaw<T>* laws) {{\n"
        "  lapl::make_laws<Face{0}>(grid, arguments.of, laws);\n}}\n",
        i, at_least_one(kernel_arguments(face.law).size()));
  }
  return kernel_text(std::move(text));
}

namespace {

bool is_given(const auto& problem, int array) {
  return array < problem.fields + static_cast<int>(problem.coefficients.size());
}

// Arrays that stages from `stage` on read, of those that there are then.
template <class T>
std::vector<int> alive_at(const Problem<T>& problem, std::size_t stage) {
  std::vector<int> alive;
  for (int array = 0; array < problem.arrays(); ++array) {
    const auto reads = [&](const Stage& one) {
      return std::ranges::any_of(one.tree.operations, [&](const StageOperation& node) {
        return node.operation == Operation::value && node.index == array;
      });
    };
    const auto here = problem.stages.begin() + static_cast<std::ptrdiff_t>(stage);
    const bool made = is_given(problem, array) ||
                      std::any_of(problem.stages.begin(), here, [&](const Stage& one) {
                        return std::ranges::count(one.targets, array) > 0;
                      });
    // Coefficients are passed on, to the next step too.
    const auto from = is_given(problem, array) ? problem.stages.begin() : here;
    if (array < problem.fields || (made && std::any_of(from, problem.stages.end(), reads)))
      alive.push_back(array);
  }
  return alive;
}

// How many cells a plan makes for the work that it has, by what was measured on an H200: a warp's
// row takes as long as its levels and 1.7 more, what lies beside a strip and before a segment is
// made for nothing, and memory is waited for once a launch.
double yield_of(const StreamSizes& sizes, Shape shape) {
  constexpr int multiprocessors = 132;
  const double strips = std::ceil(static_cast<double>(shape.columns) / sizes.kept());
  const double rows =
      strips * static_cast<double>(shape.rows) * sizes.warps / (multiprocessors * 8);
  const double made = sizes.levels / (sizes.levels + 1.7) * (sizes.chunks == 1 ? 0.88 : 1) *
                      sizes.kept() / sizes.width() * rows / (rows + sizes.start_rows());
  return 1 / (1 / made + 3.0 / sizes.depth());
}

template <class T>
const Face<T>& face_of(const Problem<T>& problem, int array, int side) {
  const Faces<T>& faces = problem.faces[array];
  const AxisFaces<T>& axis = side < 2 ? faces.rows : faces.columns;
  return side % 2 == 0 ? axis.first : axis.last;
}

template <class T>
GhostKind ghost_kind(const Problem<T>& problem, int array, int side) {
  const bool varies = std::ranges::any_of(problem.laws, [&](const VaryingFace& law) {
    return law.array == array && law.axis == (side < 2 ? 1 : 2) && law.last == (side % 2 == 1);
  });
  const Face<T>& face = face_of(problem, array, side);
  if (varies) return GhostKind::any;
  if (face.is_constant()) return GhostKind::constant;
  if (face.is_even()) return GhostKind::even;
  return face.a == T(0) ? GhostKind::scaled : GhostKind::affine;
}

}  // namespace

template <class T>
StreamPlan stream_plan(const Problem<T>& problem) {
  StreamPlan plan;
  const auto refuse = [&](std::string why) {
    plan.unsuitable = "engine streaming: " + std::move(why);
    return plan;
  };
  const Shape shape = problem.shape;
  if (shape.axes != 2) return refuse("the grid does not have two axes");
  if (std::max(shape.rows, shape.columns) > (1 << 30))
    return refuse("the grid has more than 2^30 rows or columns");
  for (const VaryingFace& face : problem.laws) {
    if (reads_positions(face.law)) return refuse("the law of a face differs along it");
    plan.in_time = plan.in_time || reads_time(face.law);
  }
  const auto stages = static_cast<int>(problem.stages.size());
  bool symmetric = true;
  int arguments = 0;
  std::size_t slots = 0;
  for (int i = 0; i < stages; ++i) {
    const StageTree& tree = problem.stages[i].tree;
    plan.in_time = plan.in_time || reads_time(tree);
    symmetric = symmetric && properties_of(tree).mirror_symmetric && !reads_positions(tree);
    for (const StageOperation& node : tree.operations) plan.arithmetic += weight(node.operation);
    plan.first_argument.push_back(arguments);
    arguments += static_cast<int>(kernel_arguments(tree).size());
    plan.alive.push_back(alive_at(problem, i));
    slots = std::max(slots, plan.alive.back().size());
  }
  plan.first_argument.push_back(arguments);
  plan.alive.push_back(plan.alive.front());
  const bool even = std::ranges::all_of(problem.faces, [](const Faces<T>& faces) {
    return faces.rows.first.is_even() && faces.rows.last.is_even();
  });
  constexpr int deep_rows = 64;  // that rows beyond the grid can be mirrored from
  plan.mirrors_rows = even && symmetric && shape.rows >= deep_rows;
  // Three rows of all levels in 192 registers; in fewer where laws of faces take some too.
  const Faces<T>& faces = problem.faces.front();
  const std::size_t most = faces.rows.wrap() && faces.columns.wrap() ? 16 : 12;
  double best = 0;
  for (const int chunks : {4, 2, 1})
    for (int levels = stages; levels * chunks * slots <= most; levels += stages) {
      const bool wide = chunks > 1;
      const StreamSizes sizes{sizeof(T), static_cast<int>(slots), chunks, levels, wide ? 4 : 2,
                              wide};
      const int code = 4 * sizes.columns() * levels * (plan.arithmetic + 5) / stages;
      const int times = plan.in_time ? sizes.depth() : stages;
      const int values = times * (arguments / stages + 1 + 8 * problem.arrays());
      if (code > 3600 || values * sizeof(T) > 28'000 || sizes.kept() <= 0 ||
          sizes.start_rows() > deep_rows || shape.columns < sizes.width() ||
          shape.columns % sizes.columns() != 0)
        continue;
      if (const double yield = yield_of(sizes, shape); yield > best) {
        best = yield;
        plan.sizes = sizes;
      }
    }
  if (best == 0)
    return refuse(
        "the grid is too narrow, its columns are no multiple of 16 bytes, or the formula is too "
        "long for it to pay");
  plan.blocks = 8 / plan.sizes.warps;
  return plan;
}

template <class T>
KernelText stream_kernel(const Problem<T>& problem, const StreamPlan& plan) {
  std::string text = begin_text<T>("kernels/cuda/run_time/stream.cuh");
  const std::size_t stages = problem.stages.size();
  for (std::size_t i = 0; i < stages; ++i)
    text += stage_text(problem.stages[i].tree, fmt::format("Stage{}", i),
                       fmt::format("targets = {}", problem.stages[i].targets.size()));
  // `name`(index) is the value at that index.
  const auto table = [](const char* type, const char* name, const std::vector<int>& values) {
    return fmt::format(
        "  static __device__ constexpr {0} {1}(int i) {{\n"
        "    constexpr int values[] = {{{2}}};\n    return static_cast<{0}>(values[i]);\n  }}\n",
        type, name, fmt::join(values, ", "));
  };
  text += "template <int stage>\nstruct LevelOf;\n";
  for (std::size_t i = 0; i < stages; ++i) {
    const std::vector<int>&in = plan.alive[i], &out = plan.alive[i + 1];
    const auto slot = [&](int array) {
      return static_cast<int>(std::ranges::find(in, array) - in.begin());
    };
    std::vector<int> slots, made, read(in.size() * 9);
    for (int array = 0; array < problem.arrays(); ++array) slots.push_back(slot(array));
    for (const int array : out) {
      const auto& targets = problem.stages[i].targets;
      const auto target = std::ranges::find(targets, array);
      made.push_back(target == targets.end() ? -1 - slot(array)
                                             : static_cast<int>(target - targets.begin()));
    }
    for (const StageOperation& node : problem.stages[i].tree.operations)
      if (node.operation == Operation::value)
        read[slot(node.index) * 9 + (node.at.row + 1) * 3 + node.at.column + 1] = 1;
    text += fmt::format(
        "template <>\nstruct LevelOf<{}> {{\n  using Stage = Stage{};\n"
        "  static constexpr int in = {}, out = {};\n",
        i, i, in.size(), out.size());
    text += table("int", "slot_of", slots) + table("int", "array_of", in) +
            table("int", "made", made) + table("bool", "read", read) +
            "  static __device__ constexpr bool reads(int slot, int row, int column) {\n"
            "    return read(slot * 9 + row * 3 + column);\n  }\n};\n";
  }
  std::vector<int> laws;
  for (int array = 0; array < problem.arrays(); ++array)
    for (int side = 0; side < 4; ++side)
      laws.push_back(static_cast<int>(ghost_kind(problem, array, side)));
  const StreamSizes& sizes = plan.sizes;
  const Faces<T>& faces = problem.faces.front();
  const int arguments = plan.first_argument.back();
  text += fmt::format(
      "struct Plan {{\n  using T = ::T;\n"
      "  static constexpr lapl::StreamSizes sizes{{{}, {}, {}, {}, {}, {}}};\n"
      "  static constexpr int fields = {}, stages = {}, arrays = {}, arguments = {};\n"
      "  static constexpr bool in_time = {}, wraps_columns = {}, wraps_rows = {}, "
      "mirrors_rows = {};\n"
      "  template <int stage>\n  using Level = LevelOf<stage>;\n",
      sizes.value_bytes, sizes.slots, sizes.chunks, sizes.levels, sizes.warps, sizes.lagged,
      problem.fields, stages, problem.arrays(), arguments, plan.in_time, faces.columns.wrap(),
      faces.rows.wrap(), plan.mirrors_rows);
  text += table("int", "first_argument", plan.first_argument) +
          table("lapl::GhostKind", "kind_at", laws) +
          "  static __device__ constexpr lapl::GhostKind ghost_kind(int array, int side) {\n"
          "    return kind_at(array * 4 + side);\n  }\n};\n";
  const int times = plan.in_time ? sizes.depth() : 1;
  text += fmt::format(
      "extern \"C\" __global__ void __launch_bounds__({}, {}) stream(\n"
      "    const __grid_constant__ lapl::StreamGrid<T> grid,\n"
      "    const __grid_constant__ lapl::Values<lapl::GridIndex, {}> sources,\n"
      "    const __grid_constant__ lapl::Values<T, {}> arguments,\n"
      "    const __grid_constant__ lapl::Values<lapl::GhostLaw<T>, {}> laws,\n"
      "    const T* __restrict__ from, T* __restrict__ to) {{\n"
      "  lapl::stream<Plan>(from, to, {{grid, sources.of, arguments.of, laws.of}});\n}}\n",
      StreamSizes::lanes * sizes.warps, plan.blocks, plan.alive.front().size(),
      at_least_one(arguments * (plan.in_time ? times / stages : 1)), times * problem.arrays() * 4);
  return kernel_text(std::move(text));
}

template TileShape tile_shape(const Problem<float>&);
template TileShape tile_shape(const Problem<double>&);
template KernelText tile_kernels(const Problem<float>&);
template KernelText tile_kernels(const Problem<double>&);
template StreamPlan stream_plan(const Problem<float>&);
template StreamPlan stream_plan(const Problem<double>&);
template KernelText stream_kernel(const Problem<float>&, const StreamPlan&);
template KernelText stream_kernel(const Problem<double>&, const StreamPlan&);

}  // namespace lapl
