// CUDA C++ kernels printed from the trees of stages, for NVRTC. Each stage becomes a function of
// one cell in a template of kernels/cuda/run_time. Values that are the same in every cell are
// arguments, so that the text does not depend on the values of parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/run_time/compiled_kernels.hpp"
#include "kernels/cuda/run_time/stream_sizes.hpp"
#include "kernels/problem.hpp"

namespace lapl {

/// The size of a block of tile kernels in threads, and the cells of a column that each thread
/// computes.
struct TileShape {
  int columns = 64, rows = 4, cells = 4;
};
template <class T>
TileShape tile_shape(const Problem<T>& problem);

/// The text of the CUDA kernels conditions_N, one for each condition that differs along its face,
/// which compute it at `levels` times with the arguments of each:
///   conditions_N(StageGrid, arguments, GhostCondition*)
template <class T>
std::string condition_kernels(const Problem<T>& problem, std::size_t levels);

/// The text of condition_kernels() and of the CUDA kernels tile_N, one for each stage:
///   tile_N(StageGrid, const T* of each array, T* of each target, arguments, FaceTable of each
///          array, axis and side)
/// If has_tables_in_memory(), the parameters of tile_N are pointers to the arguments and to the
/// face tables.
template <class T>
KernelText tile_kernels(const Problem<T>& problem);

/// Bytes of parameters that a kernel may have: 32,764 by CUDA, less some for alignment.
inline constexpr std::size_t most_parameter_bytes = 32'000;

/// True if the arguments and face tables of a tile kernel are more than its parameters may hold.
template <class T>
bool has_tables_in_memory(const Problem<T>& problem);

/// Limits of a device that plans depend on.
struct DeviceLimits {
  int processors = 0;
  int shared_bytes = 0;      ///< largest shared memory of a block, in bytes
  bool cooperative = false;  ///< supports cooperative launches
};

/// The levels of a streaming kernel: a level is a stage of a step, and each cell goes through the
/// levels of several steps in one launch.
struct LevelPlan {
  int arithmetic = 0;    ///< operations per cell and step, weighted by their cost
  bool in_time = false;  ///< arguments or conditions differ from step to step
  int tables = 0;        ///< faces of arrays along which conditions differ
  int slots = 0;         ///< largest number of arrays that enter a stage or leave the step
  /// alive[s]: the arrays that enter stage s, first the fields, then the coefficients; the last
  /// element: those that leave the step
  std::vector<std::vector<int>> alive;
  /// first_argument[s] is where the arguments of stage s begin; the last element is their number
  std::vector<int> first_argument;
  std::string unsuitable;  ///< why no plan is possible; else empty
};

/// The plan of the streaming engine on two axes.
struct StreamPlan : LevelPlan {
  StreamSizes sizes{};
  int blocks = 1;             ///< blocks that run at once on a multiprocessor
  bool mirrors_rows = false;  ///< rows beyond the grid are mirror images of its rows
};
template <class T>
StreamPlan stream_plan(const Problem<T>& problem, const DeviceLimits& device);

/// The text of kernel stream(StreamGrid, sources, arguments, conditions, tables, from, to,
/// LargestError) and of condition_kernels().
template <class T>
KernelText stream_kernel(const Problem<T>& problem, const StreamPlan& plan);

/// The plan of the streaming engine on three axes.
struct VolumePlan : LevelPlan {
  VolumeSizes sizes{};
};
template <class T>
VolumePlan volume_plan(const Problem<T>& problem, const DeviceLimits& device);

/// The text of kernel volume, which has the parameters of kernel stream.
template <class T>
KernelText volume_kernel(const Problem<T>& problem, const VolumePlan& plan);

/// The plan of the resident engine.
struct ResidentPlan {
  static constexpr int warps = 16;  ///< warps of a block; each multiprocessor runs one block
  int tiles_down = 1, tiles_across = 1;
  int rows = 0, columns = 0;       ///< size of the largest tile
  int depth = 1;                   ///< steps from one exchange of halos to the next
  int cells = 1;                   ///< cells of a column that a thread computes together
  std::vector<int> copies, place;  ///< copies of each array; its first place in shared memory
  int places = 0;                  ///< copies of all arrays: values in shared memory per cell
  /// for each stage: cells beyond the tile in which it is computed, and its first argument; then
  /// for a step: the cells of halo that it uses up, and the number of its arguments
  std::vector<int> row_margins, column_margins, first_argument;
  int shared_bytes = 0;
  std::string unsuitable;  ///< why no plan is possible; else empty

  /// True if resident is faster than streaming, where both can step. Streaming finds the largest
  /// error of a step while it stores the errors.
  template <class T>
  static bool pays(const Problem<T>& problem) {
    return !problem.measures_error && problem.shape.cells() <= 512 * 512;
  }
};
template <class T>
ResidentPlan resident_plan(const Problem<T>& problem, const DeviceLimits& device);

/// The text of kernel resident(ResidentGrid, sources, arguments, conditions, from, to).
template <class T>
KernelText resident_kernel(const Problem<T>& problem, const ResidentPlan& plan);

}  // namespace lapl
