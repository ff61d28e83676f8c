// Engine "spectral" on a GPU: like kernels/cpu/spectral.cpp, with complex transforms of cuFFT in
// float64 in place of FFTW's real ones (kernels/cuda/ahead/spectral_lines.hpp).
//
//   columns forward -> (rows forward) -> slowest axis forward, modes, backward -> (rows) -> columns
//
// A pass transforms the lines along an axis batch by batch, so that a batch stays in the L2 cache
// and the extra memory does not grow with the grid. Bytes that a pass moves per cell, for a float64
// field and transforms of length L for lines of n values: 8 to pack, at least 24 * L/n to
// transform, at most 16 * L/n to unpack and 8 to write. A line of 2000 cells between zero faces has
// L = 4002. No sum depends on the order of threads, so equal runs give equal bits.
#include <algorithm>
#include <deque>
#include <string>

#include "kernels/cuda/ahead/spectral_kernels.cuh"
#include "kernels/cuda/cuda_engine.hpp"
#include "kernels/cuda/device/cufft_plan.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/machine/memory.hpp"

namespace lapl {
namespace {

constexpr int values_a_thread = 4;

// The lines along an axis and their transforms.
struct Axis {
  Axis(const AxisModes& modes, const Lines& of_modes) : line{modes}, lines(of_modes) {
    const std::int64_t all = (lines.count + 1) / 2;
    const std::int64_t most = std::max<std::int64_t>(
        1, spectral_batch_bytes / (line.length() * std::int64_t{sizeof(LinePair)}));
    const std::int64_t batches = (all + most - 1) / most;
    pairs = (all + batches - 1) / batches;
  }

  std::int64_t values() const { return pairs * line.length(); }

  // Creates the plan and returns the bytes of its work area, which is set later.
  std::size_t make_plan(cudaStream_t stream) {
    if (line.length() == 1) return 0;  // a single value is its own transform
    LAPL_CUFFT(cufftSetAutoAllocation(plan.handle, 0));
    long long length = line.length();
    std::size_t bytes = 0;
    LAPL_CUFFT(cufftXtMakePlanMany(plan.handle, 1, &length, nullptr, 1, length, CUDA_C_64F, nullptr,
                                   1, length, CUDA_C_64F, pairs, &bytes, CUDA_C_64F));
    LAPL_CUFFT(cufftSetStream(plan.handle, stream));
    return bytes;
  }
  void transform(LinePair* values, int direction) const {
    if (line.length() > 1) LAPL_CUFFT(cufftXtExec(plan.handle, values, values, direction));
  }

  SpectralLine line;
  Lines lines;         // the lines of the array of modes
  std::int64_t pairs;  // pairs of lines in a batch
  CufftPlan plan;
};

template <class T>
class SpectralEngine final : public CudaEngine<T> {
 public:
  SpectralEngine(const Problem<T>& problem, cudaStream_t stream)
      : rates_(problem.linear_rates),
        shape_(problem.shape),
        time_step_(problem.clock.step),
        slowest_(3 - problem.shape.axes) {
    if (!rates_)
      throw EngineUnsuitable("engine spectral: only linear equations of one field are stepped");
    std::int64_t most_values = 0;
    for (int axis = slowest_; axis < 3; ++axis) {
      axes_.emplace_back(AxisModes(axis_faces(rates_->faces, axis), by_axis(shape_)[axis]),
                         lines_along(axis, shape_.columns));
      most_values = std::max(most_values, axes_.back().values());
      scale_ /= static_cast<double>(axes_.back().line.length());
    }
    const std::int64_t fields = rates_->source.empty() ? 1 : 2;
    require(static_cast<double>(fields * shape_.cells()) * sizeof(double) +
            static_cast<double>(most_values) * sizeof(LinePair));
    modes_ = device_buffer<double>(shape_.cells());
    if (fields == 2) source_ = device_buffer<double>(shape_.cells());
    transforms_ = device_buffer<LinePair>(most_values);
    std::size_t work_bytes = 0;
    for (Axis& axis : axes_) work_bytes = std::max(work_bytes, axis.make_plan(stream));
    require(static_cast<double>(work_bytes));
    if (work_bytes > 0) work_ = device_buffer<unsigned char>(static_cast<std::int64_t>(work_bytes));
    for (const Axis& axis : axes_)
      if (axis.line.length() > 1) LAPL_CUFFT(cufftSetWorkArea(axis.plan.handle, work_.data()));
    lay_rates(stream);
    if (fields == 2) {
      to_device(rates_->source, source_, stream);
      for (int axis = 2; axis >= slowest_; --axis)
        forward(axis, source_.data(), along(axis).lines, source_.data(), stream);
    }
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps,
               cudaStream_t stream) override {
    if (steps == 0) return;
    const StepModes step = steps_of(steps);
    double* const modes = modes_.data();
    const Lines rows = lines_along(2, field_layout<T>(shape_).pitch);
    if (slowest_ == 2) return through_modes(buffers.current, rows, step, stream);
    forward(2, buffers.current, rows, modes, stream);
    if (slowest_ == 0) forward(1, modes, along(1).lines, modes, stream);
    through_modes(modes, along(slowest_).lines, step, stream);
    if (slowest_ == 0) backward(1, modes, along(1).lines, stream);
    backward(2, buffers.current, rows, stream);
  }

