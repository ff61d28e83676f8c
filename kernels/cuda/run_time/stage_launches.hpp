// The launches of a problem's tile kernels (kernels/cuda/run_time/engine_kernels.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/cuda/observe.hpp"
#include "kernels/cuda/run_time/device_problem.hpp"
#include "kernels/cuda/run_time/engine_kernels.hpp"
#include "kernels/problem.hpp"

namespace lapl {

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

  DeviceProblem<T>& on_device_;
  const Problem<T>& problem_;
  FaceTables<T> tables_;
  CompiledKernels kernels_;
  TileShape tile_;
  StageGrid<T> grid_{};
  bool in_time_ = false, in_memory_ = false, prepared_ = false;
  std::vector<DeviceBuffer<T>> made_;
  DeviceBuffer<ReductionBits> reduction_;
  std::vector<Launch> launches_;
  std::map<int, std::shared_ptr<DeviceEquations<T>>> equations_;  // by the number of their system
};

}  // namespace lapl
