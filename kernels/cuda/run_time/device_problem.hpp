// A problem in device memory.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/run_time/arguments.hpp"
#include "kernels/cuda/run_time/compiled_kernels.hpp"
#include "kernels/problem.hpp"
#include "kernels/stages/stage_code.hpp"

namespace lapl {

/// A problem with its coefficients and coordinates in device memory. Values that depend only on
/// time are computed on the host, as arguments of kernels.
template <class T>
class DeviceProblem {
 public:
  /// Copies in `stream`; on the device, rows of arrays are `pitch` values apart.
  DeviceProblem(const Problem<T>& problem, std::int64_t pitch, cudaStream_t stream);
  DeviceProblem(const DeviceProblem&) = delete;

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
  /// The arguments of the CUDA kernel of `tree` at a moment, and those at several, one after the
  /// other.
  std::vector<T> arguments(const StageTree& tree, const Moment& at) const {
    return arguments(tree, std::vector{at});
  }
  /// `tree` must live as long as this.
  std::vector<T> arguments(const StageTree& tree, const std::vector<Moment>& at) const;
  /// For each array the conditions of its first and last plane, row and column; NaN where a
  /// condition differs along its face.
  std::vector<GhostCondition<T>> conditions(double time) const;

 private:
  // All that follows from a tree alone is found once: steps whose size varies need arguments each
  // time.
  struct KnownTree {
    StageArguments arguments;
    TreeAt<T> at;
  };

  Problem<T> problem_;
  mutable std::map<const StageTree*, KnownTree> trees_;
  std::int64_t pitch_;
  std::vector<DeviceBuffer<T>> coefficients_;
  DeviceBuffer<T> positions_;
  DeviceBuffer<unsigned long long> cells_before_;  // tables of all axes; empty without noise
};

/// Tables of the conditions that differ along a face, in device memory.
template <class T>
class FaceTables {
 public:
  explicit FaceTables(const DeviceProblem<T>& problem);

  /// Computes in `stream` the conditions at `times` by the conditions_N among `kernels`
  /// (engine_kernels.hpp); those that do not depend on time once, at the first.
  void compute(const CompiledKernels& kernels, const std::vector<double>& times,
               cudaStream_t stream);
  /// Puts each table into its place among those of each array, axis and side.
  void put_into(std::vector<FaceTable<T>>& faces) const;
  /// The tables in the order of arrays, axes and sides, as a parameter: an empty one if none is.
  std::vector<FaceTable<T>> all() const;

 private:
  const DeviceProblem<T>& on_device_;
  std::vector<VaryingFace> faces_;
  std::vector<int> number_;  // of each face among conditions_N
  std::vector<DeviceBuffer<GhostCondition<T>>> conditions_;
  std::vector<FaceTable<T>> tables_;
};

}  // namespace lapl
