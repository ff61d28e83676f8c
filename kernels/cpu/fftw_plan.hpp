// FFTW's plans in float64, owned.
#pragma once

#include <fftw3.h>

#include <memory>
#include <new>
#include <type_traits>

namespace lapl {

struct DestroyFftwPlan {
  void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
};
using FftwPlan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, DestroyFftwPlan>;

/// What a planner of FFTW returns; throws std::bad_alloc where that is nothing.
inline FftwPlan checked(fftw_plan plan) {
  if (plan == nullptr) throw std::bad_alloc();
  return FftwPlan(plan);
}

}  // namespace lapl
