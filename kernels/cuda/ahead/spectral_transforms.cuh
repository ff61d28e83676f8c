// The transforms of a grid's values to modes (eigenfunctions of its boundary conditions) and back
// on a GPU, like kernels/cpu/mode_transforms.hpp, with complex transforms of cuFFT in float64 in
// place of FFTW's real ones (kernels/cuda/ahead/spectral_lines.hpp).
//
// A pass transforms the lines along an axis batch by batch, so that a batch stays in the L2 cache
// and the extra memory does not grow with the grid. Bytes that a pass moves per cell, for a float64
// field and transforms of length L for lines of n values: 8 to pack, at least 24 * L/n to
// transform, at most 16 * L/n to unpack and 8 to write. A line of 2000 cells between zero faces has
// L = 4002. No sum depends on the order of threads, so equal runs give equal bits.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "kernels/cuda/ahead/spectral_kernels.cuh"
#include "kernels/cuda/device/cufft_plan.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/ranks/device_messages.hpp"
#include "kernels/memory_needed.hpp"
#include "kernels/ranks/line_exchange.hpp"
#include "kernels/spectral/grid_transforms.hpp"

namespace lapl {
namespace {

constexpr int values_a_thread = 4;

// The lines along an axis and their transforms.
struct Axis {
  // All ranks together have `in_grid` lines. A batch follows from these, so that it does not depend
  // on the ranks.
  Axis(const AxisModes& modes, const Lines& of_modes, std::int64_t in_grid)
      : line{modes}, lines(of_modes) {
    const std::int64_t all = (in_grid + 1) / 2;
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

inline void require_beside_grid(double bytes) {
  require_device_memory("engine spectral, beside the grid,", bytes);
}

/// The transforms of all lines along an axis, for GridTransforms; their kernels are enqueued in one
/// stream.
class DevicePasses {
 public:
  using Exchange = LineExchange<DeviceMessages>;

  /// Keeps a reference to `exchange`.
  DevicePasses(const Faces<double>& faces, Exchange& exchange, cudaStream_t stream)
      : exchange_(&exchange),
        stream_(stream),
        shape_(exchange.own().shape()),
        slowest_(exchange.slowest()) {
    const Shape grid = exchange.grid();
    std::int64_t most_values = 0;
    for (int axis = slowest_; axis < 3; ++axis) {
      const std::int64_t size = by_axis(grid)[axis];
      axes_.emplace_back(AxisModes(axis_faces(faces, axis), size), lines_in(axis, shape_.columns),
                         grid.cells() / size);
      most_values = std::max(most_values, axes_.back().values());
      scale_ /= static_cast<double>(axes_.back().line.length());
    }
    require_beside_grid(static_cast<double>(most_values) * sizeof(LinePair));
    transforms_ = device_buffer<LinePair>(most_values);
    std::size_t work_bytes = 0;
    for (Axis& axis : axes_) work_bytes = std::max(work_bytes, axis.make_plan(stream));
    require_beside_grid(static_cast<double>(work_bytes));
    if (work_bytes > 0) work_ = device_buffer<unsigned char>(static_cast<std::int64_t>(work_bytes));
    for (const Axis& axis : axes_)
      if (axis.line.length() > 1) LAPL_CUFFT(cufftSetWorkArea(axis.plan.handle, work_.data()));
  }

  Exchange& exchange() { return *exchange_; }
  double scale() const { return scale_; }
  const Axis& along(int axis) const { return axes_[static_cast<std::size_t>(axis - slowest_)]; }

  // make(line, index, value) returns the value that is stored.
  template <class From>
  void forward(int axis, const From* from, std::int64_t pitch, double* modes) const {
    for_each_batch(along(axis), [&](const Batch& batch) {
      to_modes(along(axis), batch, from, lines_in(axis, pitch), modes, Keep());
    });
  }
  template <class To, class Make>
  void backward(int axis, const double* modes, To* to, std::int64_t pitch, const Make& make) const {
    for_each_batch(along(axis), [&](const Batch& batch) {
      to_values(along(axis), batch, modes, to, lines_in(axis, pitch), make);
    });
  }
  // Transforms values to modes and back in place, batch by batch; step(line, index, value) returns
  // the mode after the steps.
  template <class Value, class Step>
  void through(Value* values, std::int64_t pitch, double* modes, const Step& step) const {
    const Lines lines = lines_in(slowest_, pitch);
    for_each_batch(along(slowest_), [&](const Batch& batch) {
      to_modes(along(slowest_), batch, static_cast<const Value*>(values), lines, modes, step);
      to_values(along(slowest_), batch, modes, values, lines, Keep());
    });
  }

 private:
  // The lines along an axis in an array whose rows are `pitch` values apart: along the slowest of
  // several axes those of the array of modes, else those of the slab.
  Lines lines_in(int axis, std::int64_t pitch) const {
    const std::int64_t rows = shape_.planes * shape_.rows;
    if (axis == 2) return {rows, 1, 1, pitch};
    const std::int64_t own = exchange_->lines().count;
    if (axis == slowest_) return {own, own, own, own};
    return {shape_.planes * shape_.columns, pitch, shape_.columns, shape_.rows * pitch};
  }

  // Launches `kernel` for a batch of lines with `values` values each.
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Batch, Parameters...), const Batch& batch, std::int64_t values,
              const Arguments&... arguments) const {
    const std::int64_t of_block = values_a_thread * block_threads / batch.pairs_a_block;
    const dim3 blocks(
        static_cast<unsigned>((batch.pairs + batch.pairs_a_block - 1) / batch.pairs_a_block),
        static_cast<unsigned>(std::min<std::int64_t>((values + of_block - 1) / of_block, 65535)));
    kernel<<<blocks, block_threads, 0, stream_>>>(batch, arguments...);
    LAPL_CUDA(cudaGetLastError());
  }

  // Calls use(batch) for all lines of an axis, batch by batch.
  template <class Use>
  static void for_each_batch(const Axis& axis, const Use& use) {
    for (std::int64_t line = 0; line < axis.lines.count; line += 2 * axis.pairs)
      use(Batch{axis.line, line, axis.pairs, axis.lines.side_by_side == 1 ? 1 : 8});
  }

  template <class From, class Make>
  void to_modes(const Axis& axis, const Batch& batch, const From* from, const Lines& lines,
                double* modes, const Make& make) const {
    launch(pack<Packs::values, From>, batch, axis.line.length(), from, lines, transforms_.data());
    axis.transform(transforms_.data(), CUFFT_FORWARD);
    launch(compute_modes<Make>, batch, axis.line.modes.size,
           static_cast<const LinePair*>(transforms_.data()), modes, axis.lines, make);
  }
  template <class To, class Make>
  void to_values(const Axis& axis, const Batch& batch, const double* modes, To* to,
                 const Lines& lines, const Make& make) const {
    constexpr auto pack_modes = pack<Packs::modes, double>;
    launch(pack_modes, batch, axis.line.length(), modes, axis.lines, transforms_.data());
    axis.transform(transforms_.data(), CUFFT_INVERSE);
    launch(store_values<To, Make>, batch, axis.line.modes.size,
           static_cast<const LinePair*>(transforms_.data()), to, lines, make);
  }

  Exchange* exchange_;
  cudaStream_t stream_;
  Shape shape_;  // of the slab
  int slowest_;
  std::deque<Axis> axes_;  // one for each axis, beginning with the slowest
  double scale_ = 1;
  DeviceBuffer<LinePair> transforms_;  // room for the transforms of a batch
  DeviceBuffer<unsigned char> work_;   // workspace of cuFFT
};

}  // namespace
}  // namespace lapl
