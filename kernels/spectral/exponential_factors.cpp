#include "kernels/spectral/exponential_factors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/spectral/exponential_modes.hpp"
#include "kernels/spectral/phi.hpp"

namespace lapl {

namespace {
using Modes = ExponentialModes;
}

ExponentialFactors::ExponentialFactors(const ExponentialRates::Group& group, int order, Shape shape)
    : order_(order), count_(group.size()), shape_(shape), computed_(by_axis(shape)) {
  for (const ModeRate& rate : group.linear) rates_.emplace_back(rate, group.faces, shape);
  for (int axis = 0; axis < 3; ++axis)
    if (axis_faces(group.faces, axis).wrap()) computed_[axis] = computed_[axis] / 2 + 1;
}

std::int64_t ExponentialFactors::values() const {
  return Modes::factors(order_) * count_ * count_ * shape_.cells();
}

void ExponentialFactors::compute(double dt, double* to, int threads) const {
  static constexpr auto by_count = []<int... i>(std::integer_sequence<int, i...>) {
    return std::array{&ExponentialFactors::of_line,
                      &ExponentialFactors::of_line_of_matrices<i + 2>...};
  }
  (std::make_integer_sequence<int, most_coupled - 1>());
  auto of_line = by_count[count_ - 1];
#ifdef __x86_64__
  if (count_ == 1 && has_avx2()) of_line = &ExponentialFactors::of_line_with_fma;
#endif
  const int slowest = 3 - shape_.axes;
  const std::int64_t lines = shape_.cells() / by_axis(shape_)[slowest];
  const std::int64_t computed = computed_[0] * computed_[1] * computed_[2] / computed_[slowest];
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < computed; ++i) {
    const std::int64_t line = i / computed_[2] * shape_.columns + i % computed_[2];
    (this->*of_line)(dt, line, lines, to);
  }
  if (computed_ != by_axis(shape_)) copy_to_twins(to, threads);
}

void ExponentialFactors::copy_to_twins(double* to, int threads) const {
  const std::array<std::int64_t, 3> size = by_axis(shape_);
  const auto first_twin = [&](int axis, std::int64_t mode) {
    return mode < computed_[axis] ? mode : size[axis] - mode;
  };
  const std::int64_t rows = values() / size[2];
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t z = row / size[1] % size[0], y = row % size[1];
    const std::int64_t back = (z - first_twin(0, z)) * size[1] + y - first_twin(1, y);
    double* const modes = to + row * size[2];
    if (back > 0) std::copy_n(modes - back * size[2], computed_[2], modes);
    for (std::int64_t x = computed_[2]; x < size[2]; ++x) modes[x] = modes[size[2] - x];
  }
}

void ExponentialFactors::of_line(double dt, std::int64_t line, std::int64_t lines,
                                 double* to) const {
  const std::int64_t cells = shape_.cells(), modes = computed_[3 - shape_.axes];
  rates_.front().for_line(line, [&](std::int64_t mode, double rate) {
    if (mode >= modes) return;
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

#ifdef __x86_64__
[[gnu::target("fma"), gnu::flatten]] void ExponentialFactors::of_line_with_fma(double dt,
                                                                               std::int64_t line,
                                                                               std::int64_t lines,
                                                                               double* to) const {
  of_line(dt, line, lines, to);
}
#endif

template <int count>
void ExponentialFactors::of_line_of_matrices(double dt, std::int64_t line, std::int64_t lines,
                                             double* to) const {
  constexpr int elements = count * count;
  const std::int64_t cells = shape_.cells(), apart = elements * cells;
  PhiOfMatrix<count> phi;
  std::vector<typename PhiOfMatrix<count>::Matrix> linear(static_cast<std::size_t>(cells / lines));
  for (int element = 0; element < elements; ++element)
    rates_[static_cast<std::size_t>(element)].for_line(
        line, [&](std::int64_t mode, double rate) { linear[mode][element] = rate; });
  for (std::int64_t mode = 0; mode < computed_[3 - shape_.axes]; ++mode) {
    auto z = linear[mode];
    for (double& element : z) element *= dt;
    phi.compute(z);
    for (int i = 0; i < elements; ++i) {
      double* const at = to + i * cells + mode * lines + line;
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
