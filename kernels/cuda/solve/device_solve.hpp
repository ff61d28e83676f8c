// Solves the equations of a GridSystem on a GPU: both sides, the iterations and the multigrid
// cycles. Each value has the bits that the host computes, because sums have the same order. The
// host finds the matrix and its coarse grids.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/solve/grid_system.hpp"

namespace lapl {

struct DeviceSolveParts;

class DeviceSolve {
 public:
  /// Keeps a reference to `system`.
  DeviceSolve(GridSystem& system, cudaStream_t stream);
  ~DeviceSolve();

  /// Solves for the unknown of a state: `fields` points to its fields, in device memory, whose rows
  /// are `pitch` values apart. Writes the solution to `unknown`, laid out alike. Returns false, and
  /// changes nothing, where the host must solve: by transforms, in several regions, where memory of
  /// the device lacks or a value is not finite, and to report what is wrong.
  template <class T>
  bool operator()(const std::vector<const T*>& fields, std::int64_t pitch, double time, T* unknown);
  /// The same for a state in memory of the host, as GridEquations::solve has it.
  bool operator()(std::vector<double>& state, double time);

 private:
  std::unique_ptr<DeviceSolveParts> parts_;
};

}  // namespace lapl
