// Pieces of the text of kernels that are printed from stages
// (kernels/cuda/run_time/stage_kernels.hpp).
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cuda/run_time/compiled_kernels.hpp"
#include "kernels/problem.hpp"
#include "kernels/stages/stage_code.hpp"

namespace lapl {

/// A member function of a plan: `name`(index) is the value at that index.
std::string table_text(const char* type, const char* name, const std::vector<int>& values);

KernelText kernel_text(std::string source);

/// Arrays of kernel arguments cannot be empty.
inline std::size_t at_least_one(std::size_t size) { return std::max<std::size_t>(size, 1); }

/// The place of each stage's first argument among all of a step; then their number.
std::vector<int> first_arguments(const std::vector<Stage>& stages);

}  // namespace lapl
