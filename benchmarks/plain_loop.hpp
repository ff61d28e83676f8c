// The double-buffered OpenMP loop that anybody would write first, compiled -O3 -march=native.
#pragma once

#include <cstdint>

#include "kernels/grid/grid.hpp"

namespace lapl {

/// `steps` steps of diffusion with zero boundary on two or three axes; the result is in `field`
/// (`steps` must be even).
void plain_steps(float* field, float* next, Shape shape, float c, std::int64_t steps);
void plain_steps(double* field, double* next, Shape shape, double c, std::int64_t steps);

}  // namespace lapl
