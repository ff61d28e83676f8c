// The fractal initial field: uniform noise with a power-law spectrum, cropped and thresholded.
//
//   noise      float32 uniform in [0, 1), bit-identical to NumPy's default_rng(seed).random
//   filtered   real(IFFT(FFT(noise) * radius^-exponent)), radius = 1 + |wave number|, cropped
//   field      filtered if it is above the percentile, else 0
//
// It is the field of the published GPU diffusion tutorial; docs/numerics.md gives every formula.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/grid/grid.hpp"

namespace lapl {

struct FractalParameters {
  std::uint64_t seed = 3966789;
  double spectral_exponent = 1.7;
  /// Cells at least this far from the middle are 0. The unit is the number of rows, or of columns
  /// if there is one row. None: no crop.
  std::optional<double> crop_radius = 0.45;
  std::optional<double> percentile = 70;  ///< 0 to 100; none: keep all values
};

/// True if the crop sets every cell to 0; the distance of the middle cell itself counts as 1.
bool crops_all(const FractalParameters& parameters, Shape shape);

/// The shape.cells() values of the field. The bits do not depend on the number of threads. Throws
/// DeviceError if memory does not suffice.
std::vector<double> fractal_field(Shape shape, const FractalParameters& parameters, int threads);

}  // namespace lapl
