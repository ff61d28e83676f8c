// The fractal initial field: uniform noise with a power-law spectrum, cropped and thresholded.
//
//   noise      float32 uniform in [0, 1), bit-identical to NumPy's default_rng(seed).random
//   filtered   real(IFFT(FFT(noise) * radius^-exponent)), radius = 1 + |wave number|, cropped
//   field      filtered if it is above the percentile, else 0
//
// After the published GPU diffusion tutorial; docs/numerics.md gives every formula.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/grid/grid.hpp"

namespace lapl {

struct FractalParameters {
  std::uint64_t seed = 3966789;
  double spectral_exponent = 1.7;
  /// Cells farther from the middle are 0. The radius is a fraction of the number of rows, or of
  /// columns if there is one row; none: no crop.
  std::optional<double> crop_radius = 0.45;
  std::optional<double> percentile = 70;  ///< 0 to 100; none: keep all values
};

/// True if the crop leaves no cell, since the distance from the middle starts at 1.
bool crops_all(const FractalParameters& parameters, Shape shape);

/// The field's shape.cells() values. The bits do not depend on the number of threads. Throws
/// DeviceError if memory does not suffice.
std::vector<double> fractal_field(Shape shape, const FractalParameters& parameters, int threads);

}  // namespace lapl
