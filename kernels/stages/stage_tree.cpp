#include "kernels/stages/stage_tree.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace lapl {
namespace {

// How an operation depends on the state; each kind includes those before it.
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
      case Operation::position:
      case Operation::noise:
      case Operation::number:
      case Operation::time:
      case Operation::time_step: found.push_back(Dependence::none); break;
      case Operation::sum:
      case Operation::difference: found.push_back(of_sum(of(0), of(1))); break;
      case Operation::product: found.push_back(of_product(of(0), of(1))); break;
      case Operation::negative: found.push_back(of(0)); break;
      case Operation::fused_multiply_add:
        found.push_back(of_sum(of_product(of(0), of(1)), of(2)));
        break;
      case Operation::reduced: found.push_back(Dependence::nonlinear); break;
      default: {
        Dependence most = Dependence::none;
        for (int i = 0; i < table_row(node.operation).operands; ++i) most = std::max(most, of(i));
        found.push_back(most == Dependence::none ? most : Dependence::nonlinear);
      }
    }
  }
  return found;
}

// Numbers operations so that equal numbers mean equal bits for all values; operands of sums and
// products may be swapped.
class Numbering {
 public:
  /// The numbers of a tree's results; each offset is multiplied by `sign`.
  std::vector<int> results(const StageTree& tree, Offset sign) {
    std::vector<int> numbers;
    for (const StageOperation& node : tree.operations) {
      std::array<int, 3> operands{};
      for (int i = 0; i < table_row(node.operation).operands; ++i)
        operands[i] = numbers[node.operands[i]];
      if (commutes(node.operation) && operands[0] > operands[1])
        std::swap(operands[0], operands[1]);
      StageOperation turned = node;
      turned.operands = operands;
      turned.at = {node.at.plane * sign.plane, node.at.row * sign.row,
                   node.at.column * sign.column};
      numbers.push_back(
          known_.try_emplace(turned.key(), static_cast<int>(known_.size())).first->second);
    }
    std::vector<int> of_results;
    for (const int result : tree.results) of_results.push_back(numbers[result]);
    return of_results;
  }

 private:
  std::map<decltype(StageOperation().key()), int> known_;
};

bool has_leaf(const StageTree& tree, Operation leaf) {
  return std::ranges::count(tree.operations, leaf, &StageOperation::operation) > 0;
}

}  // namespace

bool commutes(Operation operation) {
  return operation == Operation::sum || operation == Operation::product ||
         operation == Operation::fused_multiply_add;
}

int StageTree::find_or_add(const StageOperation& operation) {
  const auto [known, is_new] =
      places_.try_emplace(operation.key(), static_cast<int>(operations.size()));
  if (is_new) operations.push_back(operation);
  return known->second;
}
int StageTree::value(int array, Offset at) {
  return find_or_add({.operation = Operation::value, .index = array, .at = at});
}
int StageTree::position(int axis, Offset at) {
  return find_or_add({.operation = Operation::position, .index = axis, .at = at});
}
int StageTree::noise(std::uint64_t seed, int use) {
  return find_or_add({.operation = Operation::noise, .seed = seed, .index = use});
}
int StageTree::number(double number) {
  return find_or_add({.operation = Operation::number, .number = number});
}
int StageTree::time() { return find_or_add({.operation = Operation::time}); }
int StageTree::time_step() { return find_or_add({.operation = Operation::time_step}); }
int StageTree::reduced(int reduction) {
  return find_or_add({.operation = Operation::reduced, .index = reduction});
}
int StageTree::operate(Operation operation, int a, int b, int c) {
  return find_or_add({.operation = operation, .operands = {a, b, c}});
}

bool same_results(const StageTree& a, const StageTree& b) {
  Numbering numbering;
  return numbering.results(a, {1, 1, 1}) == numbering.results(b, {1, 1, 1});
}

bool reads_time(const StageTree& tree) {
  return has_leaf(tree, Operation::time) || has_leaf(tree, Operation::noise) ||
         has_leaf(tree, Operation::reduced);
}

