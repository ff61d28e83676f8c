// What a machine can do at most.
#pragma once

#include "kernels/backend.hpp"

namespace lapl {

/// What bounds the speed of any engine: the device's memory without blocking in time, and its
/// arithmetic.
struct Ceilings {
  double copy_bytes_per_second = 0;  ///< measured; bytes read plus bytes written
  double updates_per_second = 0;     ///< arithmetic alone: measured on a CPU, read off a GPU
};

/// Measures, in a fraction of a second, what a backend runs on, for values of T: the device that is
/// current, or its CPU threads. `arithmetic`: instructions a cell, of StageProperties.
template <class T>
Ceilings measure_ceilings(const BackendDescription& by, int arithmetic);

/// The same of so many CPU threads.
template <class T>
Ceilings host_ceilings(int threads);

}  // namespace lapl
