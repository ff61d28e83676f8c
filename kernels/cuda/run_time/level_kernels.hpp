// What the texts of kernels have in common in which cells go through levels, a level being a stage
// of a step (kernels/cuda/run_time/levels.cuh).
#pragma once

#include <string>

#include "kernels/cuda/run_time/stage_kernels.hpp"

namespace lapl {

/// That of a problem, whatever its sizes are.
template <class T>
LevelPlan level_plan(const Problem<T>& problem);

/// Of a kernel with so many levels in a launch: what arguments and laws take.
template <class T>
std::size_t argument_bytes(const Problem<T>& problem, const LevelPlan& plan, int depth);

/// What is a kernel's own.
struct LevelText {
  const char* header;            ///< of kernels/cuda/run_time
  const char* name;              ///< of the kernel
  const char* grid;              ///< its first argument's type
  const char* function;          ///< that it calls
  std::string constants;         ///< of its plan
  int depth = 1;                 ///< levels in a launch
  int threads = 32, blocks = 1;  ///< of a block; of a multiprocessor
};
template <class T>
KernelText level_kernel(const Problem<T>& problem, const LevelPlan& plan, const LevelText& of);

}  // namespace lapl
