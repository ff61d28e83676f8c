// The fractal field on the GPU, by cuFFT. Formulas: kernels/fractal.hpp and docs/numerics.md.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/field_layout.hpp"
#include "kernels/fractal.hpp"

namespace lapl {

/// Sets `state`, in device memory, to the fractal field, made in float64 on the device alone.
/// Waits for it. Throws DeviceError where memory for it is missing; all of that is free again
/// afterwards.
template <class T>
void fill_fractal(T* state, const FieldLayout& layout, const FractalParameters& parameters,
                  cudaStream_t stream);

}  // namespace lapl
