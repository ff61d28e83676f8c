// The fractal initial field: uniform noise with a power-law spectrum, cropped and thresholded.
//
//   noise      float32 uniform in [0, 1), equal bit for bit to NumPy's default_rng(seed).random
//   filtered   real(IFFT(FFT(noise) * radius^-exponent)), radius = 1 + |wave number|, cropped
//   field      filtered where it is above the percentile, else 0
//
// After the published GPU diffusion tutorial; docs/numerics.md gives every formula.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/block.hpp"

namespace lapl {

struct FractalParameters {
  std::uint64_t seed = 3966789;
  double spectral_exponent = 1.7;
  /// In parts of the number of rows, or of columns on one axis or one row; none: no crop.
  std::optional<double> crop_radius = 0.45;
  std::optional<double> percentile = 70;  ///< 0 to 100; none: keep all values
};

inline double crop_limit(const FractalParameters& parameters, Shape shape) {
  return *parameters.crop_radius *
         static_cast<double>(shape.rows == 1 ? shape.columns : shape.rows);
}
/// True where nothing is left: the distance from the middle is counted from 1 on.
inline bool crops_all(const FractalParameters& parameters, Shape shape) {
  return parameters.crop_radius && crop_limit(parameters, shape) <= 1;
}

/// Sets the values of the block to the fractal field, made in float64 where they lie. Throws
/// DeviceError where memory for it is missing.
template <class T>
void fill_fractal(const Block<T>& block, const FractalParameters& parameters);

/// The field in host memory, as it is made on "cpu" or "cuda".
template <class T>
std::vector<T> make_fractal(const std::string& backend, Shape shape,
                            const FractalParameters& parameters);

}  // namespace lapl
