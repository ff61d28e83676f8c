// The factors of the modes in a step of etdrk2 or etdrk4
// (kernels/spectral/exponential_modes.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/spectral/exponential_rates.hpp"
#include "kernels/spectral/rates_of_modes.hpp"

namespace lapl {

/// Computes ExponentialModes::coefficients for steps of one size.
class ExponentialFactors {
 public:
  ExponentialFactors(const ExponentialRates::Group& group, int order, Shape shape);

  /// The number of values.
  std::int64_t values() const;

  /// Computes them for steps of `dt` seconds, on several threads.
  void compute(double dt, double* to, int threads) const;

 private:
  void of_line(double dt, std::int64_t line, std::int64_t lines, double* to) const;
  /// The same bits; std::fma is an instruction, not a call.
  void of_line_with_fma(double dt, std::int64_t line, std::int64_t lines, double* to) const;
  template <int count>
  void of_line_of_matrices(double dt, std::int64_t line, std::int64_t lines, double* to) const;
  void copy_to_twins(double* to, int threads) const;

  int order_, count_;
  Shape shape_;
  // Modes along the axes that are computed. On a periodic axis of n modes these are 0 to n / 2:
  // modes p and n - p are twins, which have the same bits.
  std::array<std::int64_t, 3> computed_;
  std::vector<RatesOfModes> rates_;
};

}  // namespace lapl
