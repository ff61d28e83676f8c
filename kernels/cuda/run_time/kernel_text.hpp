// Helpers that print the text of CUDA kernels (kernels/cuda/run_time/engine_kernels.hpp).
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

/// Text of a function for generated code: `name`(i) returns values[i].
std::string table_text(const char* type, const char* name, const std::vector<int>& values);

KernelText kernel_text(std::string source);

/// The size for an array that may be empty: a kernel's argument must have at least one value.
inline std::size_t at_least_one(std::size_t size) { return std::max<std::size_t>(size, 1); }

/// The index of each stage's first argument among the arguments of a step; then their total number.
std::vector<int> first_arguments(const std::vector<Stage>& stages);

}  // namespace lapl
