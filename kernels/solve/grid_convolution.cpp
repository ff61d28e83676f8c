#include "kernels/solve/grid_convolution.hpp"

#include <algorithm>
#include <utility>

#include "kernels/backend.hpp"
#include "kernels/filters/cpu/filter_engines.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/solve/stencil_matrix.hpp"

namespace lapl {
namespace {

template <class T>
Problem<T> with_one_array(const Problem<T>& problem, int array) {
  return {.shape = problem.shape,
          .faces = {problem.faces[array]},
          .conditions = problem.conditions,
          .spacing = problem.spacing,
          .middle = problem.middle};
}

}  // namespace

template <class T>
GridConvolution<T>::GridConvolution(const Problem<T>& problem, int source, ConvolutionWindow window,
                                    std::vector<ContinuedSide> sides, int threads)
    : faces_(with_one_array(problem, source)),
      window_(std::move(window)),
      sides_(std::move(sides)),
      threads_(threads > 0 ? threads : useful_threads(problem.shape)),
      conditions_(faces_) {
  std::int64_t stride = 1;
  for (int axis = 3; axis-- > 0;) {
    grid_.size[axis] = by_axis(problem.shape)[axis];
    grid_.reach[axis] = window_.reach(axis);
    grid_.stride[axis] = stride;
    stride *= grid_.extent(axis);
    grid_.wraps[axis] = axis_faces(faces_.faces[0], axis).wrap();
  }
  int ghosts = 0;
  for (const ContinuedSide& side : sides_) {
    SideContinuation<T>& of = grid_.sides[side.axis][side.last ? 1 : 0];
    of.at_node = side.at_node;
    of.ghosts = side.at_node ? 0 : ++ghosts;
    of.b = side.b;
    if (!side.last) grid_.wraps[side.axis] = false;
  }
  if (const auto& weights = window_.weights;
      std::ranges::count(weights, 1.0) == 1 &&
      std::ranges::count(weights, 0.0) + 1 == std::ssize(weights)) {
    const Cell at = cell_at(window_.shape, std::ranges::find(weights, 1.0) - weights.begin());
    moved_ = at.plane * grid_.stride[0] + at.row * grid_.stride[1] + at.column - grid_.corner();
    return;
  }
  if (by_volume()) return;
  for (const auto& plan : plans())
    filters_.push_back(plan ? make_cpu_filter(*plan, threads_) : nullptr);
}

template <class T>
std::vector<std::optional<FilterPlan<double>>> GridConvolution<T>::plans() const {
  std::vector<std::optional<FilterPlan<double>>> plans(window_.shape.planes);
  const std::int64_t of_plane = window_.shape.rows * window_.shape.columns;
  const Shape plane{grid_.size[1], grid_.size[2]};
  for (std::int64_t k = 0; k < window_.shape.planes; ++k) {
    FilterPlan<double> plan{.correlation = {.input = {grid_.extent(1), grid_.extent(2)},
                                            .output = plane,
                                            .window = {window_.shape.rows, window_.shape.columns},
                                            .weights = {}}};
    // A convolution is the correlation with the weights in reverse order.
    const auto end = window_.weights.rbegin() + (k + 1) * of_plane;
    plan.correlation.weights.assign(end - of_plane, end);
    if (std::ranges::all_of(plan.correlation.weights, [](double weight) { return weight == 0; }))
      continue;
    if (window_.by_fft)
      plan.method = FilterMethod::fft;
    else if (pays_in_two_passes(plan.correlation.window, false) && separate(plan.correlation))
      plan.method = FilterMethod::separable;
    plans[k] = std::move(plan);
  }
  return plans;
}

template <class T>
GridContinuation<T> GridConvolution<T>::continuation(double time) {
  conditions_.set_time(time);
  for (int axis = 0; axis < 3; ++axis)
    for (const bool last : {false, true}) {
      const ConditionsAlongFace<T>& given = conditions_.of(0, axis, last);
      SideContinuation<T>& side = grid_.sides[axis][last ? 1 : 0];
      side.everywhere = given.everywhere;
      side.each = given.each.empty() ? nullptr : given.each.data();
      side.pitch = given.pitch;
    }
  return grid_;
}

template <class T>
double GridConvolution<T>::own_memory() const {
  const double cells = static_cast<double>(faces_.shape.cells());
  const double extended = static_cast<double>(grid_.extent(0) * grid_.stride[0]);
  const double ghosts = static_cast<double>(sides_.size()) * cells;
  const double transforms =
      by_volume() ? volume_filter_memory({grid_.extent(1), grid_.extent(2), grid_.extent(0), 3})
                  : 0;
  return (extended + 2 * cells + ghosts) * sizeof(double) + (3 * cells + ghosts) * sizeof(T) +
         transforms;
}

template <class T>
void GridConvolution<T>::solve(std::vector<double>& state, const SolveMoment& at) {
  GridContinuation<T> grid = continuation(at.time);
  const auto& size = grid.size;
  const auto& stride = grid.stride;
  const std::int64_t cells = grid.cells(), rows = size[0] * size[1];
  extended_.resize(grid.extent(0) * stride[0]);
  grid.source = state.data();
  grid.first = extended_.data() + grid.corner();
  for_indices(rows, threads_, [&](std::int64_t row) {
    std::copy_n(grid.source + row * size[2], size[2], grid.row(row));
  });
  for (const int axis : {2, 1, 0}) {
    if (grid.reach[axis] == 0) continue;
    for_indices(grid.lines(axis), threads_, [&](std::int64_t line) {
      for (const bool last : {false, true}) grid.extend(axis, last, line, 1, grid.reach[axis]);
    });
  }
  double* const result = state.data() + std::ssize(state) - cells;
  if (moved_) {
    for_indices(rows, threads_, [&](std::int64_t row) {
      std::copy_n(grid.row(row) - *moved_, size[2], result + row * size[2]);
    });
    return;
  }
  if (by_volume()) {
    if (!volume_) volume_ = make_volume_filter(window_, faces_.shape, threads_);
    volume_->apply(extended_.data(), result);
    return;
  }
  const std::int64_t plane = size[1] * size[2];
  std::vector<double> part(filters_.size() > 1 ? plane : 0);
  for (std::int64_t i = 0; i < size[0]; ++i) {
    double* const of_plane = result + i * plane;
    bool is_first = true;
    for (std::size_t k = 0; k < filters_.size(); ++k) {
      if (!filters_[k]) continue;
      double* const to = std::exchange(is_first, false) ? of_plane : part.data();
      filters_[k]->apply(extended_.data() + (i + static_cast<std::int64_t>(k)) * stride[0], to);
      if (to != of_plane)
        for_indices(plane, threads_, [&](std::int64_t cell) { of_plane[cell] += part[cell]; });
    }
    if (is_first) std::fill_n(of_plane, plane, 0.0);
  }
}

template class GridConvolution<float>;
template class GridConvolution<double>;

}  // namespace lapl
