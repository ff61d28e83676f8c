// The functions that make the engines of the CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/engine.hpp"

namespace lapl {

template <class T>
struct CompiledStages;

/// An engine that computes one stage after the other on the whole grid.
template <class T>
class StageEngine : public Engine<T> {
 public:
  /// From now on calls the compiled functions instead of interpreting. Keeps a reference.
  virtual void use(const CompiledStages<T>& compiled) = 0;
};

template <class T>
std::unique_ptr<Engine<T>> make_reference_engine(const Problem<T>& problem, int threads);
template <class T>
std::unique_ptr<StageEngine<T>> make_interpreted_engine(const Problem<T>& problem, int threads);
/// An engine whose stages are compiled functions of a row. A pass over the grid computes at most
/// `most_steps` steps.
template <class T>
std::unique_ptr<Engine<T>> make_pipeline_engine(const Problem<T>& problem, int threads,
                                                int most_steps);
template <class T>
std::unique_ptr<Engine<T>> make_blocked_engine(const Problem<T>& problem, int threads);
/// The engine of linear equations (`rates` is null), and of the schemes etdrk2 and etdrk4. For
/// these `rates` is an engine of the problem Problem::exponential->rates: its step replaces the
/// fields by their rates, du/dt.
template <class T>
std::unique_ptr<Engine<T>> make_spectral_engine(const Problem<T>& problem, int threads,
                                                std::unique_ptr<Engine<double>> rates);

}  // namespace lapl
