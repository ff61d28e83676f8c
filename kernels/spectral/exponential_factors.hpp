// The factors of the modes in a step of etdrk2 or etdrk4
// (kernels/spectral/exponential_modes.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/spectral/exponential_rates.hpp"
#include "kernels/spectral/rates_of_modes.hpp"

namespace lapl {

/// Computes ExponentialModes::coefficients for steps of one size.
class ExponentialFactors {
 public:
  /// Computes those of the modes of `lines` alone, if given.
  ExponentialFactors(const ExponentialRates::Group& group, int order, Shape shape,
                     std::optional<LineRange> lines = {});

  /// The number of values.
  std::int64_t values() const;

  /// Computes them for steps of `dt` seconds, on several threads.
  void compute(double dt, double* to, int threads) const;

 private:
  /// `line` counts the lines of these modes.
  void of_line(double dt, std::int64_t line, double* to) const;
  /// The same bits; std::fma is an instruction, not a call.
  void of_line_with_fma(double dt, std::int64_t line, double* to) const;
  template <int count>
  void of_line_of_matrices(double dt, std::int64_t line, double* to) const;
  void copy_to_twins(double* to, int threads) const;

  int order_, count_;
  std::int64_t size_;  // modes of a line
  LineRange lines_;
  std::int64_t cells_;  // modes of all these lines
  // On a periodic axis of n modes, modes p and n - p are twins, which have the same bits. Modes of
  // a line up to computed_ are computed, and those lines whose twin is not there.
  std::int64_t computed_;
  std::vector<std::int64_t> computed_lines_, copied_lines_;
  std::vector<std::int64_t> twin_;  // of each line, the line that is computed
  std::vector<RatesOfModes> rates_;
};

}  // namespace lapl
