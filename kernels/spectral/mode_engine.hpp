// Engine "spectral" on a CPU or a GPU, in float64 whatever the precision of the field: any number
// of steps at once (kernels/spectral/linear_engine.hpp), or one after the other
// (kernels/spectral/exponential_engine.hpp). Each is written once, for a Machine (CPU or GPU),
// constructed from a problem and Where: a number of threads, or a stream.
//
//   Buffer                      owns float64 values; data()
//   exchange()                  a LineExchange; modes of a field are exchange().modes() values
//   transforms(faces)           a GridTransforms, of type Transforms
//   linear(rates)               the LinearModes of LinearRates; steps(steps, scale, source) returns
//                               the function that changes modes between transforms
//   require(values)             throws DeviceError if memory lacks room for as many values
//   allocate(values)            a Buffer
//   copy(from, to)              copies a vector to memory of the machine
//   fill(buffer, compute)       calls compute(double*) for the values of a buffer
//   pitch<T>()                  values from one row of a field to the next
//   widen(state, to)            copies the fields of a block as float64
//   for_each(count, change)     calls change(0), change(1), ... in parallel
//   make_halo(problem)          the Halo of a block of float64 values
//   stream(), threads()         the stream of a GPU, or null; the number of threads of the host
#pragma once

#include <memory>
#include <utility>

#include "kernels/spectral/exponential_engine.hpp"
#include "kernels/spectral/linear_engine.hpp"

namespace lapl {

/// Makes the engine of a problem's scheme. `rates` is that of ExponentialEngine if the scheme is
/// etdrk2 or etdrk4, else unused. Throws EngineUnsuitable if modes cannot step the problem.
template <class Machine, class T>
std::unique_ptr<Engine<T>> make_mode_engine(const Problem<T>& problem,
                                            typename Machine::Where where,
                                            std::unique_ptr<Engine<double>> rates) {
  if (problem.exponential)
    return std::make_unique<ExponentialEngine<T, Machine>>(problem, where, std::move(rates));
  return std::make_unique<LinearEngine<T, Machine>>(problem, where);
}

}  // namespace lapl
