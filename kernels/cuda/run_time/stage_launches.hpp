// A problem in device memory, and the launches of its tile kernels
// (kernels/cuda/run_time/engine_kernels.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/cuda/observe.hpp"
#include "kernels/cuda/run_time/arguments.hpp"
#include "kernels/cuda/run_time/engine_kernels.hpp"
#include "kernels/problem.hpp"

namespace lapl {

/// A problem with its coefficients and coordinates in device memory. Values that depend only on
/// time are computed on the host, as arguments of kernels.
template <class T>
class DeviceProblem {
 public:
  /// Copies in `stream`; on the device, rows of arrays are `pitch` values apart.
  DeviceProblem(const Problem<T>& problem, std::int64_t pitch, cudaStream_t stream);

  const Problem<T>& problem() const { return problem_; }
  std::int64_t pitch() const { return pitch_; }
  /// Number of values of an array, padding included.
  std::int64_t stride() const { return problem_.shape.planes * problem_.shape.rows * pitch_; }
  const T* coefficient(int array) const {
    return coefficients_[array - problem_.step_fields].data();
  }
  /// Points to the coordinate of the node at index 0; axis 0 is planes, 1 rows, 2 columns.
  const T* positions(int axis) const;
  CellIndices cell_indices() const;
  StageGrid<T> grid() const;

  Moment stage_moment(std::int64_t step, const Stage& stage) const;
  void set_clock(const StepTimes& clock) { problem_.clock = clock; }
  void set_reduced(int index, double value) { problem_.reduced[index] = static_cast<T>(value); }
  /// The arguments of the CUDA kernel of `tree` at a moment.
  std::vector<T> arguments(const StageTree& tree, const Moment& at) const;
  /// For each array the conditions of its first and last plane, row and column; NaN where a
  /// condition differs along its face.
  std::vector<GhostCondition<T>> conditions(double time) const;

 private:
  Problem<T> problem_;
  std::int64_t pitch_;
  std::vector<DeviceBuffer<T>> coefficients_;
  DeviceBuffer<T> positions_;
  DeviceBuffer<unsigned long long> cells_before_;  // tables of all axes; empty without noise
};

template <class T>
class DeviceEquations;

/// Steps a problem with one launch for each stage.
template <class T>
class StageTiles {
 public:
  /// Starts to compile the CUDA kernels. Throws EngineUnsuitable if there is no compiler. With
  /// `last_is_lent`, each call of launch_step() supplies the memory of the last array.
  explicit StageTiles(DeviceProblem<T>& problem, bool last_is_lent = false);

  /// Runs one step, after `step` earlier ones, from the fields in `from` to the fields in `to`;
  /// waits for the compiler. `to` may be null if no stage computes a field. `last` is the memory of
  /// the last array.
  void launch_step(const T* from, T* to, std::int64_t step, cudaStream_t stream, T* last = nullptr);

  /// Must be called when the problem's clock has changed.
  void forget_time() { prepared_ = false; }

 private:
  struct Launch {
    Kernel kernel;
    std::vector<T> arguments;
    std::vector<FaceTable<T>> faces;
    // copies of arguments and faces on the device, for kernels with tables in memory; else empty
    DeviceBuffer<T> arguments_in_memory;
    DeviceBuffer<FaceTable<T>> faces_in_memory;
  };

  DeviceEquations<T>* device_equations(int system, cudaStream_t stream);
  bool solve_in_place(DeviceEquations<T>& by, const GridSolve& solve,
                      const std::vector<const T*>& arrays, const std::vector<T*>& written,
                      double time);
  void solve(const GridSolve& solve, const std::vector<const T*>& arrays,
             const std::vector<T*>& written, double time, cudaStream_t stream);
  GridExtremes extremes_at(const T* values, std::int64_t cell, cudaStream_t stream);
  void compute_reductions(const Stage& stage, const std::vector<const T*>& arrays,
                          cudaStream_t stream);
  void prepare(const Moment& at, const Stage& stage, Launch& launch, cudaStream_t stream);
  void lay_conditions(double time, std::vector<FaceTable<T>>& faces, cudaStream_t stream);

  DeviceProblem<T>& on_device_;
  const Problem<T>& problem_;
  std::vector<VaryingFace> varying_;
  CompiledKernels kernels_;
  TileShape tile_;
  StageGrid<T> grid_{};
  bool in_time_ = false, in_memory_ = false, prepared_ = false;
  std::vector<DeviceBuffer<T>> made_;
  DeviceBuffer<ReductionBits> reduction_;
  std::map<std::size_t, DeviceBuffer<GhostCondition<T>>> conditions_;  // key: index in varying_
  std::vector<Launch> launches_;
  std::map<int, std::shared_ptr<DeviceEquations<T>>> equations_;  // by the number of their system
};

}  // namespace lapl
