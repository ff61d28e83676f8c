#pragma once

#include <fftw3.h>

#include <memory>
#include <mutex>
#include <new>
#include <type_traits>

namespace lapl {

/// Guards creating and destroying plans, which is not thread-safe (FFTW manual, "Thread safety").
inline std::mutex& fftw_planner() {
  static std::mutex planner;
  return planner;
}

struct DestroyFftwPlan {
  void operator()(fftw_plan plan) const {
    const std::lock_guard alone(fftw_planner());
    fftw_destroy_plan(plan);
  }
  void operator()(fftwf_plan plan) const {
    const std::lock_guard alone(fftw_planner());
    fftwf_destroy_plan(plan);
  }
};
template <class Plan>
using FftwPlan = std::unique_ptr<std::remove_pointer_t<Plan>, DestroyFftwPlan>;

/// Calls `make` under the lock and returns the owner of its plan. Throws std::bad_alloc if the plan
/// is null.
template <class Make>
auto planned(const Make& make) {
  const std::lock_guard alone(fftw_planner());
  const auto plan = make();
  if (plan == nullptr) throw std::bad_alloc();
  return FftwPlan<std::remove_const_t<decltype(plan)>>(plan);
}

}  // namespace lapl
