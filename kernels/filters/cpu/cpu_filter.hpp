// Filters on the CPU: the three methods of kernels/filters/filter.hpp.
#pragma once

#include <memory>

#include "kernels/filters/filter.hpp"

namespace lapl {

/// A filter ready to be applied to any number of inputs of one shape.
template <class T>
class CpuFilter {
 public:
  virtual ~CpuFilter() = default;

  /// `input`: input.rows * input.columns values, row-major; `output` likewise, apart from it.
  virtual void apply(const T* input, T* output) = 0;
};

/// A filter that uses up to `threads` threads; the bits do not depend on how many. Throws
/// ConfigError where separable weights are asked for and the window is not of rank 1,
/// std::bad_alloc where memory does not suffice.
template <class T>
std::unique_ptr<CpuFilter<T>> make_cpu_filter(const FilterPlan<T>& plan, int threads);

}  // namespace lapl
