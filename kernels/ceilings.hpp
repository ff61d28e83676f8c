#pragma once

#include "kernels/backend.hpp"

namespace lapl {

/// The two limits of any engine's speed: memory bandwidth, for an engine that takes one step at a
/// time, and arithmetic.
struct Ceilings {
  double copy_bytes_per_second = 0;  ///< measured; bytes read plus bytes written
  /// by arithmetic alone: measured on a CPU, computed from a GPU's clock
  double updates_per_second = 0;
};

/// Measures the ceilings of the current device, or of the backend's CPU threads, for values of T,
/// in a fraction of a second. `arithmetic` is that of StageProperties, instructions a cell.
template <class T>
Ceilings measure_ceilings(const BackendDescription& by, int arithmetic);

/// The ceilings of `threads` CPU threads, with the arithmetic of diffusion.
template <class T>
Ceilings host_ceilings(int threads);

}  // namespace lapl
