// The fractal initial field: uniform noise with a power-law spectrum, cropped and thresholded.
//
//   noise      float32 uniform in [0, 1), equal bit for bit to NumPy's default_rng(seed).random
//   filtered   real(IFFT2(FFT2(noise) * radius^-exponent)), radius = 1 + |wave number|, cropped
//   field      filtered where it is above the percentile, else 0
//
// After the published GPU diffusion tutorial; docs/numerics.md gives every formula.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/block.hpp"

namespace lapl {

struct FractalParameters {
  std::uint64_t seed = 3966789;
  double spectral_exponent = 1.7;
  std::optional<double> crop_radius = 0.45;  ///< of the number of rows; none: no crop
  std::optional<double> percentile = 70;     ///< 0 to 100; none: keep all values
};

/// Sets the values of the block to the fractal field, made in float64 where they lie. Throws
/// DeviceError where memory for it is missing.
template <class T>
void fill_fractal(const Block<T>& block, const FractalParameters& parameters);

}  // namespace lapl
