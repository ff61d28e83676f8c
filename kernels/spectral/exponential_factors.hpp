// The factors by which the stages of etdrk2 and etdrk4 multiply modes
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
  /// If `lines` is given, computes the factors of the modes of these lines alone.
  ExponentialFactors(const ExponentialRates::Group& group, int order, Shape shape,
                     std::optional<LineRange> lines = {});

  /// The number of values that compute() writes.
  std::int64_t values() const;

  /// Writes the factors for steps of `dt` seconds to `to`, on several threads.
  void compute(double dt, double* to, int threads) const;

 private:
  /// Computes the factors of a line; `line` counts from the first of lines_.
  void of_line(double dt, std::int64_t line, double* to) const;
  /// Gives the same bits faster: std::fma is an instruction, not a call.
  void of_line_with_fma(double dt, std::int64_t line, double* to) const;
  template <int count>
  void of_line_of_matrices(double dt, std::int64_t line, double* to) const;
  void copy_to_twins(double* to, int threads) const;

  int order_, count_;
  std::int64_t size_;  // modes of a line
  LineRange lines_;
  std::int64_t cells_;  // modes of all these lines
  // On a periodic axis of n modes, modes p and n - p are twins, whose factors have the same bits.
  // Only the first computed_ modes of a line are computed, in lines without an earlier twin in
  // lines_. The other factors are copied.
  std::int64_t computed_;
  std::vector<std::int64_t> computed_lines_, copied_lines_;
  std::vector<std::int64_t> twin_;  // for each line, the line whose factors it has
  std::vector<RatesOfModes> rates_;
};

}  // namespace lapl
