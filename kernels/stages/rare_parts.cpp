#include "kernels/stages/rare_parts.hpp"

#include <algorithm>

namespace lapl {
namespace {

// Fewer operations cost less than the decision.
constexpr std::ptrdiff_t worth_a_decision = 24;

// Lets all operations that read one read another instead.
void replace(StageTree& tree, int operation, int by) {
  const auto change = [&](int& read) {
    if (read == operation) read = by;
  };
  for (StageOperation& node : tree.operations)
    for (int k = 0; k < table_row(node.operation).operands; ++k) change(node.operands[k]);
  std::ranges::for_each(tree.results, change);
}

enum class Decides { no, where_true, where_false };

// Where the rare part of a choice is needed: at a side, or where a coefficient field such as a mask
// is 0.
Decides decides(const StageTree& tree, int condition) {
  const StageOperation& node = tree.operations[condition];
  if (node.operation == Operation::value)
    return node.at == Offset{} ? Decides::no : Decides::where_false;
  if (node.operation != Operation::is_less) return Decides::no;
  const Operation a = tree.operations[node.operands[0]].operation,
                  b = tree.operations[node.operands[1]].operation;
  const bool of_place = (a == Operation::position && b == Operation::number) ||
                        (a == Operation::number && b == Operation::position);
  return of_place ? Decides::where_true : Decides::no;
}

}  // namespace

RareParts rare_parts(const StageTree& tree, const std::vector<bool>& varying) {
  struct Choice {
    int operation;
    Decides by;
  };
  std::vector<Choice> choices;
  for (int i = 0; i < static_cast<int>(tree.operations.size()); ++i)
    if (const StageOperation& node = tree.operations[i];
        node.operation == Operation::choice && (varying.empty() || varying[i]))
      if (const Decides by = decides(tree, node.operands[0]); by != Decides::no)
        choices.push_back({i, by});
  RareParts parts;
  const auto leave_out = [&](const std::vector<Choice>& which) {
    parts.common = tree;
    for (std::size_t i = which.size(); i-- > 0;) {
      const StageOperation& node = parts.common.operations[which[i].operation];
      replace(parts.common, which[i].operation,
              node.operands[which[i].by == Decides::where_true ? 2 : 1]);
    }
    parts.needed = needed_by(parts.common, parts.common.results);
    return std::ranges::count(parts.needed, true);
  };
  // Choices may share a part, so that only all of them save it.
  auto fewest = leave_out(choices);
  for (std::size_t i = choices.size(); i-- > 0;) {
    std::vector<Choice> others = choices;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (const auto with = leave_out(others); with - fewest < worth_a_decision)
      choices = std::move(others), fewest = with;
  }
  leave_out(choices);
  std::vector<int> deciding;
  for (const auto& [operation, by] : choices) {
    const int condition = tree.operations[operation].operands[0];
    auto& list = by == Decides::where_true ? parts.where_true : parts.where_false;
    if (std::ranges::count(list, condition) == 0) list.push_back(condition);
    deciding.push_back(condition);
  }
  parts.deciding = needed_by(tree, deciding);
  return parts;
}

}  // namespace lapl
