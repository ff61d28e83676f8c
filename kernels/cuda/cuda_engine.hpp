// What a CUDA engine is: it takes steps from one of two device buffers to the other (Jacobi).
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

  /// Enqueues `steps` steps in `stream`, from the state after `first_step` steps; the result is in
  /// buffers.current. Copies no field, and waits for the device only while code is compiled.
  virtual void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps,
                       cudaStream_t stream) = 0;

  /// Waits for what is compiled meanwhile.
  virtual void settle() {}

  /// How it steps just now, for people; empty where there is one way.
  virtual std::string how() { return {}; }
};

/// Engines for fields in `buffers`, laid out as field_layout<T>(problem.shape) says; they step
/// these two and no others, in `stream`. All throw EngineUnsuitable where they cannot step this
/// grid, DeviceError where the device fails. Refuses grids that do not fit on the chip, and devices
/// that cannot start all blocks together.
template <class T>
std::unique_ptr<CudaEngine<T>> make_resident_engine(const Problem<T>& problem,
                                                    const DoubleBuffer<T>& buffers,
                                                    cudaStream_t stream);

template <class T>
std::unique_ptr<CudaEngine<T>> make_streaming_engine(const Problem<T>& problem,
                                                     const DoubleBuffer<T>& buffers,
                                                     cudaStream_t stream);

/// Steps that it takes in a launch.
template <class T>
int streaming_depth();

/// For problems that have linear rates.
template <class T>
std::unique_ptr<CudaEngine<T>> make_spectral_cuda_engine(const Problem<T>& problem,
                                                         cudaStream_t stream);

/// Any of the engines that step, compiled for the problem.
template <class T>
std::unique_ptr<CudaEngine<T>> make_compiled_cuda_engine(const std::string& name,
                                                         const Problem<T>& problem,
                                                         cudaStream_t stream);

}  // namespace lapl
