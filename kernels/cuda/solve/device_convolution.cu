// Convolutions over the grid on a GPU: the field is continued beyond its sides in float64, and
// filtered plane by plane (kernels/filters/cuda).
#include <optional>
#include <utility>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/solve/device_equations.hpp"
#include "kernels/cuda/solve/device_loops.cuh"
#include "kernels/filters/cuda/cuda_filter.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

// The filter of a plane of weights. A separable one sums along rows first, as the host does.
struct PlaneFilter {
  explicit PlaneFilter(const FilterPlan<double>& plan) {
    const Correlation<double>& both = plan.correlation;
    if (plan.method == FilterMethod::direct) {
      last = make_cuda_filter(plan);
      return;
    }
    const SeparableWeights<double> weights = separate(both).value();
    const Shape between{both.input.rows, both.output.columns};
    along = make_cuda_filter<double>({.correlation = {.input = both.input,
                                                      .output = between,
                                                      .window = {1, both.window.columns},
                                                      .weights = weights.columns}});
    last = make_cuda_filter<double>({.correlation = {.input = between,
                                                     .output = both.output,
                                                     .window = {both.window.rows, 1},
                                                     .weights = weights.rows}});
  }

  // `between` is memory for the input's rows with the output's columns.
  void apply(const double* input, double* between, double* output, cudaStream_t stream) {
    if (along) along->apply(input, between, stream);
    last->apply(along ? between : input, output, stream);
  }

  std::unique_ptr<CudaFilter<double>> along, last;
};

template <class T>
struct DeviceConvolution final : DeviceEquations<T> {
  DeviceConvolution(GridConvolution<T>& convolution, cudaStream_t stream)
      : convolution_(convolution), stream_(stream), grid_(convolution.continuation(0)) {}

  bool operator()(const std::vector<const T*>& fields, std::int64_t pitch, double time,
                  T* result) override {
    if (!prepare()) return false;
    const std::int64_t rows = grid_.size[0] * grid_.size[1], columns = grid_.size[2];
    for (std::int64_t i = 0; i < arrays(); ++i) {
      const T* const from = fields[i];
      double* const to = state_.data() + i * grid_.cells();
      for_cells_on(stream_, rows, columns, [=] __device__(std::int64_t row, std::int64_t column) {
        to[row * columns + column] = static_cast<double>(from[row * pitch + column]);
      });
    }
    convolve(time);
    const double* const from = result_.data();
    for_cells_on(stream_, rows, columns, [=] __device__(std::int64_t row, std::int64_t column) {
      result[row * pitch + column] = static_cast<T>(from[row * columns + column]);
    });
    return true;
  }

  bool operator()(std::vector<double>& state, double time) override {
    if (!prepare()) return false;
    const std::size_t bytes = grid_.cells() * sizeof(double);
    LAPL_CUDA(cudaMemcpyAsync(state_.data(), state.data(), arrays() * bytes, cudaMemcpyHostToDevice,
                              stream_));
    convolve(time);
    LAPL_CUDA(cudaMemcpyAsync(state.data() + state.size() - grid_.cells(), result_.data(), bytes,
                              cudaMemcpyDeviceToHost, stream_));
    LAPL_CUDA(cudaStreamSynchronize(stream_));
    return true;
  }

  // Number of arrays that the convolution reads: the source and the ghosts of sides.
  std::int64_t arrays() const {
    std::int64_t count = 1;
    for (const ContinuedSide& side : convolution_.sides()) count += side.at_node ? 0 : 1;
    return count;
  }

