// FFTW's functions, loaded where the first is called, and its plans, owned.
#pragma once

#include <fftw3.h>

#include <memory>
#include <mutex>
#include <new>
#include <type_traits>

#include "kernels/error.hpp"
#include "kernels/machine/module.hpp"

namespace lapl {

/// The functions for values of type T: the module's variable, which alone is ever made of this
/// type.
template <class T>
struct Fftw;
#define LAPL_FFTW(T, fftw)                                                  \
  template <>                                                               \
  struct Fftw<T> {                                                          \
    using Plan = fftw##_plan;                                               \
    using Complex = fftw##_complex;                                         \
    static constexpr const char* module = "lapl_" #fftw;                    \
    decltype(&fftw##_plan_r2r_1d) plan_r2r = fftw##_plan_r2r_1d;            \
    decltype(&fftw##_plan_guru64_dft) plan_dft = fftw##_plan_guru64_dft;    \
    decltype(&fftw##_plan_dft_r2c_1d) plan_r2c = fftw##_plan_dft_r2c_1d;    \
    decltype(&fftw##_plan_dft_c2r_1d) plan_c2r = fftw##_plan_dft_c2r_1d;    \
    decltype(&fftw##_plan_dft_r2c_2d) plan_r2c_2d = fftw##_plan_dft_r2c_2d; \
    decltype(&fftw##_plan_dft_c2r_2d) plan_c2r_2d = fftw##_plan_dft_c2r_2d; \
    decltype(&fftw##_execute_r2r) execute_r2r = fftw##_execute_r2r;         \
    decltype(&fftw##_execute_dft) execute_dft = fftw##_execute_dft;         \
    decltype(&fftw##_execute_dft_r2c) execute_r2c = fftw##_execute_dft_r2c; \
    decltype(&fftw##_execute_dft_c2r) execute_c2r = fftw##_execute_dft_c2r; \
    decltype(&fftw##_destroy_plan) destroy_plan = fftw##_destroy_plan;      \
  };
LAPL_FFTW(double, fftw)
LAPL_FFTW(float, fftwf)
#undef LAPL_FFTW

/// Throws DeviceError where FFTW cannot be loaded.
template <class T>
const Fftw<T>& fftw() {
  static const Module loaded = load_module(Fftw<T>::module);
  if (loaded.functions == nullptr) throw DeviceError(loaded.missing);
  return *static_cast<const Fftw<T>*>(loaded.functions);
}

/// One thread at a time may make plans and destroy them (FFTW's manual, "Thread safety").
inline std::mutex& fftw_planner() {
  static std::mutex planner;
  return planner;
}

template <class T>
struct DestroyFftwPlan {
  void operator()(typename Fftw<T>::Plan plan) const {
    const std::lock_guard alone(fftw_planner());
    fftw<T>().destroy_plan(plan);
  }
};
template <class T>
using FftwPlan = std::unique_ptr<std::remove_pointer_t<typename Fftw<T>::Plan>, DestroyFftwPlan<T>>;

/// What `make` returns, given the functions; throws std::bad_alloc where that is nothing.
template <class T, class Make>
FftwPlan<T> planned(const Make& make) {
  const Fftw<T>& functions = fftw<T>();
  const std::lock_guard alone(fftw_planner());
  const auto plan = make(functions);
  if (plan == nullptr) throw std::bad_alloc();
  return FftwPlan<T>(plan);
}

}  // namespace lapl
