// Stages as kernels of CUDA C++, printed from their trees for NVRTC: each a function of one cell,
// put into the templates of kernels/cuda/run_time. What is the same in every cell is an argument,
// so that the text does not depend on parameters' values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/run_time/compiled_kernels.hpp"
#include "kernels/cuda/run_time/stream_sizes.hpp"
#include "kernels/problem.hpp"

namespace lapl {

/// Threads of a block of tile kernels, and cells of a column that each makes.
struct TileShape {
  int columns = 64, rows = 4, cells = 4;
};
template <class T>
TileShape tile_shape(const Problem<T>& problem);

/// Kernels tile_N of each stage, and laws_N of each law that differs along its face:
///   tile_N(StageGrid, const T* of each array, T* of each target, arguments, FaceTable of each
///          array, axis and side)
///   laws_N(StageGrid, arguments, GhostLaw*)
template <class T>
KernelText tile_kernels(const Problem<T>& problem);

/// What a device offers.
struct DeviceLimits {
  int processors = 0;
  int shared_bytes = 0;      ///< of a block
  bool cooperative = false;  ///< launches blocks that wait for each other
};

/// Cells go through levels, a level being a stage of a step.
struct LevelPlan {
  int arithmetic = 0;    ///< operations a cell and step, each by what it takes
  bool in_time = false;  ///< arguments and laws differ from step to step
  int slots = 0;         ///< arrays that there are together, at most
  /// Arrays on their way from each stage to the next; those of the state, then coefficients, first.
  std::vector<std::vector<int>> alive;
  std::vector<int> first_argument;  ///< of each stage, in those of a step; then their number
  std::string unsuitable;           ///< why it cannot, for people; empty where it can
};

/// How a problem on two axes streams.
struct StreamPlan : LevelPlan {
  StreamSizes sizes{};
  int blocks = 1;             ///< of a multiprocessor
  bool mirrors_rows = false;  ///< rows beyond the grid are those inside, mirrored
};
template <class T>
StreamPlan stream_plan(const Problem<T>& problem);

/// Kernel stream(StreamGrid, sources, arguments, laws, from, to).
template <class T>
KernelText stream_kernel(const Problem<T>& problem, const StreamPlan& plan);

/// How a problem on three axes streams.
struct VolumePlan : LevelPlan {
  VolumeSizes sizes{};
};
template <class T>
VolumePlan volume_plan(const Problem<T>& problem, const DeviceLimits& device);

/// Kernel volume(VolumeGrid, sources, arguments, laws, from, to).
template <class T>
KernelText volume_kernel(const Problem<T>& problem, const VolumePlan& plan);

/// How a problem stays on the chip.
struct ResidentPlan {
  static constexpr int warps = 16;  ///< of a block, alone on its multiprocessor
  int tiles_down = 1, tiles_across = 1;
  int rows = 0, columns = 0;       ///< of a tile, at most
  int depth = 1;                   ///< steps between exchanges
  int cells = 1;                   ///< of a column that a thread makes at a time
  std::vector<int> copies, place;  ///< of each array; its first place in shared memory
  int places = 0;                  ///< of all arrays
  std::vector<int> row_margins, column_margins, first_argument;  ///< of each stage; then of a step
  int shared_bytes = 0;
  std::string unsuitable;  ///< why it cannot, for people; empty where it can

  /// Whether it is faster than streaming, where that can be.
  static bool pays(Shape shape) { return shape.cells() <= 512 * 512; }
};
template <class T>
ResidentPlan resident_plan(const Problem<T>& problem, const DeviceLimits& device);

/// Kernel resident(ResidentGrid, sources, arguments, laws, from, to).
template <class T>
KernelText resident_kernel(const Problem<T>& problem, const ResidentPlan& plan);

}  // namespace lapl
