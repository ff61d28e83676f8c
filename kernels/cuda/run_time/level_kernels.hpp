// The part of the printed streaming kernels that is the same on two and on three axes. Such a
// kernel computes several levels in one launch; a level is a stage of a step
// (kernels/cuda/run_time/levels.cuh).
#pragma once

#include <string>

#include "kernels/cuda/run_time/engine_kernels.hpp"

namespace lapl {

/// The plan of the levels; it does not depend on the grid's size.
template <class T>
LevelPlan level_plan(const Problem<T>& problem);

/// Bytes of arguments and conditions of a kernel that computes `depth` levels per launch.
template <class T>
std::size_t argument_bytes(const Problem<T>& problem, const LevelPlan& plan, int depth);

/// The parts of the text that differ between the streaming kernels.
struct LevelText {
  const char* header;            ///< file name in kernels/cuda/run_time
  const char* name;              ///< name of the kernel
  const char* grid;              ///< type of its first argument
  const char* function;          ///< the function that the kernel calls
  std::string constants;         ///< constants of its plan, as text
  int depth = 1;                 ///< levels in one launch
  int threads = 32, blocks = 1;  ///< threads of a block; blocks on a multiprocessor
};
template <class T>
KernelText level_kernel(const Problem<T>& problem, const LevelPlan& plan, const LevelText& of);

}  // namespace lapl
