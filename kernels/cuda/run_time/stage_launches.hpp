// A problem on a device: what its stages read beside the state, and launches of the kernels that
// are compiled from them (kernels/cuda/run_time/stage_kernels.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/cuda/run_time/arguments.hpp"
#include "kernels/cuda/run_time/stage_kernels.hpp"
#include "kernels/problem.hpp"

namespace lapl {

/// Coefficients and positions in device memory, and what depends on the time alone.
template <class T>
class DeviceProblem {
 public:
  /// Copies in `stream`; arrays lie there with `pitch` values from row to row.
  DeviceProblem(const Problem<T>& problem, std::int64_t pitch, cudaStream_t stream);

  const Problem<T>& problem() const { return problem_; }
  std::int64_t pitch() const { return pitch_; }
  /// Of an array with its padding.
  std::int64_t stride() const { return problem_.shape.planes * problem_.shape.rows * pitch_; }
  const T* coefficient(int array) const { return coefficients_[array - problem_.fields].data(); }
  /// Of the node at index 0; axis: 0 planes, 1 rows, 2 columns.
  const T* positions(int axis) const;
  StageGrid<T> grid() const;

  double time_of(std::int64_t step, const Stage& stage) const;
  /// The arguments of the tree's kernels.
  std::vector<T> arguments(const StageTree& tree, double time) const;
  /// That of a law which is the same all along its face.
  GhostLaw<T> law(const VaryingFace& face, double time) const;
  /// Where it is the same at all times.
  GhostLaw<T> law(int array, int axis, bool last) const;
  /// Of each array: those of its first and last plane, row and column, none of which differs along
  /// its face.
  std::vector<GhostLaw<T>> laws(double time) const;

 private:
  std::vector<T> values_at(const StageTree& tree, const std::vector<int>& operations,
                           double time) const;

  Problem<T> problem_;
  std::int64_t pitch_;
  std::vector<DeviceBuffer<T>> coefficients_;
  DeviceBuffer<T> positions_;
};

/// Takes a step a stage at a time.
template <class T>
class StageTiles {
 public:
  /// Starts to compile; throws EngineUnsuitable where there is nothing to compile with.
  /// `last_is_lent`: the last array, which stages make, lies where take() is told each time.
  explicit StageTiles(const DeviceProblem<T>& problem, bool last_is_lent = false);

  /// The fields of `to` after the step that follows `step` steps, from those of `from`. Waits for
  /// the compiler. `to`: null where no stage makes a field.
  void take(const T* from, T* to, std::int64_t step, cudaStream_t stream, T* last = nullptr);

 private:
  struct Launch {
    Kernel kernel;
    std::vector<T> arguments;
    std::vector<FaceTable<T>> faces;
  };

  void prepare(double time, const Stage& stage, Launch& launch, cudaStream_t stream);
  void lay_laws(double time, std::vector<FaceTable<T>>& faces, cudaStream_t stream);

  const DeviceProblem<T>& on_device_;
  const Problem<T>& problem_;
  CompiledKernels kernels_;
  TileShape tile_;
  StageGrid<T> grid_{};
  bool in_time_ = false;
  std::vector<DeviceBuffer<T>> made_;
  std::map<std::size_t, DeviceBuffer<GhostLaw<T>>> laws_;  // by place in problem.laws
  std::vector<Launch> launches_;
};

}  // namespace lapl
