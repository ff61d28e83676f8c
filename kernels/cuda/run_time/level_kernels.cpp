#include "kernels/cuda/run_time/level_kernels.hpp"

#include <utility>

#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/cuda/run_time/kernel_text.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

bool is_given(const auto& problem, int array) {
  return array < problem.step_fields + static_cast<int>(problem.coefficients.size());
}

// Arrays that exist before stage `stage` and are still read, by this or a later stage. Where errors
// are measured, a launch has one step, so fields that it only computes, its errors, do not enter
// it.
template <class T>
std::vector<int> alive_at(const Problem<T>& problem, std::size_t stage) {
  std::vector<int> alive;
  const auto here = problem.stages.begin() + static_cast<std::ptrdiff_t>(stage);
  for (int array = 0; array < problem.arrays(); ++array) {
    const auto reads = [&](const Stage& one) { return reads_array(one.tree, array); };
    const auto writes = [&](const Stage& one) {
      return std::ranges::count(one.targets, array) > 0;
    };
    const bool is_field = array < problem.step_fields;
    const bool is_read = std::ranges::any_of(problem.stages, reads);
    const auto use = std::find_if(here, problem.stages.end(),
                                  [&](const Stage& one) { return reads(one) || writes(one); });
    // The next step reads fields and coefficients too, so every level passes them on.
    const bool is_alive =
        is_given(problem, array) && (is_read || !is_field || !problem.measures_error)
            ? is_field || is_read
            : std::any_of(problem.stages.begin(), here, writes) &&
                  (is_field || (use != problem.stages.end() && reads(*use)));
    if (is_alive) alive.push_back(array);
  }
  return alive;
}

template <class T>
GhostKind ghost_kind(const Problem<T>& problem, int array, int side) {
  const Face<T>& face = axis_faces(problem.faces[array], side / 2).side(side % 2 == 1);
  if (face.varies())
    return reads_positions(problem.conditions[face.condition]) ? GhostKind::along : GhostKind::any;
  if (face.is_constant()) return GhostKind::constant;
  if (face.is_even()) return GhostKind::even;
  return face.a == T(0) ? GhostKind::scaled : GhostKind::affine;
}

// Numbers the lines of cells that a stage reads: 0 the row above, 1 the centre row, 2 the row
// below, 3 the plane before, 4 the plane after. The column does not matter.
int line_number(Offset at) { return at.plane < 0 ? 3 : at.plane > 0 ? 4 : at.row + 1; }

}  // namespace

template <class T>
LevelPlan level_plan(const Problem<T>& problem) {
  LevelPlan plan;
  plan.first_argument = first_arguments(problem.stages);
  for (const VaryingFace& face : varying_faces(problem)) {
    plan.tables += reads_positions(face.condition) ? 1 : 0;
    plan.in_time = plan.in_time || reads_time(face.condition);
  }
  if (has_global_operations(problem))
    plan.unsuitable = "stages read numbers or fields of the whole grid";
  for (std::size_t i = 0; i < problem.stages.size(); ++i) {
    const StageTree& tree = problem.stages[i].tree;
    plan.in_time = plan.in_time || reads_time(tree);
    plan.arithmetic += instruction_count(tree);
    plan.alive.push_back(alive_at(problem, i));
    plan.slots = std::max(plan.slots, static_cast<int>(plan.alive.back().size()));
  }
  plan.alive.emplace_back();
  for (int array = 0; array < problem.arrays(); ++array)
    if (array < problem.step_fields || std::ranges::count(plan.alive.front(), array) > 0)
      plan.alive.back().push_back(array);
  plan.slots = std::max(plan.slots, static_cast<int>(plan.alive.back().size()));
  return plan;
}

std::string why_no_sizes(Shape shape, std::size_t value_bytes,
                         const std::function<bool(Shape)>& fits) {
  constexpr std::int64_t enough_columns = 1024, enough_rows = 64;  // for the largest sizes
  const auto vector = static_cast<std::int64_t>(16 / value_bytes);
  Shape other = shape;
  other.columns = whole_vectors(shape.columns, value_bytes);
  if (shape.axes == 3) other.rows = std::max(shape.rows, enough_rows);
  while (!fits(other) && other.columns < enough_columns) other.columns += vector;
  if (!fits(other)) return "the step has too many operations, arrays or stages for it to pay";
  for (Shape fewer = other; --fewer.rows >= shape.rows && fits(fewer);) other = fewer;
  return fmt::format("{} cells do not fit its pieces ({} would)", shape_text(shape),
                     shape_text(other));
}

template <class T>
std::size_t argument_bytes(const Problem<T>& problem, const LevelPlan& plan, int depth) {
  const std::size_t levels = plan.in_time ? depth : problem.stages.size();
  const std::size_t arguments = plan.first_argument.back() * levels / problem.stages.size();
  std::size_t most_of_face = 0;
  for (const VaryingFace& face : varying_faces(problem))
    most_of_face = std::max(most_of_face, kernel_arguments(face.condition).size() * levels);
  return std::max(arguments + levels * 2 * 6 * problem.arrays(), most_of_face) * sizeof(T) +
         plan.tables * sizeof(FaceTable<T>);
}

