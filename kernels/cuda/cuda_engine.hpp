// The interface of CUDA engines, and the functions that make them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/grid/double_buffer.hpp"

namespace lapl {

template <class T>
class CudaEngine {
 public:
  virtual ~CudaEngine() = default;

  /// Enqueues `steps` steps in `stream`, from the state after `first_step` steps. The result is in
  /// buffers.current. Copies no field, and waits for the device only while code is compiled.
  virtual void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps,
                       cudaStream_t stream) = 0;

  /// Changes the times of steps. Engines whose steps never change need not do it.
  virtual void set_clock(const StepTimes& /*clock*/) {}

  /// Called when something else than a step or Backend::undo_step has changed the state.
  virtual void forget_state() {}

  /// Waits until no code is being compiled in the background.
  virtual void settle() {}

  /// A message that says how the engine steps now; empty if it has only one way.
  virtual std::string how() { return {}; }
};

/// These functions make engines that step only the fields of `buffers`, laid out by
/// field_layout<T>(problem.shape). They throw EngineUnsuitable if the engine cannot step this grid,
/// for example if resident cannot run all blocks at the same time, and DeviceError if the device
/// fails.
template <class T>
std::unique_ptr<CudaEngine<T>> make_resident_engine(const Problem<T>& problem,
                                                    const DoubleBuffer<T>& buffers,
                                                    cudaStream_t stream);

template <class T>
std::unique_ptr<CudaEngine<T>> make_streaming_engine(const Problem<T>& problem,
                                                     const DoubleBuffer<T>& buffers,
                                                     cudaStream_t stream);

/// The number of steps that the streaming engine of diffusion takes in one launch.
template <class T>
int streaming_depth();

/// Makes the spectral engine, of linear equations and of etdrk2 and etdrk4: for these, `rates`
/// makes the fields of Problem::exponential's problem their rates, one step at a time. It steps in
/// `stream` alone.
template <class T>
std::unique_ptr<CudaEngine<T>> make_spectral_cuda_engine(const Problem<T>& problem,
                                                         cudaStream_t stream,
                                                         std::unique_ptr<CudaEngine<double>> rates);

/// Makes engine `name` (tile, streaming or resident) with kernels that are compiled at run time.
template <class T>
std::unique_ptr<CudaEngine<T>> make_compiled_cuda_engine(const std::string& name,
                                                         const Problem<T>& problem,
                                                         cudaStream_t stream);

}  // namespace lapl
