#include "kernels/stages/stage_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "kernels/stages/embedded_headers.hpp"
#include "kernels/stages/rare_parts.hpp"

namespace lapl {
namespace {

// For each operation, true if its value differs from cell to cell along a row.
std::vector<bool> varying_along_rows(const StageTree& tree) {
  return depending_on(tree, [](const StageOperation& node) {
    return node.operation == Operation::value || node.operation == Operation::noise ||
           (node.operation == Operation::position && node.index == 2);
  });
}

std::vector<bool> varying_on_grid(const StageTree& tree) {
  return depending_on(tree, [](const StageOperation& node) {
    return node.operation == Operation::value || node.operation == Operation::position ||
           node.operation == Operation::noise;
  });
}

// The lines (StageLayout::Line) that a leaf reads.
std::vector<StageLayout::Line> lines_read(const StageOperation& node) {
  using Line = StageLayout::Line;
  if (node.operation == Operation::position) return {{Line::coordinates, 0, 0}};
  if (node.operation == Operation::noise)
    return {{Line::low_words, 0, 0}, {Line::high_words, 0, 0}};
  return {{node.index, node.at.plane, node.at.row}};
}

template <class T>
std::size_t place_in(const std::vector<T>& list, const T& value) {
  return std::ranges::find(list, value) - list.begin();
}

// Arguments are the operations that do not vary, but are results or operands of varying ones.
StageArguments stage_arguments(const StageTree& tree, const std::vector<bool>& varying,
                               int row_words) {
  StageArguments arguments{.operations = {}, .draws = {}, .row_words = row_words, .needed = {}};
  const auto use = [&](int operation) {
    if (!varying[operation] && std::ranges::count(arguments.operations, operation) == 0)
      arguments.operations.push_back(operation);
  };
  for (std::size_t i = 0; i < tree.operations.size(); ++i)
    if (tree.operations[i].operation == Operation::noise)
      arguments.draws.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < tree.operations.size(); ++i)
    for (int k = 0; varying[i] && k < table_row(tree.operations[i].operation).operands; ++k)
      use(tree.operations[i].operands[k]);
  for (const int result : tree.results) use(result);
  const std::vector<bool> needed = needed_by(tree, arguments.operations);
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i]) arguments.needed.push_back(static_cast<int>(i));
  return arguments;
}

// Declarations such as "const T v3 = arguments[0];", and the words of noise.
std::string arguments_text(const StageArguments& arguments) {
  std::string text;
  for (std::size_t i = 0; i < arguments.operations.size(); ++i)
    text += fmt::format("    const T v{} = arguments[{}];\n", arguments.operations[i], i);
  if (arguments.draws.empty()) return text;
  const std::size_t words = arguments.words(), first = words + arguments.row_words;
  if (arguments.row_words > 0)
    text += fmt::format(
        "    const lapl::DrawWord row_low = lapl::as_word(arguments[{}]), "
        "row_high = lapl::as_word(arguments[{}]);\n",
        words, words + 1);
  for (std::size_t i = 0; i < arguments.draws.size(); ++i)
    text += fmt::format("    const lapl::DrawWords w{} = lapl::draw_words(arguments + {});\n",
                        arguments.draws[i], first + 4 * i);
  return text;
}

// Prints the reading of a leaf.
using LeafText = std::function<std::string(const StageOperation&, std::size_t place)>;

// Such as "v3, v5".
std::string operands_text(const StageOperation& node) {
  std::string text;
  for (int k = 0; k < table_row(node.operation).operands; ++k)
    text += fmt::format("{}v{}", k > 0 ? ", " : "", node.operands[k]);
  return text;
}

// How functions that branch are called: as they are, by quick functions, or by functions that are
// not inlined, which compile faster. On a GPU divisions branch: `divided` calls them by the
// parameter of the cell's function.
enum class Branching { as_they_are, quick, called, divided };

// Statements such as "const T v7 = lapl::sum(v3, v5);" for each of these operations.
std::string operations_text(const StageTree& tree, const std::vector<bool>& which,
                            const LeafText& leaf, Branching by = Branching::as_they_are) {
  std::string text;
  for (std::size_t i = 0; i < tree.operations.size(); ++i) {
    if (!which[i]) continue;
    const StageOperation& node = tree.operations[i];
    text += fmt::format("    const T v{} = ", i);
    if (!computes(node.operation)) {
      text += leaf(node, i) + ";\n";
      continue;
    }
    const BranchingRow* const branching = branching_row(node.operation);
    const Operation of = tree.operations[node.operands[0]].operation;
    const bool by_bits =
        node.operation == Operation::negative && computes(of) && of != Operation::product;
    std::string name = fmt::format("lapl::{}", table_row(node.operation).name);
    if (by_bits) name = "lapl::negative_of_bits";
    if (branching != nullptr && by == Branching::quick)
      name = fmt::format("lapl::{}", branching->quick);
    if (by == Branching::divided && node.operation == Operation::quotient) name = "divide";
    if (branching != nullptr && by == Branching::called)
      name = fmt::format("called_{}", table_row(node.operation).name);
    text += fmt::format("{}({});\n", name, operands_text(node));
  }
  return text;
}

