// Filters on the CPU, by the three methods of kernels/filters/filter.hpp.
#pragma once

#include <memory>

#include "kernels/filters/filter.hpp"

namespace lapl {

/// A filter that can be applied to any number of inputs of one shape.
template <class T>
class CpuFilter {
 public:
  virtual ~CpuFilter() = default;

  /// Filters `input`, a row-major array of the plan's input shape, to `output`, which must not
  /// overlap `input`.
  virtual void apply(const T* input, T* output) = 0;
};

/// Makes a filter that uses up to `threads` threads; the bits do not depend on their number. Throws
/// ConfigError if the method is separable and the window is not of rank 1, std::bad_alloc if memory
/// does not suffice.
template <class T>
std::unique_ptr<CpuFilter<T>> make_cpu_filter(const FilterPlan<T>& plan, int threads);

}  // namespace lapl
