#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "kernels/error.hpp"
#include "solver/filters/correlation.hpp"
#include "solver/filters/window_config.hpp"
#include "solver/make_problem.hpp"

namespace lapl {
namespace {

// The sizes along planes, rows and columns, of a list with one entry for all axes or one for each.
template <class T>
std::array<T, 3> along_axes(const char* key, const std::vector<T>& given, int axes, T none) {
  std::array<T, 3> made = {none, none, none};
  if (given.size() != 1 && std::ssize(given) != axes)
    throw ConfigError(
        "{}: found {} numbers on a grid of {} {} (expected one, or one for each axis)", key,
        given.size(), axes, axes == 1 ? "axis" : "axes");
  for (int axis = 3 - axes; axis < 3; ++axis)
    made[axis] = given.size() == 1 ? given[0] : given[axis - (3 - axes)];
  return made;
}

ConvolutionWindow of_size(const std::array<std::int64_t, 3>& size, int axes) {
  ConvolutionWindow window{{size[1], size[2], size[0], axes}, {}};
  for (int axis = 3 - axes; axis < 3; ++axis)
    if (size[axis] % 2 == 0 || size[axis] > most_cells_of_window[axes])
      throw ConfigError(
          "found a window of {} cells along an axis (expected an odd number of at "
          "most {} on a grid of {} {})",
          size[axis], most_cells_of_window[axes], axes, axes == 1 ? "axis" : "axes");
  window.weights.reserve(window.shape.cells());
  return window;
}

// The window with weight(at) at its indices along planes, rows and columns.
ConvolutionWindow with_weights(
    const std::array<std::int64_t, 3>& size, int axes,
    const std::function<double(const std::array<std::int64_t, 3>&)>& weight) {
  ConvolutionWindow window = of_size(size, axes);
  for (std::int64_t i = 0; i < window.shape.cells(); ++i)
    window.weights.push_back(weight(by_axis(cell_at(window.shape, i))));
  return window;
}

std::array<std::int64_t, 3> reaching(double cells, int axes) {
  const auto reach = static_cast<std::int64_t>(std::ceil(cells));
  return along_axes<std::int64_t>("radius", {2 * reach + 1}, axes, 1);
}

// 1 within a radius, 0 outside, and linear in an edge of this width.
double within(double r, double radius, double edge) {
  if (edge == 0) return r <= radius ? 1 : 0;
  return std::clamp((radius - r) / edge + 0.5, 0.0, 1.0);
}

ConvolutionWindow unscaled(const WindowConfig& config, const RunConfig& run) {
  const int axes = run.shape.axes;
  switch (config.kind) {
    case WindowKind::box:
      return with_weights(along_axes<std::int64_t>("size", config.size, axes, 1), axes,
                          [](const auto&) { return 1; });
    case WindowKind::gaussian: {
      const auto sigma = along_axes<double>("sigma", config.sigma, axes, 1);
      std::array<std::int64_t, 3> size = {1, 1, 1};
      if (!config.size.empty()) size = along_axes<std::int64_t>("size", config.size, axes, 1);
      std::array<std::vector<double>, 3> weights = {{{1}, {1}, {1}}};
      for (int axis = 3 - axes; axis < 3; ++axis) {
        weights[axis] = gaussian_weights(sigma[axis], config.size.empty() ? 0 : size[axis]);
        size[axis] = std::ssize(weights[axis]);
      }
      return with_weights(size, axes, [&](const std::array<std::int64_t, 3>& at) {
        return weights[0][at[0]] * weights[1][at[1]] * weights[2][at[2]];
      });
    }
    case WindowKind::disc:
    case WindowKind::ring: {
      const auto size = reaching(config.radius + config.edge / 2, axes);
      return with_weights(size, axes, [&](const std::array<std::int64_t, 3>& at) {
        const auto offset = [&](std::size_t axis) {
          return static_cast<double>(at[axis] - size[axis] / 2);
        };
        const double r = std::hypot(offset(0), offset(1), offset(2));
        const double disc = within(r, config.radius, config.edge);
        return config.kind == WindowKind::disc ? disc : disc - within(r, config.inner, config.edge);
      });
    }
    case WindowKind::formula: {
      ConvolutionWindow window =
          of_size(along_axes<std::int64_t>("size", config.size, axes, 1), axes);
      RunConfig offsets = run;
      offsets.shape = window.shape;
      for (std::size_t axis = 0; axis < 3; ++axis)
        offsets.spacing.origin[axis] =
            -static_cast<double>(window.reach(axis)) * run.spacing.by_axis[axis];
      window.weights = values_of_formula("kernels", config.formula, offsets, {}, only_rank());
      return window;
    }
    default: {
      Shape shape = config.shape;
      shape.axes = axes;
      if ((axes < 3 && shape.planes > 1) || (axes < 2 && shape.rows > 1))
        throw ConfigError("found weights of {} (expected as many axes as the grid has)",
                          shape_text(config.shape));
      ConvolutionWindow window = of_size(by_axis(shape), axes);
      window.weights = config.weights;
      return window;
    }
  }
}

}  // namespace

ConvolutionWindow convolution_window(const WindowConfig& config, const RunConfig& run) {
  ConvolutionWindow window = unscaled(config, run);
  window.by_fft = config.by_fft;
  const double sum = std::accumulate(window.weights.begin(), window.weights.end(), 0.0);
  const bool is_mean = config.kind == WindowKind::box || config.kind == WindowKind::disc ||
                       config.kind == WindowKind::ring;
  if (is_mean || config.normalize) {
    if (!(std::abs(sum) > 0))
      throw ConfigError("the weights add up to {} (expected another sum to divide them by)", sum);
    for (double& weight : window.weights) weight /= sum;
  }
  for (const double weight : window.weights)
    if (!std::isfinite(weight))
      throw ConfigError("a weight is {} (expected finite numbers)", weight);
  const std::array boundaries = by_axis(run.boundaries);
  for (std::size_t axis = 0; axis < 3 && !run.is_sample; ++axis)
    if (boundaries[axis] != Boundary::periodic && window.reach(axis) > by_axis(run.shape)[axis])
      throw ConfigError(
          "found a window that reaches {} cells along {} (expected at most the {} of "
          "the grid where its boundary is not periodic)",
          window.reach(axis), all_axes.at(axis).position, by_axis(run.shape)[axis]);
  return window;
}

ConvolutionWindow shift_window(const std::array<int, 3>& by, int axes) {
  const auto size = [&](std::size_t axis) { return 2 * std::abs(by[axis]) + std::int64_t{1}; };
  ConvolutionWindow window{{size(1), size(2), size(0), axes}, {}};
  window.weights.resize(window.shape.cells());
  const auto place = [&](std::size_t axis) { return window.reach(axis) - by[axis]; };
  window.weights[cell_index(window.shape, {place(1), place(2), place(0)})] = 1;
  return window;
}

}  // namespace lapl
