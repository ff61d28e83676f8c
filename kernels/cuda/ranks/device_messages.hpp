// LineExchange's messages between ranks (kernels/ranks/line_exchange.hpp), for values on a device.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "kernels/cuda/device/copy_box.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/ranks/device_ranks.hpp"
#include "kernels/ranks/line_exchange.hpp"

namespace lapl {

/// Messages go by NCCL, or through host memory if Problem::devices is null. Throws DeviceError if
/// NCCL or the device fails.
class DeviceMessages {
 public:
  template <class T>
  DeviceMessages(const Problem<T>& problem, cudaStream_t stream)
      : ranks_(problem.ranks), devices_(problem.devices), stream_(stream) {}

  void allocate(std::int64_t cells, std::int64_t modes) {
    slab_ = device_buffer<double>(cells);
    if (devices_) {
      packed_ = device_buffer<double>(cells);
    } else {
      host_packed_ = pinned_buffer<double>(cells);
      host_lines_ = pinned_buffer<double>(modes);
    }
  }
  double* slab() const { return slab_.data(); }

  /// Enqueues the copy.
  void copy(std::int64_t slab, std::int64_t pitch, std::int64_t packed, std::int64_t rows,
            std::int64_t columns, bool to_packed) const {
    const BoxIn<double> in_slab{slab_.data(), pitch, rows, {0, 0, slab}};
    const BoxIn<double> alone{(devices_ ? packed_.data() : host_packed_.data()) + packed, columns,
                              rows};
    copy_box(to_packed ? in_slab : alone, to_packed ? alone : in_slab, {1, rows, columns},
             cudaMemcpyDefault, stream_);
  }

  /// Enqueues the exchange. Through host memory, it first waits for earlier work in the stream, and
  /// then for the messages.
  void exchange(const LineShares& shares, double* lines, bool to_lines) const {
    if (devices_) {
      const auto [of_slab, of_lines] =
          shares.messages(packed_.data(), lines, [](int rank, double* first, std::int64_t count) {
            return DeviceRanks::Message{rank, first,
                                        static_cast<std::size_t>(count) * sizeof(double)};
          });
      return to_lines ? devices_->exchange(of_slab, of_lines, stream_)
                      : devices_->exchange(of_lines, of_slab, stream_);
    }
    const auto copy_lines = [&](double* to, const double* from) {
      LAPL_CUDA(
          cudaMemcpyAsync(to, from, shares.modes() * sizeof(double), cudaMemcpyDefault, stream_));
    };
    if (!to_lines) copy_lines(host_lines_.data(), lines);
    LAPL_CUDA(cudaStreamSynchronize(stream_));
    shares.exchange(*ranks_, host_packed_.data(), host_lines_.data(), to_lines);
    if (to_lines) copy_lines(lines, host_lines_.data());
  }

 private:
  Ranks* ranks_;
  std::shared_ptr<DeviceRanks> devices_;
  cudaStream_t stream_;
  DeviceBuffer<double> slab_, packed_;
  PinnedBuffer<double> host_packed_, host_lines_;
};

}  // namespace lapl
