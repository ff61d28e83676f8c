#include <cmath>
#include <utility>

#include "kernels/cuda/kernel_text.hpp"
#include "kernels/cuda/stage_kernels.hpp"

namespace lapl {
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
  plan.first_argument = first_arguments(problem.stages);
  const int arguments = plan.first_argument.back();
  std::size_t slots = 0;
  for (int i = 0; i < stages; ++i) {
    const StageTree& tree = problem.stages[i].tree;
    plan.in_time = plan.in_time || reads_time(tree);
    symmetric = symmetric && properties_of(tree).mirror_symmetric && !reads_positions(tree);
    plan.arithmetic += work_of(tree);
    plan.alive.push_back(alive_at(problem, i));
    slots = std::max(slots, plan.alive.back().size());
  }
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
  std::string text = begin_text("kernels/cuda/run_time/stream.cuh", sizeof(T));
  const std::size_t stages = problem.stages.size();
  for (std::size_t i = 0; i < stages; ++i)
    text += stage_text(problem.stages[i].tree, fmt::format("Stage{}", i),
                       fmt::format("targets = {}", problem.stages[i].targets.size()));
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
    text += table_text("int", "slot_of", slots) + table_text("int", "array_of", in) +
            table_text("int", "made", made) + table_text("bool", "read", read) +
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
  text += table_text("int", "first_argument", plan.first_argument) +
          table_text("lapl::GhostKind", "kind_at", laws) +
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

template StreamPlan stream_plan(const Problem<float>&);
template StreamPlan stream_plan(const Problem<double>&);
template KernelText stream_kernel(const Problem<float>&, const StreamPlan&);
template KernelText stream_kernel(const Problem<double>&, const StreamPlan&);

}  // namespace lapl