  // Returns false where the host must convolve.
  bool prepare() {
    if (state_.size() > 0) return true;
    if (is_hosts_ || convolution_.window().by_fft) return false;
    const std::int64_t cells = grid_.cells(), of_array = grid_.extent(0) * grid_.stride[0];
    const std::int64_t of_plane = grid_.size[1] * grid_.size[2];
    const std::int64_t of_between = grid_.extent(1) * grid_.size[2];
    is_hosts_ = free_device_memory() <
                8 * static_cast<double>((arrays() + 1) * cells + of_array + of_plane + of_between);
    if (is_hosts_) return false;
    if (!convolution_.moved())
      for (const auto& plan : convolution_.plans()) {
        filters_.emplace_back();
        if (plan) filters_.back().emplace(*plan);
      }
    between_ = device_buffer<double>(of_between);
    part_ = device_buffer<double>(of_plane);
    result_ = device_buffer<double>(cells);
    extended_ = device_buffer<double>(of_array);
    state_ = device_buffer<double>(arrays() * cells);
    return true;
  }

  // The continuation at a time, in memory of the device.
  GridContinuation<T> continuation(double time) {
    GridContinuation<T> grid = convolution_.continuation(time);
    for (int side = 0; side < 6; ++side) {
      SideContinuation<T>& of = grid.sides[side / 2][side % 2];
      if (of.each == nullptr) continue;
      DeviceBuffer<Face<T>>& table = tables_[side];
      if (table.size() == 0) table = device_buffer<Face<T>>(grid.nodes(side / 2));
      LAPL_CUDA(cudaMemcpyAsync(table.data(), of.each, table.size() * sizeof(Face<T>),
                                cudaMemcpyHostToDevice, stream_));
      of.each = table.data();
    }
    grid.source = state_.data();
    grid.first = extended_.data() + grid.corner();
    return grid;
  }

  // Convolves state_ to result_.
  void convolve(double time) {
    const GridContinuation<T> grid = continuation(time);
    const std::int64_t columns = grid.size[2], plane = grid.size[1] * columns;
    const std::int64_t rows = grid.size[0] * grid.size[1];
    for_cells_on(stream_, rows, columns, [=] __device__(std::int64_t row, std::int64_t column) {
      grid.row(row)[column] = grid.source[row * columns + column];
    });
    for (const int axis : {2, 1, 0}) {
      const std::int64_t reach = grid.reach[axis];
      for_cells_on(stream_, 2 * reach, grid.lines(axis),
                   [=] __device__(std::int64_t ghost, std::int64_t line) {
                     const std::int64_t depth = ghost % reach + 1;
                     grid.extend(axis, ghost >= reach, line, depth, depth);
                   });
    }
    double* const result = result_.data();
    if (const auto moved = convolution_.moved()) {
      const std::int64_t back = *moved;
      for_cells_on(stream_, rows, columns, [=] __device__(std::int64_t row, std::int64_t column) {
        result[row * columns + column] = grid.row(row)[column - back];
      });
      return;
    }
    for (std::int64_t i = 0; i < grid.size[0]; ++i) {
      double *const of_plane = result + i * plane, *const part = part_.data();
      bool is_first = true;
      for (std::size_t k = 0; k < filters_.size(); ++k) {
        if (!filters_[k]) continue;
        double* const to = std::exchange(is_first, false) ? of_plane : part;
        filters_[k]->apply(extended_.data() + (i + static_cast<std::int64_t>(k)) * grid.stride[0],
                           between_.data(), to, stream_);
        if (to != of_plane)
          for_indices_on(stream_, plane,
                         [=] __device__(std::int64_t cell) { of_plane[cell] += part[cell]; });
      }
      if (is_first) LAPL_CUDA(cudaMemsetAsync(of_plane, 0, plane * sizeof(double), stream_));
    }
  }

  GridConvolution<T>& convolution_;
  cudaStream_t stream_;
  GridContinuation<T> grid_;
  bool is_hosts_ = false;
  std::vector<std::optional<PlaneFilter>> filters_;  // of each plane of weights; none: 0
  DeviceBuffer<double> state_, extended_, result_, part_, between_;
  DeviceBuffer<Face<T>> tables_[6];
};

}  // namespace

template <class T>
std::unique_ptr<DeviceEquations<T>> make_device_convolution(GridConvolution<T>& convolution,
                                                            cudaStream_t stream) {
  return std::make_unique<DeviceConvolution<T>>(convolution, stream);
}
LAPL_FOR_FLOATS(make_device_convolution);

}  // namespace lapl
