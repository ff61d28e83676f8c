#include "kernels/cuda/kernel_text.hpp"

#include <array>
#include <utility>

#include "kernels/cuda/stage_kernels.hpp"
#include "kernels/stages/stage_code.hpp"

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

}  // namespace

std::vector<int> kernel_arguments(const StageTree& tree) {
  return arguments_of(tree, varying_on_grid(tree));
}

bool reads_positions(const StageTree& tree) {
  return std::ranges::count(tree.operations, Operation::position, &StageOperation::operation) > 0;
}

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

std::string begin_text(const char* header, std::size_t value_bytes) {
  return fmt::format(
      "#define LAPL_RUN_TIME_CODE\n#include \"kernels/stages/operations.hpp\"\n#include \"{}\"\n"
      "using T = {};\n",
      header, value_bytes == 4 ? "float" : "double");
}

std::string table_text(const char* type, const char* name, const std::vector<int>& values) {
  return fmt::format(
      "  static __device__ constexpr {0} {1}(int i) {{\n"
      "    constexpr int values[] = {{{2}}};\n    return static_cast<{0}>(values[i]);\n  }}\n",
      type, name, fmt::join(values, ", "));
}

KernelText kernel_text(std::string source) {
  return {.source = std::move(source),
          .headers = code_headers(),
          .flags = {"--device-as-default-execution-space"}};
}

bool reads_beside(const StageTree& tree, int Offset::*along) {
  return std::ranges::any_of(tree.operations, [&](const StageOperation& node) {
    return node.operation == Operation::value && node.at.*along != 0;
  });
}

int work_of(const StageTree& tree) {
  int work = 0;
  for (const StageOperation& node : tree.operations) {
    const Operation operation = node.operation;
    if (!computes(operation)) continue;
    const bool slow = operation == Operation::quotient || operation == Operation::square_root;
    work += is_elementary(operation) ? 30 : slow ? 8 : 1;
  }
  return work;
}

std::vector<int> first_arguments(const std::vector<Stage>& stages) {
  std::vector<int> first = {0};
  for (const Stage& stage : stages)
    first.push_back(first.back() + static_cast<int>(kernel_arguments(stage.tree).size()));
  return first;
}

}  // namespace lapl
