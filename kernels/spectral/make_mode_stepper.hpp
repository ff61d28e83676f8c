#pragma once

#include "kernels/spectral/exponential_stepper.hpp"
#include "kernels/spectral/linear_stepper.hpp"

namespace lapl {

/// Makes the steps of a problem: those of its scheme where that is etdrk2 or etdrk4, or any number
/// at once. Keeps a reference to `on`. Throws EngineUnsuitable if the problem has neither.
template <class T, class Machine>
std::unique_ptr<ModeStepper<T>> make_mode_stepper(const Problem<T>& problem, Machine& on) {
  if (problem.exponential) return std::make_unique<ExponentialStepper<T, Machine>>(problem, on);
  return std::make_unique<LinearStepper<T, Machine>>(problem, on);
}

}  // namespace lapl
