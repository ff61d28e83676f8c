// Which CUDA engine steps a problem, and why.
#pragma once

#include <string>

#include "kernels/cuda/cuda_engine.hpp"

namespace lapl {

template <class T>
struct ChosenEngine {
  std::string name;    ///< from engine_table
  std::string reason;  ///< for people: why this one
  std::unique_ptr<CudaEngine<T>> engine;
};

/// The engine called `name`. "auto": the fastest, found by letting each step whatever `buffers`
/// hold for some milliseconds, and remembered by this process for the device, shape, precision and
/// boundaries; an engine that cannot step the problem is left out, with its reason. Throws
/// ConfigError for a name that is no engine of the CUDA backend, EngineUnsuitable where none can,
/// DeviceError where the device fails.
template <class T>
ChosenEngine<T> choose_engine(const std::string& name, const Problem<T>& problem,
                              const DoubleBuffer<T>& buffers, cudaStream_t stream);

}  // namespace lapl
