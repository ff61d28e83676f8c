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
//     at.value<array, plane, row, column>() and at.position<axis, offset>() read a neighbour
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "kernels/problem.hpp"

namespace lapl {

/// The lines and arguments of a stage's row function, in order.
struct StageLayout {
  /// A row of an array, at an offset from the row of the result, or the coordinates along the
  /// columns.
  struct Line {
    int array = 0;  ///< -1 for coordinates
    int plane = 0, row = 0;
    friend bool operator==(const Line&, const Line&) = default;
  };
  std::vector<Line> lines;
  std::vector<int> uniforms;  ///< operations of the tree whose values are arguments
  int arithmetic = 0;         ///< remaining operations per cell
};
StageLayout layout_of(const StageTree& tree);

/// The beginning of a text: headers, and the type T of values with `value_bytes` bytes.
std::string beginning_of_code(std::size_t value_bytes, const std::string& header = {});

/// A whole text with functions stage_0, stage_1 ... Stages that differ only in arrays and numbers
/// share one function.
std::string code_of(const std::vector<Stage>& stages, std::size_t value_bytes);

/// The operations whose values are arguments of CUDA kernels.
std::vector<int> kernel_arguments(const StageTree& tree);
/// A struct with the function of a cell, and with `constants` such as "rows = 4, targets = 1".
std::string cell_function(const StageTree& tree, const std::string& name,
                          const std::string& constants);

/// The headers that printed text includes, by name.
std::map<std::string, std::string> code_headers();

}  // namespace lapl
