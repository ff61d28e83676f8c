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
          .spacing = problem.spacing};
}

}  // namespace

template <class T>
GridConvolution<T>::GridConvolution(const Problem<T>& problem, int source, ConvolutionWindow window,
                                    std::vector<ContinuedSide> sides, int threads)
    : faces_(with_one_array(problem, source)),
      window_(std::move(window)),
      sides_(std::move(sides)),
      threads_(threads > 0 ? threads : useful_threads(problem.shape)),
      conditions_(faces_),
      size_(by_axis(problem.shape)) {
  std::int64_t stride = 1;
  for (std::size_t axis = 3; axis-- > 0;) {
    reach_[axis] = window_.reach(axis);
    stride_[axis] = stride;
    extent_[axis] = size_[axis] + 2 * reach_[axis];
    stride *= extent_[axis];
    wraps_[axis] = axis_faces(faces_.faces[0], static_cast<int>(axis)).wrap() &&
                   staged_side(axis, false) == std::ssize(sides_);
  }
  if (const auto& weights = window_.weights;
      std::ranges::count(weights, 1.0) == 1 &&
      std::ranges::count(weights, 0.0) + 1 == std::ssize(weights)) {
    const Cell at = cell_at(window_.shape, std::ranges::find(weights, 1.0) - weights.begin());
    moved_ = (at.plane - reach_[0]) * stride_[0] + (at.row - reach_[1]) * stride_[1] + at.column -
             reach_[2];
    return;
  }
  if (by_volume()) return;
  const std::int64_t of_plane = window_.shape.rows * window_.shape.columns;
  const Shape plane{size_[1], size_[2]};
  for (std::int64_t k = 0; k < window_.shape.planes; ++k) {
    FilterPlan<double> plan{
        .correlation = {.input = {plane.rows + 2 * reach_[1], plane.columns + 2 * reach_[2]},
                        .output = plane,
                        .window = {window_.shape.rows, window_.shape.columns},
                        .weights = {}}};
    // A convolution is the correlation with the weights in reverse order.
    const auto end = window_.weights.rbegin() + (k + 1) * of_plane;
    plan.correlation.weights.assign(end - of_plane, end);
    filters_.emplace_back();
    if (std::ranges::all_of(plan.correlation.weights, [](double weight) { return weight == 0; }))
      continue;
    if (window_.by_fft)
      plan.method = FilterMethod::fft;
    else if (pays_in_two_passes(plan.correlation.window, false) && separate(plan.correlation))
      plan.method = FilterMethod::separable;
    filters_.back() = make_cpu_filter(plan, threads_);
  }
}

// The index of a side in sides_; their number if it is none of them.
template <class T>
std::ptrdiff_t GridConvolution<T>::staged_side(std::size_t axis, bool last) const {
  return std::ranges::find_if(sides_,
                              [&](const ContinuedSide& side) {
                                return side.axis == static_cast<int>(axis) && side.last == last;
                              }) -
         sides_.begin();
}

// The condition of a side of sides_, whose ghosts are in `state`, at indices along its other axes.
template <class T>
Face<double> GridConvolution<T>::staged_face(std::ptrdiff_t side, std::int64_t slow,
                                             std::int64_t fast,
                                             const std::vector<double>& state) const {
  const ContinuedSide& of = sides_[side];
  const std::array at = {slow, of.axis == 2 ? fast : slow, fast};
  std::int64_t cell = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t size = size_[axis];
    const bool along = static_cast<int>(axis) == of.axis;
    const std::int64_t index = along          ? (of.last ? size - 1 : 0)
                               : wraps_[axis] ? (at[axis] % size + size) % size
                                              : std::clamp<std::int64_t>(at[axis], 0, size - 1);
    cell = cell * size + index;
  }
  const auto ghosts = 1 + std::count_if(sides_.begin(), sides_.begin() + side,
                                        [](const ContinuedSide& other) { return !other.at_node; });
  return {state[ghosts * faces_.shape.cells() + cell] - of.b * state[cell],
          static_cast<double>(of.b)};
}

