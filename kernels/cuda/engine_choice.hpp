#pragma once

#include <string>

#include "kernels/cuda/cuda_engine.hpp"

namespace lapl {

template <class T>
struct ChosenEngine {
  std::string name;    ///< from engine_table
  std::string reason;  ///< the reason why this engine was chosen
  std::unique_ptr<Engine<T>> engine;
};

/// Creates the engine called `name`. "auto" chooses resident if the grid fits on the chip, else
/// streaming, else tile. If resident would have to be compiled at run time, the grid must also be
/// small, or streaming must be unable to step it. Throws ConfigError if CUDA has no engine of that
/// name, EngineUnsuitable if the engine cannot step the problem, DeviceError if the device fails.
template <class T>
ChosenEngine<T> choose_engine(const std::string& name, const Problem<T>& problem,
                              cudaStream_t stream);

}  // namespace lapl
