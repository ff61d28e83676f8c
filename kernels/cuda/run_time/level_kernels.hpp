// The part of the printed streaming kernels that is the same on two and on three axes. Such a
// kernel computes several levels in one launch; a level is a stage of a step
// (kernels/cuda/run_time/levels.cuh).
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "kernels/cuda/run_time/engine_kernels.hpp"

namespace lapl {

/// The plan of the levels; it does not depend on the grid's size.
template <class T>
LevelPlan level_plan(const Problem<T>& problem);

/// Bytes of arguments and conditions of a kernel that computes `depth` levels per launch.
template <class T>
std::size_t argument_bytes(const Problem<T>& problem, const LevelPlan& plan, int depth);

/// A message on why no sizes of a kernel fit a grid: with the next larger grid that some fit, if
/// any do. `fits(shape)` is true for the shapes that sizes fit.
std::string why_no_sizes(Shape shape, std::size_t value_bytes,
                         const std::function<bool(Shape)>& fits);

/// The parts of the text that differ between the streaming kernels.
struct LevelText {
  const char* header;            ///< file name in kernels/cuda/run_time
  const char* name;              ///< name of the kernel
  const char* grid;              ///< type of its first argument
  const char* function;          ///< the function that the kernel calls
  std::string constants;         ///< constants of its plan, as text
  int depth = 1;                 ///< levels in one launch
  int threads = 32, blocks = 1;  ///< threads of a block; blocks on a multiprocessor
  bool finds_error = false;      ///< the kernel finds the largest error of a step
};
template <class T>
KernelText level_kernel(const Problem<T>& problem, const LevelPlan& plan, const LevelText& of);

}  // namespace lapl
