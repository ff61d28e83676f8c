// Stages as C++ text, printed from their trees for compilers at run time. Values that are the same
// in every cell are arguments, so that the text does not depend on parameters' values.
//
// On a CPU a function makes a row, whose position along planes and rows is an argument too:
//
//   extern "C" void stage_0(const T* const* lines, const T* arguments, T* const* out, long count)
//     for each of `count` neighbouring cells: out[target][i] from lines[line][i - 1 ... i + 1]
//
// On a GPU a function makes a cell; the templates of kernels/cuda/run_time call it:
//
//   Stage0::make(at, arguments, results)
//     at.value<array, plane, row, column>() and at.position<axis, offset>() read beside the cell
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "kernels/problem.hpp"

namespace lapl {

/// What a stage's function reads, and in which order.
struct StageLayout {
  /// Cells of an array in a row beside that of the result, or the positions along the columns.
  struct Line {
    int array = 0;  ///< positions: -1
    int plane = 0, row = 0;
    friend bool operator==(const Line&, const Line&) = default;
  };
  std::vector<Line> lines;
  std::vector<int> uniforms;  ///< operations of the tree whose values are arguments
  int arithmetic = 0;         ///< operations a cell that are left
};
StageLayout layout_of(const StageTree& tree);

/// The first lines of a text: headers, and the type T of values that have so many bytes.
std::string beginning_of_code(std::size_t value_bytes, const std::string& header = {});

/// A whole text: functions stage_0, stage_1 ... Stages that differ in arrays and numbers alone
/// share one.
std::string code_of(const std::vector<Stage>& stages, std::size_t value_bytes);

/// The operations whose values are arguments of a GPU's kernels.
std::vector<int> kernel_arguments(const StageTree& tree);
/// A struct with the function of a cell and with `constants` ("rows = 4, targets = 1") of its own.
std::string cell_function(const StageTree& tree, const std::string& name,
                          const std::string& constants);

/// The headers that printed text includes, by name.
std::map<std::string, std::string> code_headers();

}  // namespace lapl