// Continues a line along an axis beyond both faces; `slow` and `fast` are its indices along the
// others.
template <class T>
void GridConvolution<T>::extend(std::size_t axis, double* line, std::int64_t slow,
                                std::int64_t fast, const std::vector<double>& state) {
  const std::int64_t size = size_[axis], step = stride_[axis];
  const std::size_t slower = axis == 0 ? 1 : 0, faster = axis == 2 ? 1 : 2;
  for (const bool last : {false, true}) {
    const std::ptrdiff_t staged = staged_side(axis, last);
    const bool is_staged = staged < std::ssize(sides_);
    const bool at_node = is_staged && sides_[staged].at_node;
    const auto at = [&](std::int64_t depth) -> double& {
      return line[(last ? size - 1 - depth : depth) * step];
    };
    Face<double> face;
    if (at_node) {
      face = {2 * at(0), -1};
    } else if (is_staged) {
      face = staged_face(staged, slow, fast, state);
    } else {
      const Face<T>& given = conditions_.of(0, static_cast<int>(axis), last)
                                 .at(std::clamp<std::int64_t>(slow, -1, size_[slower]),
                                     std::clamp<std::int64_t>(fast, -1, size_[faster]));
      face = {static_cast<double>(given.a), static_cast<double>(given.b)};
    }
    for (std::int64_t j = 1; j <= reach_[axis]; ++j) {
      if (wraps_[axis]) {
        at(-j) = at((size - j % size) % size);
        continue;
      }
      const double mirrored = at(std::min(at_node ? j : j - 1, size - 1));
      at(-j) = ghost_value(face.b == 1 ? face.a * static_cast<double>(2 * j - 1) : face.a, face.b,
                           mirrored);
    }
  }
}

template <class T>
double GridConvolution<T>::own_memory() const {
  const double cells = static_cast<double>(faces_.shape.cells());
  const double extended = static_cast<double>(extent_[0] * stride_[0]);
  const double ghosts = static_cast<double>(sides_.size()) * cells;
  const double transforms =
      by_volume() ? volume_filter_memory({extent_[1], extent_[2], extent_[0], 3}) : 0;
  return (extended + 2 * cells + ghosts) * sizeof(double) + (3 * cells + ghosts) * sizeof(T) +
         transforms;
}

template <class T>
void GridConvolution<T>::solve(std::vector<double>& state, const SolveMoment& at) {
  const std::int64_t cells = faces_.shape.cells();
  extended_.resize(extent_[0] * stride_[0]);
  conditions_.set_time(at.time);
  double* const first =
      extended_.data() + reach_[0] * stride_[0] + reach_[1] * stride_[1] + reach_[2];
  for_indices(size_[0] * size_[1], threads_, [&](std::int64_t row) {
    const std::int64_t i = row / size_[1], j = row % size_[1];
    double* const to = first + i * stride_[0] + j * stride_[1];
    std::copy_n(state.begin() + row * size_[2], size_[2], to);
    extend(2, to, i, j, state);
  });
  if (reach_[1] > 0)
    for_indices(size_[0] * extent_[2], threads_, [&](std::int64_t line) {
      const std::int64_t i = line / extent_[2], j = line % extent_[2] - reach_[2];
      extend(1, first + i * stride_[0] + j, i, j, state);
    });
  if (reach_[0] > 0)
    for_indices(extent_[1] * extent_[2], threads_, [&](std::int64_t line) {
      const std::int64_t i = line / extent_[2] - reach_[1], j = line % extent_[2] - reach_[2];
      extend(0, first + i * stride_[1] + j, i, j, state);
    });
  double* const result = state.data() + std::ssize(state) - cells;
  if (moved_) {
    for_indices(size_[0] * size_[1], threads_, [&](std::int64_t row) {
      const double* const from =
          first + row / size_[1] * stride_[0] + row % size_[1] * stride_[1] - *moved_;
      std::copy_n(from, size_[2], result + row * size_[2]);
    });
    return;
  }
  if (by_volume()) {
    if (!volume_) volume_ = make_volume_filter(window_, faces_.shape, threads_);
    volume_->apply(extended_.data(), result);
    return;
  }
  const std::int64_t plane = size_[1] * size_[2];
  std::vector<double> part(filters_.size() > 1 ? plane : 0);
  for (std::int64_t i = 0; i < size_[0]; ++i) {
    double* const of_plane = result + i * plane;
    bool is_first = true;
    for (std::size_t k = 0; k < filters_.size(); ++k) {
      if (!filters_[k]) continue;
      double* const to = std::exchange(is_first, false) ? of_plane : part.data();
      filters_[k]->apply(extended_.data() + (i + static_cast<std::int64_t>(k)) * stride_[0], to);
      if (to != of_plane)
        for_indices(plane, threads_, [&](std::int64_t cell) { of_plane[cell] += part[cell]; });
    }
    if (is_first) std::fill_n(of_plane, plane, 0.0);
  }
}

template class GridConvolution<float>;
template class GridConvolution<double>;

}  // namespace lapl
