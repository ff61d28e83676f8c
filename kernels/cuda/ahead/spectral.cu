// Engine "spectral" on a GPU: steps by modes (kernels/spectral/mode_engine.hpp), with the
// transforms of kernels/cuda/ahead/spectral_transforms.cuh.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cuda/ahead/spectral_transforms.cuh"
#include "kernels/cuda/cuda_engine.hpp"
#include "kernels/cuda/ranks/device_halo.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/spectral/mode_engine.hpp"
#include "kernels/spectral/rates_of_modes.hpp"

namespace lapl {
namespace {

template <class Change>
__global__ void __launch_bounds__(block_threads)
    change_modes(const __grid_constant__ Change change, std::int64_t count) {
  const std::int64_t at = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (at < count) change(at);
}

template <class T>
__global__ void __launch_bounds__(block_threads)
    to_float64(const T* from, std::int64_t from_pitch, double* to, std::int64_t to_pitch,
               std::int64_t columns) {
  const std::int64_t column = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t row = blockIdx.y + std::int64_t{blockIdx.z} * gridDim.y;
  if (column < columns)
    to[row * to_pitch + column] = static_cast<double>(from[row * from_pitch + column]);
}

// Copies `from` to device memory; returns when the copy is done.
template <class Value>
void to_device(const std::vector<Value>& from, Value* to, cudaStream_t stream) {
  LAPL_CUDA(cudaMemcpyAsync(to, from.data(), from.size() * sizeof(Value), cudaMemcpyHostToDevice,
                            stream));
  LAPL_CUDA(cudaStreamSynchronize(stream));
}

// The terms of the rate and their distances for each mode (kernels/spectral/linear_rates.hpp), in
// device memory.
class DeviceLinearModes {
 public:
  DeviceLinearModes(const LinearRates& rates, const LineShares& shares, cudaStream_t stream) {
    const Shape grid = shares.grid();
    const RatesOfModes of_modes(rates, rates.faces, grid);
    std::vector<double> all;
    std::array<std::int64_t, 3> first = {};
    for (int axis = 0; axis < 3; ++axis) {
      first[axis] = std::ssize(all);
      for (const std::vector<double>& of_turns : of_modes.distances(axis))
        all.insert(all.end(), of_turns.begin(), of_turns.end());
    }
    std::vector<Term> terms;
    for (const auto& [weight, turns] : rates.terms)
      terms.push_back({weight, {turns[0], turns[1], turns[2]}});
    if (!terms.empty()) {
      distances_ = device_buffer<double>(std::ssize(all));
      to_device(all, distances_.data(), stream);
      terms_ = device_buffer<Term>(std::ssize(terms));
      to_device(terms, terms_.data(), stream);
    }
    const double* const from = distances_.data();
    step_.of_mean = rates.of_mean;
    step_.terms = terms_.data();
    step_.term_count = static_cast<int>(terms.size());
    step_.slowest = shares.slowest();
    for (int axis = 0; axis < 3; ++axis) {
      step_.sizes[axis] = by_axis(grid)[axis];
      step_.distances[axis] = from + first[axis];
    }
    step_.first_line = shares.lines().first;
    step_.lines = shares.lines().count;
  }

  StepModes steps(const ModeSteps& steps, double scale, const double* source) const {
    StepModes step = step_;
    step.steps = steps;
    step.scale = scale;
    step.source = source;
    return step;
  }

 private:
  DeviceBuffer<double> distances_;
  DeviceBuffer<Term> terms_;
  StepModes step_;
};

// The operations on a GPU that engines of modes need: the Machine of mode_engine.hpp.
class DeviceModes {
 public:
  using Where = cudaStream_t;
  using Buffer = DeviceBuffer<double>;
  using Transforms = GridTransforms<DevicePasses>;
  using LinearModes = DeviceLinearModes;

  template <class T>
  DeviceModes(const Problem<T>& problem, cudaStream_t stream)
      : shape_(problem.shape),
        rows_(problem.state_fields() * shape_.planes * shape_.rows),
        stream_(stream),
        exchange_(problem, stream) {}

  int threads() const { return useful_threads(shape_); }
  cudaStream_t stream() const { return stream_; }
  DevicePasses::Exchange& exchange() { return exchange_; }
  Transforms transforms(const Faces<double>& faces) { return {faces, exchange_, stream_}; }
  LinearModes linear(const LinearRates& rates) { return {rates, exchange_, stream_}; }

  void require(std::int64_t values) {
    require_beside_grid(static_cast<double>(values) * sizeof(double));
  }
  Buffer allocate(std::int64_t values) { return device_buffer<double>(values); }
  void copy(const std::vector<double>& from, double* to) { to_device(from, to, stream_); }
  template <class Compute>
  void fill(Buffer& buffer, const Compute& compute) {
    std::vector<double> made(static_cast<std::size_t>(buffer.size()));
    compute(made.data());
    copy(made, buffer.data());
  }
  template <class T>
  std::int64_t pitch() const {
    return field_layout<T>(shape_).pitch;
  }
  template <class T>
  void widen(const T* state, double* to) {
    for (std::int64_t row = 0; row < rows_; row += 65535) {
      const dim3 blocks(blocks_for(shape_.columns),
                        static_cast<unsigned>(std::min<std::int64_t>(rows_ - row, 65535)));
      to_float64<<<blocks, block_threads, 0, stream_>>>(state + row * pitch<T>(), pitch<T>(),
                                                        to + row * pitch<double>(), pitch<double>(),
                                                        shape_.columns);
      LAPL_CUDA(cudaGetLastError());
    }
  }
  template <class Change>
  void for_each(std::int64_t count, const Change& change) {
    if (count == 0) return;
    change_modes<<<blocks_for(count), block_threads, 0, stream_>>>(change, count);
    LAPL_CUDA(cudaGetLastError());
  }

  template <class T>
  std::unique_ptr<Halo<double>> make_halo(const Problem<T>& problem) {
    return make_device_halo<double>(*problem.by, problem.ranks->rank(), problem.state_fields(),
                                    problem.devices);
  }

 private:
  static unsigned blocks_for(std::int64_t threads) {
    return static_cast<unsigned>((threads + block_threads - 1) / block_threads);
  }

  Shape shape_;
  std::int64_t rows_;  // of all fields of the block
  cudaStream_t stream_;
  DevicePasses::Exchange exchange_;
};

}  // namespace

template <class T>
std::unique_ptr<Engine<T>> make_spectral_cuda_engine(const Problem<T>& problem, cudaStream_t stream,
                                                     std::unique_ptr<Engine<double>> rates) {
  return make_mode_engine<DeviceModes>(problem, stream, std::move(rates));
}
LAPL_FOR_FLOATS(make_spectral_cuda_engine);

}  // namespace lapl
