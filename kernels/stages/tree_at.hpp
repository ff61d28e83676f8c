#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/problem.hpp"
#include "kernels/stages/noise.hpp"

namespace lapl {

constexpr Cell beside(Cell cell, Offset at) {
  return {cell.row + at.row, cell.column + at.column, cell.plane + at.plane};
}
/// The index moved by whole periods into a periodic axis of `size` nodes.
constexpr std::int64_t wrapped(std::int64_t index, std::int64_t size) {
  return index >= 0 && index < size ? index : (index % size + size) % size;
}

/// The index in the whole grid of a node or ghost along an axis; on a periodic axis a ghost has the
/// index of the node at the opposite end.
template <class T>
std::int64_t index_in_grid(const Problem<T>& problem, int axis, std::int64_t index) {
  if (problem.part) return problem.part->index_in_grid(axis, index);
  if (!problem.faces.empty() && axis_faces(problem.faces.front(), axis).wrap())
    return wrapped(index, by_axis(problem.shape)[axis]);
  return index;
}
/// The coordinate z, y or x of a node or ghost relative to the first node, or to Problem::middle.
template <class T>
T position_at(const Problem<T>& problem, int axis, Cell cell) {
  const auto index = static_cast<double>(index_in_grid(problem, axis, by_axis(cell)[axis]));
  return static_cast<T>((index - problem.middle[axis]) * problem.spacing[axis]);
}
/// An index along one axis, times the cells from one node of the whole grid to the next along it.
/// The index of a cell in the whole grid is the sum over the axes.
template <class T>
std::uint64_t cells_before(const Problem<T>& problem, int axis, std::int64_t index) {
  const Shape whole = problem.part ? problem.part->whole : problem.shape;
  const std::array<std::int64_t, 3> stride = {whole.rows * whole.columns, whole.columns, 1};
  return static_cast<std::uint64_t>(index_in_grid(problem, axis, index) * stride[axis]);
}
/// The index in the whole grid of the cell in column 0 of the grid, in the row of `cell`.
template <class T>
std::uint64_t row_in_grid(const Problem<T>& problem, Cell cell) {
  return cells_before(problem, 0, cell.plane) + cells_before(problem, 1, cell.row);
}

constexpr DrawWord low_word(std::uint64_t number) { return static_cast<DrawWord>(number); }
constexpr DrawWord high_word(std::uint64_t number) { return static_cast<DrawWord>(number >> 32); }
/// The words of a noise at a step. They differ between any two noises and steps, as long as there
/// are fewer than 2^44 steps and 2^20 noises.
inline DrawWords noise_words(const StageOperation& noise, std::int64_t step) {
  const auto number = static_cast<std::uint64_t>(step);
  const auto use = static_cast<DrawWord>(noise.index);
  const DrawWord seed_high = high_word(noise.seed);
  if (seed_high == 0) return {low_word(number), high_word(number), low_word(noise.seed), use};
  return {low_word(number), high_word(number) ^ (use + 1) << 12, low_word(noise.seed), seed_high};
}

/// Evaluates a tree in one cell at a time, and stores the values of all its operations.
template <class T>
class TreeAt {
 public:
  TreeAt(const Problem<T>& problem, const StageTree& tree)
      : problem_(problem),
        tree_(tree),
        results_(tree.operations.size()),
        exact_(tree.operations.size()),
        scalar_(scalars_in(tree)),
        of_time_(depending_on(
            tree, [](const StageOperation& node) { return node.operation == Operation::time; })) {}

  /// `value(operation)` returns the value that a leaf of kind Operation::value reads.
  template <class Value>
  void evaluate(Cell cell, const Moment& at, const Value& value) {
    for (std::size_t i = 0; i < results_.size(); ++i) evaluate(i, cell, at, value);
  }
  /// Evaluates one operation, after its operands.
  template <class Value>
  void evaluate(std::size_t i, Cell cell, const Moment& at, const Value& value) {
    const StageOperation& node = tree_.operations[i];
    switch (node.operation) {
      case Operation::value: results_[i] = value(node); break;
      case Operation::position:
        results_[i] = position_at(problem_, node.index, beside(cell, node.at));
        break;
      case Operation::noise: {
        const std::uint64_t index =
            row_in_grid(problem_, cell) + cells_before(problem_, 2, cell.column);
        results_[i] = draw_in_cell<T>(index, noise_words(node, at.step));
        break;
      }
      case Operation::number: set(i, node.number); break;
      case Operation::time: set(i, at.time); break;
      case Operation::time_step: set(i, problem_.clock.step); break;
      case Operation::reduced: results_[i] = problem_.reduced[node.index]; break;
      default:
        if (scalar_[i]) compute(i, node, exact_);
        if (scalar_[i] && of_time_[i])
          results_[i] = static_cast<T>(exact_[i]);
        else
          compute(i, node, results_);
    }
  }
  T of_operation(std::size_t place) const { return results_[place]; }
  DrawWords words(std::size_t noise, const Moment& at) const {
    return noise_words(tree_.operations[noise], at.step);
  }
  const Problem<T>& problem() const { return problem_; }
  T result(std::size_t which) const { return results_[tree_.results[which]]; }

 private:
  template <class Value>
  static void compute(std::size_t i, const StageOperation& node, std::vector<Value>& results) {
    with_operation<Value>(node.operation, [&](auto of) {
      results[i] =
          of(results[node.operands[0]], results[node.operands[1]], results[node.operands[2]]);
    });
  }
  void set(std::size_t i, double value) {
    exact_[i] = value;
    results_[i] = static_cast<T>(value);
  }

  const Problem<T>& problem_;
  const StageTree& tree_;
  std::vector<T> results_;
  // Values of operations on the time, dt and numbers alone, in float64. Values that depend on the
  // time are rounded once, as results.
  std::vector<double> exact_;
  std::vector<bool> scalar_, of_time_;
};

}  // namespace lapl
