// Launches that take many steps of a problem each, where it allows that: kernels that are compiled
// while the run begins otherwise.
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

  bool ready();                                ///< to take steps; never waits
  bool settled() { return kernels_.ready(); }  ///< whether it is known how compiling ended
  void wait() { kernels_.wait(); }
  /// How it came out, for people.
  std::string how();
  /// Takes some of `steps` steps, from the fields of `from` to those of `to`. Returns how many; 0
  /// where they are too few for a launch. Only once ready().
  virtual std::int64_t take(const T* from, T* to, std::int64_t first_step, std::int64_t steps,
                            cudaStream_t stream) = 0;

 protected:
  /// Starts to compile; the kernel's name is that of the engine.
  StagePasses(const DeviceProblem<T>& problem, KernelText text, const char* name, dim3 threads,
              int shared_bytes, std::string how);

  /// What it is given: the arrays that there are at first, as distances from the first field.
  std::vector<GridIndex> sources(const T* from, const std::vector<int>& arrays) const;
  /// Once the kernel is there; `blocks`: that run at once on a multiprocessor.
  virtual void loaded(int blocks) = 0;

  const DeviceProblem<T>& on_device_;
  const Problem<T>& problem_;
  Kernel kernel_;
  dim3 threads_;
  int shared_bytes_;

 private:
  CompiledKernels kernels_;
  const char* name_;
  std::string how_;
};

/// Rows stream through registers, or planes; the problem is one that can (its plan is not
/// unsuitable).
template <class T>
std::unique_ptr<StagePasses<T>> make_stage_stream(const DeviceProblem<T>& problem,
                                                  const StreamPlan& plan);
template <class T>
std::unique_ptr<StagePasses<T>> make_stage_volume(const DeviceProblem<T>& problem,
                                                  const VolumePlan& plan);

/// Of the current device.
DeviceLimits device_limits();

/// The grid stays in shared memory; the problem is one that can.
template <class T>
std::unique_ptr<StagePasses<T>> make_stage_resident(const DeviceProblem<T>& problem,
                                                    const ResidentPlan& plan);

}  // namespace lapl
