// Equations over the whole grid on a GPU. Each value has the bits that the host computes, because
// sums have the same order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/solve/grid_convolution.hpp"
#include "kernels/solve/grid_system.hpp"

namespace lapl {

template <class T>
class DeviceEquations {
 public:
  virtual ~DeviceEquations() = default;

  /// Solves for the unknown of a state: `fields` points to its fields, in device memory, whose rows
  /// are `pitch` values apart. Writes the solution to `unknown`, laid out alike. Returns false, and
  /// changes nothing, where the host must solve.
  virtual bool operator()(const std::vector<const T*>& fields, std::int64_t pitch, double time,
                          T* unknown) = 0;
  /// The same for a state in memory of the host, as GridEquations::solve has it.
  virtual bool operator()(std::vector<double>& state, double time) = 0;
};

/// Both sides, the iterations and the multigrid cycles; the host finds the matrix and its coarse
/// grids. The host must solve by transforms, in several regions, where memory of the device lacks
/// or a value is not finite, and to report what is wrong. Keeps a reference to `system`.
template <class T>
std::unique_ptr<DeviceEquations<T>> make_device_solve(GridSystem& system, cudaStream_t stream);

/// The host must convolve by transforms, and where memory of the device lacks. Keeps a reference to
/// `convolution`.
template <class T>
std::unique_ptr<DeviceEquations<T>> make_device_convolution(GridConvolution<T>& convolution,
                                                            cudaStream_t stream);

}  // namespace lapl
