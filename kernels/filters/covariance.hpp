// The covariance of a convolution's output, for weights that are equal along each channel:
//
//   input[b,c0,i,j,c0,k,l] += c[c0] * sum over ch, p, q of
//       mu[b,ch,i+p,j+q] * mu[b,ch,k+p,l+q] + gamma[b,ch,i+p,j+q,ch,k+p,l+q]
//
// where b counts the batch, c0 the outputs and ch the channels, and p and q run over the rows and
// columns of the window. The sum does not depend on c0, and its terms depend only on i+p, j+q, k+p
// and l+q. So three steps, each done once for all c0, suffice:
//
//   channels[b,y,x,v,u] = sum over ch of mu[b,ch,y,x] * mu[b,ch,v,u] + gamma[b,ch,y,x,ch,v,u]
//   down[b,i,x,k,u]     = sum over p of channels[b,i+p,x,k+p,u]
//   sum[b,i,j,k,l]      = sum over q of down[b,i,j+q,k,l+q]
//
// Each step adds in ascending order. Float32 arithmetic gives the same bits on CPU and GPU; values
// stored as float64 are added in float64, on the CPU only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/filters/half.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

/// Dense row-major arrays: input (batch, outputs, rows, columns, outputs, rows, columns), mu
/// (batch, channels, R, C), gamma (batch, channels, R, C, channels, R, C) and c (outputs), with R =
/// rows + window.rows - 1 and C = columns + window.columns - 1.
struct CovarianceProblem {
  std::int64_t batch = 0;
  std::int64_t channels = 0;
  std::int64_t outputs = 0;
  Shape output;
  Shape window;

  Shape source() const {
    return {output.rows + window.rows - 1, output.columns + window.columns - 1};
  }
  /// The number of values of the array `channels` above, for one b; then that of `down`.
  std::int64_t channel_sums() const { return source().cells() * source().cells(); }
  std::int64_t down_sums() const {
    const std::int64_t one = output.rows * source().columns;
    return one * one;
  }
};

/// The arrays of the sum, each value stored as Storage (float, double or Half).
template <class Storage>
struct CovarianceTerms {
  std::vector<Storage> input, mu, gamma, c;
};

/// Adds the sum to `terms.input` on backend "cpu" or "cuda". If `threads` is 0, uses one thread per
/// core. Throws DeviceError if there is no device or not enough memory, and for float64 on "cuda".
template <class Storage>
void add_covariance_on(const std::string& backend, const CovarianceProblem& problem,
                       CovarianceTerms<Storage>& terms, int threads);

/// Adds the sum to `terms.input` on the CPU; reads and writes only the elements in the formula
/// above.
template <class Storage>
void add_covariance(const CovarianceProblem& problem, CovarianceTerms<Storage>& terms, int threads);

}  // namespace lapl