  std::string how() override { return "its digests are not those of engines that step"; }

 private:
  const Axis& along(int axis) const { return axes_[static_cast<std::size_t>(axis - slowest_)]; }

  static void require(double bytes) {
    require_device_memory("engine spectral, beside the grid,", bytes);
  }

  // Copies `from` to device memory; returns when the copy is done.
  template <class Value>
  static void to_device(const std::vector<Value>& from, const DeviceBuffer<Value>& to,
                        cudaStream_t stream) {
    LAPL_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(Value),
                              cudaMemcpyHostToDevice, stream));
    LAPL_CUDA(cudaStreamSynchronize(stream));
  }

  // The lines along an axis of an array with `pitch` values from row to row.
  Lines lines_along(int axis, std::int64_t pitch) const {
    const std::int64_t rows = shape_.planes * shape_.rows;
    if (axis == 2) return {rows, 1, 1, pitch};
    if (axis == 1)
      return {shape_.planes * shape_.columns, pitch, shape_.columns, shape_.rows * pitch};
    return {shape_.rows * shape_.columns, shape_.rows * pitch, shape_.columns, pitch};
  }

  // Copies the terms of the rate and the distances of each mode to device memory.
  void lay_rates(cudaStream_t stream) {
    std::vector<double> all;
    std::array<std::int64_t, 3> first = {};
    for (int axis = slowest_; axis < 3; ++axis) {
      int most = 0;
      for (const LinearRates::Term& term : rates_->terms) most = std::max(most, term.turns[axis]);
      first[axis] = std::ssize(all);
      for (int turns = 0; turns <= most; ++turns)
        std::ranges::copy(along(axis).line.modes.distances(turns), std::back_inserter(all));
    }
    distances_ = device_buffer<double>(std::ssize(all));
    to_device(all, distances_, stream);
    for (int axis = 0; axis < 3; ++axis) distances_of_[axis] = distances_.data() + first[axis];
    std::vector<Term> terms;
    for (const auto& [weight, turns] : rates_->terms)
      terms.push_back({weight, {turns[0], turns[1], turns[2]}});
    if (terms.empty()) return;
    terms_ = device_buffer<Term>(std::ssize(terms));
    to_device(terms, terms_, stream);
  }

  StepModes steps_of(std::int64_t steps) const {
    return {.steps = ModeSteps(*rates_, time_step_, steps),
            .scale = scale_,
            .of_mean = rates_->of_mean,
            .terms = terms_.data(),
            .term_count = static_cast<int>(rates_->terms.size()),
            .slowest = slowest_,
            .sizes = {shape_.planes, shape_.rows, shape_.columns},
            .distances = {distances_of_[0], distances_of_[1], distances_of_[2]},
            .source = source_.data()};
  }

