#include "kernels/spectral/exponential_factors.hpp"

#include <cmath>
#include <utility>

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/spectral/exponential_modes.hpp"
#include "kernels/spectral/phi.hpp"

namespace lapl {

namespace {
using Modes = ExponentialModes;
}

ExponentialFactors::ExponentialFactors(const ExponentialRates::Group& group, int order, Shape shape,
                                       std::optional<LineRange> lines)
    : order_(order),
      count_(group.size()),
      size_(by_axis(shape)[3 - shape.axes]),
      lines_(lines.value_or(Decomposition{shape}.lines(0))),
      cells_(size_ * lines_.count) {
  for (const ModeRate& rate : group.linear) rates_.emplace_back(rate, group.faces, shape);
  const auto first_twin = [&](int axis, std::int64_t mode) {
    const std::int64_t size = by_axis(shape)[axis];
    return axis_faces(group.faces, axis).wrap() && mode > size / 2 ? size - mode : mode;
  };
  computed_ = axis_faces(group.faces, 3 - shape.axes).wrap() ? size_ / 2 + 1 : size_;
  for (std::int64_t line = 0; line < lines_.count; ++line) {
    const std::int64_t in_grid = lines_.first + line;
    const std::int64_t twin = first_twin(1, in_grid / shape.columns) * shape.columns +
                              first_twin(2, in_grid % shape.columns) - lines_.first;
    twin_.push_back(twin < 0 ? line : twin);
    (twin_.back() == line ? computed_lines_ : copied_lines_).push_back(line);
  }
}

std::int64_t ExponentialFactors::values() const {
  return Modes::factors(order_) * count_ * count_ * cells_;
}

void ExponentialFactors::compute(double dt, double* to, int threads) const {
  if (cells_ == 0) return;
  static constexpr auto by_count = []<int... i>(std::integer_sequence<int, i...>) {
    return std::array{&ExponentialFactors::of_line,
                      &ExponentialFactors::of_line_of_matrices<i + 2>...};
  }
  (std::make_integer_sequence<int, most_coupled - 1>());
  auto of_line = by_count[count_ - 1];
#ifdef __x86_64__
  if (count_ == 1 && has_avx2()) of_line = &ExponentialFactors::of_line_with_fma;
#endif
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < std::ssize(computed_lines_); ++i)
    (this->*of_line)(dt, computed_lines_[i], to);
  if (computed_ < size_ || !copied_lines_.empty()) copy_to_twins(to, threads);
}

void ExponentialFactors::copy_to_twins(double* to, int threads) const {
  const std::int64_t rows = values() / lines_.count;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t mode = row % size_;
    double* const at = to + row * lines_.count;
    if (mode < computed_) {
      for (const std::int64_t line : copied_lines_) at[line] = at[twin_[line]];
      continue;
    }
    const double* const first = at - (2 * mode - size_) * lines_.count;
    for (std::int64_t line = 0; line < lines_.count; ++line) at[line] = first[twin_[line]];
  }
}

void ExponentialFactors::of_line(double dt, std::int64_t line, double* to) const {
  rates_.front().for_line(lines_.first + line, [&](std::int64_t mode, double rate) {
    if (mode >= computed_) return;
    double* const at = to + mode * lines_.count + line;
    const Phi phi = phi_values(dt * rate);
    at[Modes::L * cells_] = rate;
    at[Modes::Q * cells_] = dt * phi.one;
    if (order_ == 2) {
      at[Modes::R * cells_] = dt * phi.two;
      return;
    }
    const double half = dt / 2 * rate;
    at[Modes::P * cells_] = dt / 2 * (half == 0 ? 1 : std::expm1(half) / half);
    at[Modes::R * cells_] = dt * (2 * phi.two - 4 * phi.three);
    at[Modes::W * cells_] = dt * (4 * phi.three - phi.two);
  });
}

#ifdef __x86_64__
[[gnu::target("fma"), gnu::flatten]] void ExponentialFactors::of_line_with_fma(double dt,
                                                                               std::int64_t line,
                                                                               double* to) const {
  of_line(dt, line, to);
}
#endif

template <int count>
void ExponentialFactors::of_line_of_matrices(double dt, std::int64_t line, double* to) const {
  constexpr int elements = count * count;
  const std::int64_t apart = elements * cells_;
  PhiOfMatrix<count> phi;
  std::vector<typename PhiOfMatrix<count>::Matrix> linear(static_cast<std::size_t>(size_));
  for (int element = 0; element < elements; ++element)
    rates_[static_cast<std::size_t>(element)].for_line(
        lines_.first + line, [&](std::int64_t mode, double rate) { linear[mode][element] = rate; });
  for (std::int64_t mode = 0; mode < computed_; ++mode) {
    auto z = linear[mode];
    for (double& element : z) element *= dt;
    phi.compute(z);
    for (int i = 0; i < elements; ++i) {
      double* const at = to + i * cells_ + mode * lines_.count + line;
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
