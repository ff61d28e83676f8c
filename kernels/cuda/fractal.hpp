// The fractal field on the GPU, by cuFFT. Formulas: kernels/fractal.hpp and docs/numerics.md.
#pragma once

#include "kernels/fractal.hpp"

namespace lapl {

/// As fill_fractal, for a block in device memory. Waits for it; all memory is free again
/// afterwards.
template <class T>
void fill_fractal_on_device(const Block<T>& block, const FractalParameters& parameters);

}  // namespace lapl
