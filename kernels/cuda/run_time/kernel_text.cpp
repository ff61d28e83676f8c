#include "kernels/cuda/run_time/kernel_text.hpp"

#include <utility>

namespace lapl {

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

std::vector<int> first_arguments(const std::vector<Stage>& stages) {
  std::vector<int> first = {0};
  for (const Stage& stage : stages)
    first.push_back(first.back() + static_cast<int>(kernel_arguments(stage.tree).size()));
  return first;
}

}  // namespace lapl
