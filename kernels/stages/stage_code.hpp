// Stages as C++ text, printed from their trees for compilers at run time. Values that are the same
// in every cell are arguments, so that the text does not depend on the values of parameters.
//
// On a CPU a function computes a row. The row's coordinates along planes and rows are arguments,
// too:
//
//   extern "C" void stage_0(const T* const* lines, const T* arguments, T* const* out, long count)
//     for each of `count` neighbouring cells: out[target][i] from lines[line][i - 1 ... i + 1]
//
// On a GPU a function computes a cell; the templates of kernels/cuda/run_time call it:
//
//   Stage0::make(at, arguments, results)
//     at.value<array, plane, row, column>() and at.position<axis, offset>() read a neighbour;
//     at.cell() is the index of the cell in the whole grid
//
// A stage that draws noise has more arguments after the others: words (kernels/stages/noise.hpp),
// first those of its row (on a CPU alone), then those of each draw: its step's and its key's.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "kernels/problem.hpp"
#include "kernels/stages/tree_at.hpp"

namespace lapl {

/// The arguments of a stage's function.
struct StageArguments {
  std::vector<int> operations;  ///< operations of the tree whose values are arguments
  std::vector<int> draws;       ///< operations of the tree that are noise
  int row_words = 0;            ///< 2 if a row's words are among the arguments
  std::vector<int> needed;      ///< `operations` and what they follow from, in order

  std::size_t size() const {
    return operations.size() + (draws.empty() ? 0 : row_words + 4 * draws.size());
  }
  /// The index of the first word of noise among the arguments.
  std::size_t words() const { return operations.size(); }

  /// The arguments at `cell` and a moment.
  template <class T>
  std::vector<T> values(TreeAt<T>& tree, Cell cell, const Moment& at) const {
    const auto no_value = [](const StageOperation&) { return T(0); };
    for (const int operation : needed) tree.evaluate(operation, cell, at, no_value);
    std::vector<T> values;
    for (const int operation : operations) values.push_back(tree.of_operation(operation));
    if (draws.empty()) return values;
    const auto add = [&](DrawWord low, DrawWord high) {
      values.push_back(with_word<T>(low));
      values.push_back(with_word<T>(high));
    };
    if (row_words > 0) add(0, 0), set_row(values.data(), tree.problem(), cell);
    for (const int draw : draws) {
      const DrawWords words = tree.words(draw, at);
      add(words.step_low, words.step_high);
      add(words.key_low, words.key_high);
    }
    return values;
  }
  /// Sets the words of the row of cell `row`, if the stage draws noise; returns `values`.
  template <class T>
  T* set_row(T* values, const Problem<T>& problem, Cell row) const {
    if (draws.empty()) return values;
    const std::uint64_t before = row_in_grid(problem, row);
    values[words()] = with_word<T>(low_word(before));
    values[words() + 1] = with_word<T>(high_word(before));
    return values;
  }
};

/// The lines and arguments of a stage's row function, in order.
struct StageLayout {
  /// Values for each column that a stage reads: a row of `array`, at an offset from the row of the
  /// result, or one of the constants: the coordinates, or (for noise) the low or high 32 bits of
  /// the column's index in the whole grid.
  struct Line {
    static constexpr int coordinates = -1, low_words = -2, high_words = -3;
    int array = 0;
    int plane = 0, row = 0;
    friend bool operator==(const Line&, const Line&) = default;
  };
  std::vector<Line> lines;
  StageArguments arguments;
  int arithmetic = 0;  ///< operations per cell that are not arguments
};
StageLayout stage_layout(const StageTree& tree);

/// The beginning of a text: headers, and the type T of values with `value_bytes` bytes.
std::string beginning_of_code(std::size_t value_bytes, const std::string& header = {});

/// A whole text with functions stage_0, stage_1 ... Stages that differ only in arrays and numbers
/// share one function.
std::string stages_source(const std::vector<Stage>& stages, std::size_t value_bytes);

/// The arguments of a stage's function in a CUDA kernel.
StageArguments kernel_arguments(const StageTree& tree);
/// A struct with the function of a cell, and with `constants` such as "rows = 4, targets = 1".
std::string cell_function(const StageTree& tree, const std::string& name,
                          const std::string& constants);

/// The headers that printed text includes, by name.
std::map<std::string, std::string> code_headers();

}  // namespace lapl
