#include "kernels/spectral/exponential_factors.hpp"

#include <cmath>

#include "kernels/spectral/exponential_modes.hpp"
#include "kernels/spectral/phi.hpp"

namespace lapl {

namespace {
using Modes = ExponentialModes;
}

ExponentialFactors::ExponentialFactors(const ExponentialRates::Group& group, int order, Shape shape)
    : order_(order), count_(group.size()), shape_(shape) {
  for (const ModeRate& rate : group.linear) rates_.emplace_back(rate, group.faces, shape);
}

std::int64_t ExponentialFactors::values() const {
  return Modes::factors(order_) * count_ * count_ * shape_.cells();
}

void ExponentialFactors::compute(double dt, double* to, int threads) const {
  const std::int64_t lines = shape_.cells() / by_axis(shape_)[3 - shape_.axes];
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t line = 0; line < lines; ++line)
    count_ == 1 ? of_line(dt, line, lines, to) : of_line_of_matrices(dt, line, lines, to);
}

void ExponentialFactors::of_line(double dt, std::int64_t line, std::int64_t lines,
                                 double* to) const {
  const std::int64_t cells = shape_.cells();
  rates_.front().for_line(line, [&](std::int64_t mode, double rate) {
    double* const at = to + mode * lines + line;
    const Phi phi = phi_of(dt * rate);
    at[Modes::L * cells] = rate;
    at[Modes::Q * cells] = dt * phi.one;
    if (order_ == 2) {
      at[Modes::R * cells] = dt * phi.two;
      return;
    }
    const double half = dt / 2 * rate;
    at[Modes::P * cells] = dt / 2 * (half == 0 ? 1 : std::expm1(half) / half);
    at[Modes::R * cells] = dt * (2 * phi.two - 4 * phi.three);
    at[Modes::W * cells] = dt * (4 * phi.three - phi.two);
  });
}

void ExponentialFactors::of_line_of_matrices(double dt, std::int64_t line, std::int64_t lines,
                                             double* to) const {
  const int elements = count_ * count_;
  const std::int64_t cells = shape_.cells(), modes = cells / lines;
  std::vector<PhiOfMatrix::Matrix> linear(static_cast<std::size_t>(modes));
  for (int element = 0; element < elements; ++element)
    rates_[static_cast<std::size_t>(element)].for_line(
        line, [&](std::int64_t mode, double rate) { linear[mode][element] = rate; });
  PhiOfMatrix phi(count_);
  for (std::int64_t mode = 0; mode < modes; ++mode) {
    PhiOfMatrix::Matrix z = linear[mode];
    for (double& element : z) element *= dt;
    phi.compute(z);
    for (int i = 0; i < elements; ++i) {
      double* const at = to + i * cells + mode * lines + line;
      const std::int64_t apart = elements * cells;
      at[Modes::L * apart] = linear[mode][i];
      at[Modes::Q * apart] = dt * phi.one[i];
      at[Modes::R * apart] = dt * (order_ == 2 ? phi.two[i] : 2 * phi.two[i] - 4 * phi.three[i]);
      if (order_ == 2) continue;
      at[Modes::P * apart] = dt / 2 * phi.half[i];
      at[Modes::W * apart] = dt * (4 * phi.three[i] - phi.two[i]);
    }
  }
}

}  // namespace lapl
