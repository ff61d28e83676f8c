// Launches that run many steps of a problem each. Their CUDA kernels are compiled while the run
// begins with tile kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/run_time/stage_launches.hpp"

namespace lapl {

template <class T>
class StagePasses {
 public:
  virtual ~StagePasses() = default;

  bool ready();                                ///< true once it can compute steps; never waits
  bool settled() { return kernels_.ready(); }  ///< true once the compiler has ended
  void wait() { kernels_.wait(); }
  /// A message on how steps are computed, or why this kernel cannot compute them.
  std::string how();
  /// Runs as many of `steps` steps as whole launches can run, from the fields in `from` to those
  /// in `to`. Returns their number, 0 if `steps` is too small for a launch. Requires ready().
  virtual std::int64_t launch_steps(const T* from, T* to, std::int64_t first_step,
                                    std::int64_t steps, cudaStream_t stream) = 0;
  /// Must be called when the problem's clock has changed.
  virtual void forget_time() = 0;
  /// As Engine::largest_error, of the last launch.
  virtual const double* largest_error() const { return nullptr; }

 protected:
  /// Starts to compile. `name` is the name of the CUDA kernel.
  StagePasses(const DeviceProblem<T>& problem, KernelText text, const char* name, dim3 threads,
              int shared_bytes, std::string how);

  /// Distances, in values, from the first field to each of `arrays`.
  std::vector<GridIndex> sources(const T* from, const std::vector<int>& arrays) const;
  /// Called once the kernel is loaded; `blocks` run at the same time on a multiprocessor.
  virtual void loaded(int blocks) = 0;

  const DeviceProblem<T>& on_device_;
  const Problem<T>& problem_;
  Kernel kernel_;
  dim3 threads_;
  int shared_bytes_;
  CompiledKernels kernels_;

 private:
  const char* name_;
  std::string how_;
};

/// These functions make the launches of the streaming engine on two and three axes.
/// Plan::unsuitable must be empty.
template <class T>
std::unique_ptr<StagePasses<T>> make_stage_stream(const DeviceProblem<T>& problem,
                                                  const StreamPlan& plan);
template <class T>
std::unique_ptr<StagePasses<T>> make_stage_volume(const DeviceProblem<T>& problem,
                                                  const VolumePlan& plan);

/// Limits of the current device.
DeviceLimits device_limits();

/// Makes the launches of the resident engine. ResidentPlan::unsuitable must be empty.
template <class T>
std::unique_ptr<StagePasses<T>> make_stage_resident(const DeviceProblem<T>& problem,
                                                    const ResidentPlan& plan);

}  // namespace lapl
