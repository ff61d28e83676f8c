// Pieces of the text of kernels that are printed from stages (kernels/cuda/stage_kernels.hpp).
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cuda/compiled_kernels.hpp"
#include "kernels/problem.hpp"

namespace lapl {

/// A struct with the function of a cell and with `constants` of its own.
std::string stage_text(const StageTree& tree, const std::string& name,
                       const std::string& constants);

/// What a text begins with: its header, of kernels/cuda/run_time, and the type T.
std::string begin_text(const char* header, std::size_t value_bytes);

/// A member function of a plan: `name`(index) is the value at that index.
std::string table_text(const char* type, const char* name, const std::vector<int>& values);

KernelText kernel_text(std::string source);

/// Arrays of kernel arguments cannot be empty.
inline std::size_t at_least_one(std::size_t size) { return std::max<std::size_t>(size, 1); }

/// Whether the tree reads beside the cell along that axis.
bool reads_beside(const StageTree& tree, int Offset::*along);

/// What the operations of a cell take, in instructions, roughly.
int work_of(const StageTree& tree);

/// Of a step: where the arguments of each stage begin among all; then how many there are.
std::vector<int> first_arguments(const std::vector<Stage>& stages);

}  // namespace lapl
