// The functions that make the engines of CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/engine.hpp"

namespace lapl {

/// These functions make engines that enqueue their steps in `stream`. They throw EngineUnsuitable
/// if the engine cannot step this grid, for example if resident cannot run all blocks at the same
/// time, and DeviceError if the device fails.
template <class T>
std::unique_ptr<Engine<T>> make_resident_engine(const Problem<T>& problem, cudaStream_t stream);

template <class T>
std::unique_ptr<Engine<T>> make_streaming_engine(const Problem<T>& problem, cudaStream_t stream);

/// The number of steps that the streaming engine of diffusion runs in one launch.
template <class T>
int streaming_depth();

/// Makes the spectral engine, of linear equations (`rates` is null) and of the schemes etdrk2 and
/// etdrk4. For these `rates` is an engine of the problem Problem::exponential->rates: its step
/// replaces the fields by their rates, du/dt, and it uses `stream` alone.
template <class T>
std::unique_ptr<Engine<T>> make_spectral_cuda_engine(const Problem<T>& problem, cudaStream_t stream,
                                                     std::unique_ptr<Engine<double>> rates);

/// Makes engine `name` (tile, streaming or resident) with kernels that are compiled at run time.
template <class T>
std::unique_ptr<Engine<T>> make_compiled_cuda_engine(const std::string& name,
                                                     const Problem<T>& problem,
                                                     cudaStream_t stream);

}  // namespace lapl
