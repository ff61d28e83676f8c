#include "kernels/stages/stage_code.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/stages/embedded_headers.hpp"

namespace lapl {
namespace {

// Of each operation: whether it is computed in every cell, or the same all along a row.
std::vector<bool> varying_along_rows(const StageTree& tree) {
  return made_of(tree, [](const StageOperation& node) {
    return node.operation == Operation::value ||
           (node.operation == Operation::position && node.index == 2);
  });
}

StageLayout::Line line_of(const StageOperation& node) {
  if (node.operation == Operation::position) return {-1, 0, 0};
  return {node.index, node.at.plane, node.at.row};
}

template <class T>
std::size_t place_in(const std::vector<T>& list, const T& value) {
  return std::ranges::find(list, value) - list.begin();
}

std::string body_text(const Stage& stage) {
  const StageTree& tree = stage.tree;
  const StageLayout layout = layout_of(tree);
  const std::vector<bool> varying = varying_along_rows(tree);
  std::string text = " {\n";
  for (std::size_t i = 0; i < layout.lines.size(); ++i)
    text += fmt::format("  const T* const l{0} = lines[{0}];\n", i);
  for (std::size_t i = 0; i < layout.uniforms.size(); ++i)
    text += fmt::format("  const T v{} = uniforms[{}];\n", layout.uniforms[i], i);
  for (std::size_t i = 0; i < stage.targets.size(); ++i)
    text += fmt::format("  T* const o{0} = out[{0}];\n", i);
  text += "#pragma omp simd\n  for (long i = 0; i < count; ++i) {\n";
  text += operations_text(tree, varying, [&](const StageOperation& node) {
    return fmt::format("l{}[i + {}]", place_in(layout.lines, line_of(node)), node.at.column);
  });
  for (std::size_t i = 0; i < stage.targets.size(); ++i)
    text += fmt::format("    o{}[i] = v{};\n", i, tree.results[i]);
  return text + "  }\n}\n";
}

}  // namespace

std::vector<int> arguments_of(const StageTree& tree, const std::vector<bool>& varying) {
  std::vector<int> arguments;
  const auto use = [&](int operation) {
    if (!varying[operation] && std::ranges::count(arguments, operation) == 0)
      arguments.push_back(operation);
  };
  for (std::size_t i = 0; i < tree.operations.size(); ++i)
    for (int k = 0; varying[i] && k < row_of(tree.operations[i].operation).operands; ++k)
      use(tree.operations[i].operands[k]);
  for (const int result : tree.results) use(result);
  return arguments;
}

std::string operations_text(const StageTree& tree, const std::vector<bool>& varying,
                            const std::function<std::string(const StageOperation&)>& leaf) {
  std::string text;
  for (std::size_t i = 0; i < tree.operations.size(); ++i) {
    if (!varying[i]) continue;
    const StageOperation& node = tree.operations[i];
    text += fmt::format("    const T v{} = ", i);
    if (!computes(node.operation)) {
      text += leaf(node) + ";\n";
      continue;
    }
    std::string operands;
    for (int k = 0; k < row_of(node.operation).operands; ++k)
      operands += fmt::format("{}v{}", k > 0 ? ", " : "", node.operands[k]);
    const Operation of = tree.operations[node.operands[0]].operation;
    const bool sum =
        node.operation == Operation::negative && computes(of) && of != Operation::product;
    text += fmt::format("lapl::{}({});\n", sum ? "negative_sum" : row_of(node.operation).name,
                        operands);
  }
  return text;
}

StageLayout layout_of(const StageTree& tree) {
  const std::vector<bool> varying = varying_along_rows(tree);
  StageLayout layout{.lines = {}, .uniforms = arguments_of(tree, varying)};
  for (std::size_t i = 0; i < tree.operations.size(); ++i) {
    if (!varying[i]) continue;
    const StageOperation& node = tree.operations[i];
    if (computes(node.operation))
      ++layout.arithmetic;
    else if (const auto line = line_of(node); std::ranges::count(layout.lines, line) == 0)
      layout.lines.push_back(line);
  }
  return layout;
}

std::string code_of(const std::vector<Stage>& stages, const std::string& number_type) {
  std::string text = fmt::format(
      "#define LAPL_RUN_TIME_CODE\n#include \"kernels/stages/operations.hpp\"\nusing T = {};\n",
      number_type);
  std::map<std::string, std::size_t> first;  // with each body
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string body = body_text(stages[i]);
    const auto [known, is_new] = first.try_emplace(body, i);
    text += fmt::format(
        "extern \"C\" [[gnu::visibility(\"default\"){}]] void stage_{}(const T* const* lines, "
        "const T* uniforms, T* const* out, long count){}",
        is_new ? "" : fmt::format(", gnu::alias(\"stage_{}\")", known->second), i,
        is_new ? body : ";\n");
  }
  return text;
}

std::map<std::string, std::string> code_headers() {
  std::map<std::string, std::string> headers;
  for (const EmbeddedHeader& header : embedded_headers) headers.emplace(header.name, header.text);
  return headers;
}

}  // namespace lapl