template <class T>
KernelText level_kernel(const Problem<T>& problem, const LevelPlan& plan, const LevelText& of) {
  std::string text = beginning_of_code(sizeof(T), of.header);
  const std::size_t stages = problem.stages.size();
  for (std::size_t i = 0; i < stages; ++i)
    text += cell_function(problem.stages[i].tree, fmt::format("Stage{}", i),
                          fmt::format("targets = {}", problem.stages[i].targets.size()));
  text += "template <int stage>\nstruct LevelOf;\n";
  constexpr int lines = 5;
  for (std::size_t i = 0; i < stages; ++i) {
    const std::vector<int>&in = plan.alive[i], &out = plan.alive[i + 1];
    const auto slot = [&](int array) {
      return static_cast<int>(std::ranges::find(in, array) - in.begin());
    };
    std::vector<int> slots, made, read(in.size() * lines * 3);
    for (int array = 0; array < problem.arrays(); ++array) slots.push_back(slot(array));
    for (const int array : out) {
      const auto& targets = problem.stages[i].targets;
      const auto target = std::ranges::find(targets, array);
      made.push_back(target == targets.end() ? -1 - slot(array)
                                             : static_cast<int>(target - targets.begin()));
    }
    for (const StageOperation& node : problem.stages[i].tree.operations)
      if (node.operation == Operation::value)
        read[(slot(node.index) * lines + line_number(node.at)) * 3 + node.at.column + 1] = 1;
    text += fmt::format(
        "template <>\nstruct LevelOf<{}> {{\n  using Stage = Stage{};\n"
        "  static constexpr int in = {}, out = {};\n",
        i, i, in.size(), out.size());
    text += table_text("int", "array_slot", slots) + table_text("int", "slot_array", in) +
            table_text("int", "made", made) + table_text("bool", "read", read) +
            fmt::format(
                "  static __device__ constexpr bool reads(int slot, int line, int column) {{\n"
                "    return read((slot * {} + line) * 3 + column);\n  }}\n}};\n",
                lines);
  }
  std::vector<int> kinds, table, of_columns;
  int tables = 0;
  for (int array = 0; array < problem.arrays(); ++array)
    for (int side = 0; side < 6; ++side) {
      const GhostKind kind = ghost_kind(problem, array, side);
      kinds.push_back(static_cast<int>(kind));
      table.push_back(tables);
      if (kind != GhostKind::along) continue;
      of_columns.push_back(side / 2 == 2 ? 1 : 0);
      ++tables;
    }
  const Faces<T>& faces = problem.faces.front();
  const std::size_t arguments = plan.first_argument.back();
  text += fmt::format(
      "struct Plan {{\n  using T = ::T;\n  using Grid = lapl::{}<T>;\n  {}\n"
      "  static constexpr int fields = {}, stages = {}, arrays = {}, arguments = {};\n"
      "  static constexpr int beyond = {};\n  static constexpr bool varies_columns = {};\n"
      "  static constexpr bool finds_error = {};\n"
      "  static constexpr bool in_time = {}, wraps_planes = {}, wraps_rows = {}, wraps_columns = "
      "{};\n"
      "  template <int stage>\n  using Level = LevelOf<stage>;\n",
      of.grid, of.constants, problem.step_fields, stages, problem.arrays(), arguments,
      whole_vectors(problem.shape.columns, sizeof(T)) - problem.shape.columns,
      std::ranges::count(of_columns, 1) > 0, of.finds_error, plan.in_time, faces.planes.wrap(),
      faces.rows.wrap(), faces.columns.wrap());
  text += table_text("int", "first_argument", plan.first_argument) +
          table_text("lapl::GhostKind", "kind_at", kinds) +
          "  static __device__ constexpr lapl::GhostKind ghost_kind(int array, int side) {\n"
          "    return kind_at(array * 6 + side);\n  }\n" +
          table_text("int", "table_at", table) +
          "  static __device__ constexpr int table(int array, int side) {\n"
          "    return table_at(array * 6 + side);\n  }\n" +
          table_text("bool", "table_of_columns", tables > 0 ? of_columns : std::vector{0}) +
          fmt::format("  static constexpr int tables = {};\n}};\n", plan.tables);
  const std::size_t times = plan.in_time ? of.depth : 1;
  text += fmt::format(
      "extern \"C\" __global__ void __launch_bounds__({}, {}) {}(\n"
      "    const __grid_constant__ Plan::Grid grid,\n"
      "    const __grid_constant__ lapl::Values<lapl::GridIndex, {}> sources,\n"
      "    const __grid_constant__ lapl::Values<T, {}> arguments,\n"
      "    const __grid_constant__ lapl::Values<lapl::GhostCondition<T>, {}> conditions,\n"
      "    const __grid_constant__ lapl::Values<lapl::FaceTable<T>, {}> tables,\n"
      "    const T* __restrict__ from, T* __restrict__ to, lapl::LargestError error) {{\n"
      "  lapl::Magnitude<T> largest = 0;\n"
      "  lapl::{}<Plan>(from, to, {{grid, sources.of, arguments.of, conditions.of, tables.of, "
      "&largest}});\n"
      "  if constexpr (Plan::finds_error) lapl::store_largest<T>(largest, error);\n"
      "}}\n",
      of.threads, of.blocks, of.name, plan.alive.front().size(),
      at_least_one(arguments * (plan.in_time ? times / stages : 1)), times * problem.arrays() * 6,
      at_least_one(plan.tables), of.function);
  text += condition_kernels(problem, times);
  return kernel_text(std::move(text));
}

LAPL_FOR_FLOATS(level_plan);
LAPL_FOR_FLOATS(argument_bytes);
LAPL_FOR_FLOATS(level_kernel);

}  // namespace lapl