bool names_time(const StageTree& tree) { return has_leaf(tree, Operation::time); }

bool reads_positions(const StageTree& tree) {
  return has_leaf(tree, Operation::position) || has_leaf(tree, Operation::noise);
}

bool reads_noise(const StageTree& tree) { return has_leaf(tree, Operation::noise); }

bool reads_beside(const StageTree& tree, int Offset::*along) {
  return std::ranges::any_of(tree.operations, [&](const StageOperation& node) {
    return node.operation == Operation::value && node.at.*along != 0;
  });
}

bool reads_array(const StageTree& tree, int array) {
  return std::ranges::any_of(tree.operations, [&](const StageOperation& node) {
    return node.operation == Operation::value && node.index == array;
  });
}

int instruction_count(const StageTree& tree) {
  int work = 0;
  for (const StageOperation& node : tree.operations) {
    const Operation operation = node.operation;
    if (operation == Operation::noise) work += 100;
    if (!computes(operation)) continue;
    const bool slow = operation == Operation::quotient || operation == Operation::square_root;
    work += is_elementary(operation) ? 30 : slow ? 8 : 1;
  }
  return work;
}

std::vector<bool> needed_by(const StageTree& tree, const std::vector<int>& these) {
  std::vector<bool> needed(tree.operations.size());
  for (const int operation : these) needed[operation] = true;
  for (std::size_t i = needed.size(); i-- > 0;)
    for (int k = 0; needed[i] && k < table_row(tree.operations[i].operation).operands; ++k)
      needed[tree.operations[i].operands[k]] = true;
  return needed;
}

StageTree without_unused(const StageTree& tree) {
  const std::vector<bool> used = needed_by(tree, tree.results);
  StageTree kept;
  std::vector<int> place(used.size());
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    StageOperation node = tree.operations[i];
    for (int k = 0; k < table_row(node.operation).operands; ++k)
      node.operands[k] = place[node.operands[k]];
    place[i] = static_cast<int>(kept.operations.size());
    kept.operations.push_back(node);
  }
  for (const int result : tree.results) kept.results.push_back(place[result]);
  return kept;
}

std::vector<bool> depending_on(const StageTree& tree, bool (*leaf)(const StageOperation&)) {
  std::vector<bool> made;
  for (const StageOperation& node : tree.operations) {
    bool of_leaf = leaf(node);
    for (int i = 0; i < table_row(node.operation).operands; ++i)
      of_leaf = of_leaf || made[node.operands[i]];
    made.push_back(of_leaf);
  }
  return made;
}

std::vector<bool> scalars_in(const StageTree& tree) {
  std::vector<bool> in = depending_on(tree, [](const StageOperation& node) {
    return !computes(node.operation) && node.operation != Operation::number &&
           node.operation != Operation::time && node.operation != Operation::time_step;
  });
  in.flip();
  return in;
}

StageProperties stage_properties(const StageTree& tree) {
  StageProperties properties;
  for (const StageOperation& node : tree.operations) {
    properties.arithmetic += computes(node.operation) ? 1 : 0;
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

StageTree diffusion_tree(int axes, double coefficient) {
  StageTree tree;
  const int centre = tree.value(0, {});
  const auto pair = [&](Offset before, Offset after) {
    const int first = tree.value(0, before);
    return tree.operate(Operation::sum, first, tree.value(0, after));
  };
  const auto less_centre = [&](double times, int sum) {
    return tree.operate(Operation::fused_multiply_add, tree.number(-times), centre, sum);
  };
  int sum = pair({.column = -1}, {.column = 1});
  if (axes > 1) sum = tree.operate(Operation::sum, sum, pair({.row = -1}, {.row = 1}));
  int difference = less_centre(axes > 1 ? 4 : 2, sum);
  if (axes > 2)
    difference =
        tree.operate(Operation::sum, difference, less_centre(2, pair({.plane = -1}, {.plane = 1})));
  tree.results = {
      tree.operate(Operation::fused_multiply_add, tree.number(coefficient), difference, centre)};
  return tree;
}

}  // namespace lapl
