#pragma once

#include "kernels/backend.hpp"

namespace lapl {

/// Two upper bounds of an engine's speed: by memory bandwidth, if each step reads and writes the
/// whole state once, and by arithmetic.
struct Ceilings {
  double copy_bytes_per_second = 0;  ///< measured; bytes read plus bytes written
  /// cell updates per second by arithmetic alone: measured on a CPU, computed for a GPU
  double updates_per_second = 0;
};

/// Measures the ceilings, for values of T, of the current GPU or of the threads of a CPU backend
/// `by`, in a fraction of a second. `arithmetic`: operations per cell (StageProperties).
template <class T>
Ceilings measure_ceilings(const BackendDescription& by, int arithmetic);

/// The ceilings of `threads` CPU threads, with the arithmetic of diffusion.
template <class T>
Ceilings host_ceilings(int threads);

}  // namespace lapl
