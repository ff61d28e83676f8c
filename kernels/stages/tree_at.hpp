#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/problem.hpp"

namespace lapl {

constexpr Cell beside(Cell cell, Offset at) {
  return {cell.row + at.row, cell.column + at.column, cell.plane + at.plane};
}
/// The index moved by whole periods into a periodic axis of `size` nodes.
constexpr std::int64_t wrapped(std::int64_t index, std::int64_t size) {
  return index >= 0 && index < size ? index : (index % size + size) % size;
}

/// The coordinate z, y or x of a node or ghost; on a periodic axis a ghost has the coordinate of
/// the node at the opposite end.
template <class T>
T position_at(const Problem<T>& problem, int axis, Cell cell) {
  std::int64_t index = by_axis(cell)[axis];
  const std::int64_t size = by_axis(problem.shape)[axis];
  if (problem.part)
    index = problem.part->index_in_grid(axis, index);
  else if (!problem.faces.empty() && axis_faces(problem.faces.front(), axis).wrap())
    index = wrapped(index, size);
  return static_cast<T>(static_cast<double>(index) * problem.spacing[axis]);
}

/// Evaluates a tree in one cell at a time and holds its intermediate results.
template <class T>
class TreeAt {
 public:
  TreeAt(const Problem<T>& problem, const StageTree& tree)
      : problem_(problem), tree_(tree), results_(tree.operations.size()) {}

  /// `value(operation)` returns what a leaf of kind `value` reads.
  template <class Value>
  void evaluate(Cell cell, double time, const Value& value) {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const StageOperation& node = tree_.operations[i];
      switch (node.operation) {
        case Operation::value: results_[i] = value(node); break;
        case Operation::position:
          results_[i] = position_at(problem_, node.index, beside(cell, node.at));
          break;
        case Operation::number: results_[i] = static_cast<T>(node.number); break;
        case Operation::time: results_[i] = static_cast<T>(time); break;
        case Operation::time_step: results_[i] = static_cast<T>(problem_.clock.step); break;
        default:
          with_operation<T>(node.operation, [&](auto of) {
            results_[i] = of(results_[node.operands[0]], results_[node.operands[1]],
                             results_[node.operands[2]]);
          });
      }
    }
  }
  T of_operation(std::size_t place) const { return results_[place]; }
  T result(std::size_t which) const { return results_[tree_.results[which]]; }

 private:
  const Problem<T>& problem_;
  const StageTree& tree_;
  std::vector<T> results_;
};

}  // namespace lapl