// Such as "results[0] = v7;" for each result; `store` is the destination of a result.
std::string results_text(const StageTree& tree, const char* store) {
  std::string text;
  for (std::size_t i = 0; i < tree.results.size(); ++i)
    text +=
        "    " + fmt::format(fmt::runtime(store), i) + fmt::format(" = v{};\n", tree.results[i]);
  return text;
}

std::vector<bool> both(std::vector<bool> a, const std::vector<bool>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] && b[i];
  return a;
}

// Statements that set `rare` where a cell needs a rare part. (GCC does not vectorise one condition
// of them all.)
std::string deciding_text(const RareParts& parts) {
  std::string text;
  for (const int operation : parts.where_true)
    text += fmt::format("    rare |= v{} != T(0);\n", operation);
  for (const int operation : parts.where_false)
    text += fmt::format("    rare |= v{} == T(0);\n", operation);
  return text;
}

// For each operation in `which` whose function branches: computes its operands, and sets `rare`
// where the quick function is not right for them. So operands are computed twice in a cell, which
// costs less than a branch: without it a loop takes seven to fifteen times as long.
std::string branching_text(const StageTree& tree, const std::vector<bool>& which,
                           const std::vector<bool>& varying, const LeafText& leaf) {
  std::vector<int> operands;
  std::string text;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const StageOperation& node = tree.operations[i];
    const BranchingRow* const row = which[i] ? branching_row(node.operation) : nullptr;
    if (row == nullptr) continue;
    operands.insert(operands.end(), node.operands.begin(),
                    node.operands.begin() + table_row(node.operation).operands);
    text += fmt::format("    rare |= !lapl::{}({});\n", row->suits, operands_text(node));
  }
  if (text.empty()) return text;
  return operations_text(tree, both(needed_by(tree, operands), varying), leaf, Branching::quick) +
         text;
}

// The cells of a row, in pieces: one without a cell that needs a rare part, or a branch of a
// function, does not compute them.
std::string loops_text(const StageTree& tree, const LeafText& leaf) {
  const std::vector<bool> varying = varying_along_rows(tree);
  const auto loop = [&](const char* begin, const std::string& body) {
    return body.empty() ? body : fmt::format("  for (long i = {}; ++i) {{\n{}  }}\n", begin, body);
  };
  const std::string every =
      operations_text(tree, varying, leaf, Branching::called) + results_text(tree, "o{}[i]");
  const RareParts parts = rare_parts(tree, varying);  // other choices are arguments
  const std::vector<bool> common = both(parts.needed, varying);
  const std::string branching = branching_text(parts.common, common, varying, leaf);
  if (!parts.any() && branching.empty()) return "#pragma omp simd\n" + loop("0; i < count", every);
  const auto function = [&](const char* name, const std::string& body) {
    return fmt::format(
        "  const auto {} = [=](long first, long last) __attribute__((noinline)) {{\n{}  }};\n",
        name, body);
  };
  const auto on_cells = [&](const char* name, const std::string& body) {
    return function(name, "#pragma omp simd\n" + loop("first; i < last", body));
  };
  return on_cells("every", every) +
         on_cells("common", operations_text(parts.common, common, leaf, Branching::quick) +
                                results_text(parts.common, "o{}[i]")) +
         function("is_rare", "  int rare = 0;\n" +
                                 loop("first; i < last",
                                      operations_text(tree, both(parts.deciding, varying), leaf) +
                                          deciding_text(parts)) +
                                 loop("first; i < last", branching) + "  return rare != 0;\n") +
         R"(  const auto piece_end = [=](long first, long size, long most) {
    return first + size < most ? first + size : most;
  };
  for (long first = 0; first < count; first += 128) {
    const long last = piece_end(first, 128, count);
    if (!is_rare(first, last)) common(first, last);
    else
      for (long part = first; part < last; part += 16) {
        const long end = piece_end(part, 16, last);
        is_rare(part, end) ? every(part, end) : common(part, end);
      }
  }
)";
}

// The CPU function of a stage, from its opening brace on.
std::string row_function(const Stage& stage) {
  const StageTree& tree = stage.tree;
  const StageLayout layout = stage_layout(tree);
  std::string text = " {\n";
  for (std::size_t i = 0; i < layout.lines.size(); ++i)
    text += fmt::format("    const T* const l{0} = lines[{0}];\n", i);
  text += arguments_text(layout.arguments);
  for (std::size_t i = 0; i < stage.targets.size(); ++i)
    text += fmt::format("    T* const o{0} = out[{0}];\n", i);
  const auto leaf = [&](const StageOperation& node, std::size_t place) {
    const std::size_t line = place_in(layout.lines, lines_read(node).front());
    if (node.operation == Operation::noise)
      return fmt::format(
          "lapl::draw_in_row<T>(row_low, row_high, lapl::as_word(l{}[i]), "
          "lapl::as_word(l{}[i]), w{})",
          line, place_in(layout.lines, lines_read(node).back()), place);
    return fmt::format("l{}[i + {}]", line, node.at.column);
  };
  return text + loops_text(tree, leaf) + "}\n";
}

