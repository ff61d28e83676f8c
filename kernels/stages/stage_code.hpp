// Stages as functions of C++, printed from their trees for a compiler at run time. What is the same
// in every cell of a row is an argument, so that the text does not depend on parameters' values:
//
//   extern "C" void stage_0(const T* const* lines, const T* uniforms, T* const* out, long count)
//     for each of `count` neighbouring cells: out[target][i] from lines[line][i - 1 ... i + 1]
#pragma once

#include <cstddef>
#include <functional>
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

/// Functions stage_0, stage_1 ... of values of `number_type` ("float" or "double"); stages that
/// differ in arrays and numbers alone share one.
std::string code_of(const std::vector<Stage>& stages, const std::string& number_type);

/// The operations whose values are arguments where `varying` says which of all are computed.
std::vector<int> arguments_of(const StageTree& tree, const std::vector<bool>& varying);
/// A line of text for each operation that varies: "const T v7 = ..."; `leaf` prints what is read.
std::string operations_text(const StageTree& tree, const std::vector<bool>& varying,
                            const std::function<std::string(const StageOperation&)>& leaf);

/// The headers that printed text includes, by name.
std::map<std::string, std::string> code_headers();

}  // namespace lapl
