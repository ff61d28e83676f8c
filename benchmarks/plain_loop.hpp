// The simplest OpenMP loop with two buffers, compiled with -O3 -march=native, as a baseline.
#pragma once

#include <cstdint>

#include "kernels/grid/grid.hpp"

namespace lapl {

/// Takes `steps` steps of diffusion with faces held at 0, on two or three axes. `steps` must be
/// even; the result is in `field`.
void plain_steps(float* field, float* next, Shape shape, float c, std::int64_t steps);
void plain_steps(double* field, double* next, Shape shape, double c, std::int64_t steps);

}  // namespace lapl
