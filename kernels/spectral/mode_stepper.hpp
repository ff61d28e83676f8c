// The steps of engine "spectral" on a CPU or a GPU, in float64 whatever the precision of the field:
// any number at once (kernels/spectral/linear_stepper.hpp), or one after the other
// (kernels/spectral/exponential_stepper.hpp). Each is written once, for a Machine:
//
//   Buffer                      owns float64 values; data()
//   exchange()                  a LineExchange; modes of a field are exchange().modes() values
//   transforms(faces)           a GridTransforms, of type Transforms
//   linear(rates)               the LinearModes of LinearRates; steps(steps, scale, source) makes
//                               what changes modes between transforms
//   require(values)             throws DeviceError if memory does not suffice for as many
//   allocate(values)            a Buffer
//   copy(from, to)              copies a vector to memory of the machine
//   fill(buffer, compute)       calls compute(double*, threads) for the values of a buffer
//   pitch<T>()                  values from one row of a field to the next
//   widen(state, to)            copies the fields of a block as float64
//   for_each(count, change)     calls change(0), change(1), ... in parallel
//   make_halo(problem)          the exchange of a block of float64 values; null if it has no halo
//   fill_halo(halo, values)     fills it
//   evaluate(buffers, clock)    makes fields their rates
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/grid/double_buffer.hpp"
#include "kernels/problem.hpp"

namespace lapl {

inline constexpr const char* how_modes_step = "its digests are not those of engines that step";

/// Steps by modes; these functions are those of an engine.
template <class T>
class ModeStepper {
 public:
  virtual ~ModeStepper() = default;

  virtual void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) = 0;
  virtual void set_clock(const StepTimes& /*clock*/) {}
  virtual void forget_state() {}
};

/// Where a rank's own cells begin in a block whose rows lie `pitch` values apart.
template <class T>
std::int64_t first_own(const Problem<T>& problem, std::int64_t pitch) {
  return problem.part ? problem.part->in_block(0) / problem.shape.columns * pitch : 0;
}

}  // namespace lapl