  // Launches `kernel` for a batch of lines with `values` values each.
  template <class... Parameters, class... Arguments>
  static void launch(void (*kernel)(Batch, Parameters...), const Batch& batch, std::int64_t values,
                     cudaStream_t stream, const Arguments&... arguments) {
    const std::int64_t of_block = values_a_thread * block_threads / batch.pairs_a_block;
    const dim3 blocks(
        static_cast<unsigned>((batch.pairs + batch.pairs_a_block - 1) / batch.pairs_a_block),
        static_cast<unsigned>(std::min<std::int64_t>((values + of_block - 1) / of_block, 65535)));
    kernel<<<blocks, block_threads, 0, stream>>>(batch, arguments...);
    LAPL_CUDA(cudaGetLastError());
  }

  // Calls take(batch) for all lines of an axis, batch by batch.
  template <class Take>
  static void for_each_batch(const Axis& axis, const Take& take) {
    for (std::int64_t line = 0; line < axis.lines.count; line += 2 * axis.pairs)
      take(Batch{axis.line, line, axis.pairs, axis.lines.side_by_side == 1 ? 1 : 8});
  }

  template <class From, class Make>
  void to_modes(const Axis& axis, const Batch& batch, const From* from, const Lines& lines,
                double* modes, const Make& make, cudaStream_t stream) const {
    launch(pack<Packs::values, From>, batch, axis.line.length(), stream, from, lines,
           transforms_.data());
    axis.transform(transforms_.data(), CUFFT_FORWARD);
    launch(take_modes<Make>, batch, axis.line.modes.size, stream,
           static_cast<const LinePair*>(transforms_.data()), modes, axis.lines, make);
  }
  template <class To>
  void to_values(const Axis& axis, const Batch& batch, To* to, const Lines& lines,
                 cudaStream_t stream) const {
    constexpr auto pack_modes = pack<Packs::modes, double>;
    launch(pack_modes, batch, axis.line.length(), stream, static_cast<const double*>(modes_.data()),
           axis.lines, transforms_.data());
    axis.transform(transforms_.data(), CUFFT_INVERSE);
    launch(take_values<To>, batch, axis.line.modes.size, stream,
           static_cast<const LinePair*>(transforms_.data()), to, lines);
  }

  template <class From>
  void forward(int axis, const From* from, const Lines& lines, double* modes,
               cudaStream_t stream) const {
    for_each_batch(along(axis), [&](const Batch& batch) {
      to_modes(along(axis), batch, from, lines, modes, KeepModes(), stream);
    });
  }
  template <class To>
  void backward(int axis, To* to, const Lines& lines, cudaStream_t stream) const {
    for_each_batch(along(axis),
                   [&](const Batch& batch) { to_values(along(axis), batch, to, lines, stream); });
  }
  // Steps the modes between the two transforms of the slowest axis, in place.
  template <class Value>
  void through_modes(Value* values, const Lines& lines, const StepModes& step,
                     cudaStream_t stream) const {
    for_each_batch(along(slowest_), [&](const Batch& batch) {
      to_modes(along(slowest_), batch, static_cast<const Value*>(values), lines, modes_.data(),
               step, stream);
      to_values(along(slowest_), batch, values, lines, stream);
    });
  }

  std::shared_ptr<const LinearRates> rates_;
  Shape shape_;
  double time_step_;
  int slowest_;
  std::deque<Axis> axes_;  // one for each axis, beginning with the slowest
  double scale_ = 1;
  DeviceBuffer<double> modes_, source_, distances_;
  DeviceBuffer<Term> terms_;
  std::array<const double*, 3> distances_of_ = {};
  DeviceBuffer<LinePair> transforms_;  // room for the transforms of a batch
  DeviceBuffer<unsigned char> work_;   // workspace of cuFFT
};

}  // namespace

template <class T>
std::unique_ptr<CudaEngine<T>> make_spectral_cuda_engine(const Problem<T>& problem,
                                                         cudaStream_t stream) {
  return std::make_unique<SpectralEngine<T>>(problem, stream);
}
template std::unique_ptr<CudaEngine<float>> make_spectral_cuda_engine(const Problem<float>&,
                                                                      cudaStream_t);
template std::unique_ptr<CudaEngine<double>> make_spectral_cuda_engine(const Problem<double>&,
                                                                       cudaStream_t);

}  // namespace lapl
