#include "kernels/stage_tree.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

namespace lapl {
namespace {

// How an operation depends on the state, each kind containing those before it.
enum class Dependence : std::uint8_t { none, homogeneous, linear, nonlinear };

Dependence of_sum(Dependence a, Dependence b) {
  const bool one_is_none = (a == Dependence::none) != (b == Dependence::none);
  return std::max({a, b, one_is_none ? Dependence::linear : Dependence::none});
}
Dependence of_product(Dependence a, Dependence b) {
  const bool one_is_none = a == Dependence::none || b == Dependence::none;
  return one_is_none ? std::max(a, b) : Dependence::nonlinear;
}

std::vector<Dependence> dependences(const StageTree& tree) {
  std::vector<Dependence> found;
  for (const StageOperation& node : tree.operations) {
    const auto of = [&](std::size_t operand) { return found[node.operands[operand]]; };
    switch (node.operation) {
      case Operation::value: found.push_back(Dependence::homogeneous); break;
      case Operation::number:
      case Operation::parameter: found.push_back(Dependence::none); break;
      case Operation::add: found.push_back(of_sum(of(0), of(1))); break;
      case Operation::fused_multiply_add:
        found.push_back(of_sum(of_product(of(0), of(1)), of(2)));
        break;
    }
  }
  return found;
}

// Numbers operations, the same for those that give the same bits whatever the values are: factors
// and terms may change places.
class Numbering {
 public:
  /// Those of the results, with each offset times `sign`.
  std::vector<int> results(const StageTree& tree, Offset sign) {
    std::vector<int> numbers;
    for (const StageOperation& node : tree.operations) {
      std::array<int, 3> operands{};
      if (node.operation >= Operation::add)
        for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = numbers[node.operands[i]];
      if (operands[0] > operands[1]) std::swap(operands[0], operands[1]);
      if (node.operation == Operation::add) operands[2] = 0;
      numbers.push_back(known_
                            .try_emplace({node.operation, operands, node.number, node.index,
                                          node.at.plane * sign.plane, node.at.row * sign.row,
                                          node.at.column * sign.column},
                                         static_cast<int>(known_.size()))
                            .first->second);
    }
    std::vector<int> of_results;
    for (const int result : tree.results) of_results.push_back(numbers[result]);
    return of_results;
  }

 private:
  std::map<std::tuple<Operation, std::array<int, 3>, double, int, int, int, int>, int> known_;
};

int append(StageTree& tree, const StageOperation& operation) {
  tree.operations.push_back(operation);
  return static_cast<int>(tree.operations.size()) - 1;
}

}  // namespace

int StageTree::value(int field, Offset at) {
  return append(*this, {.operation = Operation::value, .index = field, .at = at});
}
int StageTree::number(double number) {
  return append(*this, {.operation = Operation::number, .number = number});
}
int StageTree::parameter(int index) {
  return append(*this, {.operation = Operation::parameter, .index = index});
}
int StageTree::add(int a, int b) {
  return append(*this, {.operation = Operation::add, .operands = {a, b}});
}
int StageTree::fused_multiply_add(int a, int b, int c) {
  return append(*this, {.operation = Operation::fused_multiply_add, .operands = {a, b, c}});
}

StageProperties properties_of(const StageTree& tree) {
  StageProperties properties;
  for (const StageOperation& node : tree.operations) {
    properties.arithmetic += node.operation >= Operation::add ? 1 : 0;
    properties.radius = std::max({properties.radius, std::abs(node.at.plane), std::abs(node.at.row),
                                  std::abs(node.at.column)});
  }
  const std::vector<Dependence> of = dependences(tree);
  const auto all_within = [&](Dependence most) {
    return std::ranges::all_of(tree.results, [&](int result) { return of[result] <= most; });
  };
  properties.linear = all_within(Dependence::linear);
  properties.homogeneous = all_within(Dependence::homogeneous);
  Numbering numbering;
  const auto turned = [&](Offset sign) { return numbering.results(tree, sign); };
  const auto as_it_is = turned({1, 1, 1});
  properties.mirror_symmetric = turned({-1, 1, 1}) == as_it_is && turned({1, -1, 1}) == as_it_is &&
                                turned({1, 1, -1}) == as_it_is;
  return properties;
}

StageTree diffusion_tree(int axes) {
  StageTree tree;
  const int centre = tree.value(0, {});
  const auto pair = [&](Offset before, Offset after) {
    const int first = tree.value(0, before);
    return tree.add(first, tree.value(0, after));
  };
  int sum = pair({.column = -1}, {.column = 1});
  if (axes > 1) sum = tree.add(sum, pair({.row = -1}, {.row = 1}));
  if (axes > 2) sum = tree.add(sum, pair({.plane = -1}, {.plane = 1}));
  const int difference = tree.fused_multiply_add(tree.number(-2.0 * axes), centre, sum);
  tree.results = {tree.fused_multiply_add(tree.parameter(0), difference, centre)};
  return tree;
}

}  // namespace lapl