// The results of a cell. All threads of a warp read what rare parts read, as they may read it from
// each other.
std::string cell_text(const StageTree& tree, const LeafText& leaf) {
  const std::vector<bool> varying = varying_on_grid(tree);
  const auto results = [](const StageTree& of) { return results_text(of, "results[{}]"); };
  const RareParts parts = rare_parts(tree);
  constexpr auto by = Branching::divided;
  if (!parts.any()) return operations_text(tree, varying, leaf, by) + results(tree);
  std::vector<bool> leaves = varying, others = varying;
  for (std::size_t i = 0; i < varying.size(); ++i)
    (computes(tree.operations[i].operation) ? leaves : others)[i] = false;
  return operations_text(tree, leaves, leaf) +
         operations_text(tree, both(parts.deciding, others), leaf, by) +
         "    bool rare = false;\n" + deciding_text(parts) + "    if (rare) {\n" +
         operations_text(tree, others, leaf, by) + results(tree) + "    } else {\n" +
         operations_text(parts.common, both(parts.needed, others), leaf, by) +
         results(parts.common) + "    }\n";
}

}  // namespace

std::string beginning_of_code(std::size_t value_bytes, const std::string& header) {
  return fmt::format(
      "#define LAPL_RUN_TIME_CODE\n#include \"kernels/stages/noise.hpp\"\n{}using T = {};\n",
      header.empty() ? "" : fmt::format("#include \"{}\"\n", header),
      value_bytes == sizeof(float) ? "float" : "double");
}

StageLayout stage_layout(const StageTree& tree) {
  const std::vector<bool> varying = varying_along_rows(tree);
  StageLayout layout{.lines = {}, .arguments = stage_arguments(tree, varying, 2)};
  const std::vector<bool> common = rare_parts(tree, varying).needed;
  for (std::size_t i = 0; i < tree.operations.size(); ++i) {
    if (!varying[i]) continue;
    const StageOperation& node = tree.operations[i];
    if (node.operation == Operation::noise) layout.arithmetic += 100;
    if (computes(node.operation)) {
      layout.arithmetic += common[i] ? 1 : 0;
      continue;
    }
    for (const StageLayout::Line& line : lines_read(node))
      if (std::ranges::count(layout.lines, line) == 0) layout.lines.push_back(line);
  }
  return layout;
}

std::string stages_source(const std::vector<Stage>& stages, std::size_t value_bytes) {
  std::string functions;
  std::map<std::string, std::size_t> first;  // the index of the first stage with each function
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string function = row_function(stages[i]);
    const auto [known, is_new] = first.try_emplace(function, i);
    functions += fmt::format(
        "extern \"C\" [[gnu::visibility(\"default\"){}]] void stage_{}(const T* const* lines, "
        "const T* arguments, T* const* out, long count){}",
        is_new ? "" : fmt::format(", gnu::alias(\"stage_{}\")", known->second), i,
        is_new ? function : ";\n");
  }
  std::string text = beginning_of_code(value_bytes);
  for (const BranchingRow& row : branching_table) {
    const auto [operands, name] = table_row(row.operation);
    if (functions.find(fmt::format("called_{}(", name)) == std::string::npos) continue;
    text += fmt::format("[[gnu::noinline]] static T called_{0}({1}) {{ return lapl::{0}({2}); }}\n",
                        name, operands == 1 ? "T a" : "T a, T b", operands == 1 ? "a" : "a, b");
  }
  return text + functions;
}

StageArguments kernel_arguments(const StageTree& tree) {
  return stage_arguments(tree, varying_on_grid(tree), 0);
}

std::string cell_function(const StageTree& tree, const std::string& name,
                          const std::string& constants) {
  const auto leaf = [](const StageOperation& node, std::size_t place) {
    const Offset at = node.at;
    if (node.operation == Operation::noise)
      return fmt::format("lapl::draw_in_cell<T>(at.cell(), w{})", place);
    if (node.operation == Operation::position)
      return fmt::format("at.template position<{}, {}>()", node.index,
                         std::array{at.plane, at.row, at.column}[node.index]);
    return fmt::format("at.template value<{}, {}, {}, {}>()", node.index, at.plane, at.row,
                       at.column);
  };
  const bool divides = std::ranges::any_of(tree.operations, [](const StageOperation& node) {
    return node.operation == Operation::quotient;
  });
  return fmt::format(
             "struct {} {{\n  static constexpr int {};\n  static constexpr bool divides = {};\n"
             "  template <class At, class Divide = lapl::ExactDivision>\n  static __device__ "
             "__forceinline__ void make(const At& at, const T* arguments, T* results, Divide&& "
             "divide = Divide()) {{\n",
             name, constants, divides) +
         arguments_text(kernel_arguments(tree)) + cell_text(tree, leaf) + "  }\n};\n";
}

std::map<std::string, std::string> code_headers() {
  std::map<std::string, std::string> headers;
  for (const EmbeddedHeader& header : embedded_headers) headers.emplace(header.name, header.text);
  return headers;
}

}  // namespace lapl
