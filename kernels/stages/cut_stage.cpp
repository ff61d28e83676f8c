#include "kernels/stages/cut_stage.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

// The operations before `begin` whose values others, or results, read.
std::vector<int> values_handed_on(const StageTree& tree, std::size_t begin) {
  const std::vector<bool> varies = depending_on(tree, [](const StageOperation& node) {
    return node.operation == Operation::value || node.operation == Operation::position ||
           node.operation == Operation::noise;
  });
  std::vector<int> handed;
  const auto hand_on = [&](int from) {
    if (static_cast<std::size_t>(from) < begin && varies[from] &&
        computes(tree.operations[from].operation) && std::ranges::count(handed, from) == 0)
      handed.push_back(from);
  };
  for (std::size_t i = begin; i < tree.operations.size(); ++i)
    for (int k = 0; k < table_row(tree.operations[i].operation).operands; ++k)
      hand_on(tree.operations[i].operands[k]);
  for (const int result : tree.results) hand_on(result);
  return handed;
}

struct StageParts {
  StageTree first, second;
};

// The cut before operation `begin`; `arrays` get the values that the first part hands on.
StageParts cut_before(const StageTree& tree, const std::vector<int>& handed,
                      const std::vector<int>& arrays) {
  StageTree first = tree, second = tree;
  first.results = handed;
  for (std::size_t i = 0; i < handed.size(); ++i)
    second.operations[handed[i]] = {.operation = Operation::value, .index = arrays[i]};
  return {without_unused(first), without_unused(second)};
}

}  // namespace

template <class T>
std::optional<Problem<T>> with_last_stage_cut(const Problem<T>& problem) {
  const Stage& last = problem.stages.back();
  std::vector<int> unused;
  const int given = problem.step_fields + static_cast<int>(problem.coefficients.size());
  for (int array = given; array < problem.arrays(); ++array)
    if (!reads_array(last.tree, array) && std::ranges::count(last.targets, array) == 0)
      unused.push_back(array);
  std::optional<Problem<T>> cut;
  int least = instruction_count(last.tree);
  for (std::size_t begin = 1; begin < last.tree.operations.size(); ++begin) {
    const std::vector<int> handed = values_handed_on(last.tree, begin);
    if (handed.empty() || handed.size() > unused.size()) continue;
    StageParts parts = cut_before(last.tree, handed, unused);
    const bool reads_beside =
        std::ranges::any_of(parts.second.operations, [](const StageOperation& node) {
          return node.operation == Operation::value && node.at != Offset{};
        });
    constexpr int to_hand_on = 4;  // what a value costs, in operations
    const int cost = std::max(instruction_count(parts.first), instruction_count(parts.second)) +
                     to_hand_on * static_cast<int>(handed.size());
    if (reads_beside || cost >= least) continue;
    least = cost;
    cut = problem;
    cut->stages.back().tree = std::move(parts.first);
    cut->stages.back().targets.assign(unused.begin(),
                                      unused.begin() + static_cast<std::ptrdiff_t>(handed.size()));
    cut->stages.push_back({std::move(parts.second), last.targets, last.time});
  }
  return cut;
}

LAPL_FOR_FLOATS(with_last_stage_cut);

}  // namespace lapl
