#include "kernels/cuda/ranks/device_messages.hpp"

#include <utility>
#include <vector>

#include "kernels/cuda/device/copy_box.hpp"
#include "kernels/cuda/ranks/device_ranks.hpp"

namespace lapl {

void DeviceMessages::allocate(std::int64_t cells, std::int64_t modes) {
  slab_ = device_buffer<double>(cells);
  if (devices_) {
    packed_ = device_buffer<double>(cells);
  } else {
    host_packed_ = pinned_buffer<double>(cells);
    host_lines_ = pinned_buffer<double>(modes);
  }
}

void DeviceMessages::copy(std::int64_t slab, std::int64_t pitch, std::int64_t packed,
                          std::int64_t rows, std::int64_t columns, bool to_packed) const {
  const BoxIn<double> in_slab{slab_.data(), pitch, rows, {0, 0, slab}};
  const BoxIn<double> alone{(devices_ ? packed_.data() : host_packed_.data()) + packed, columns,
                            rows};
  copy_box(to_packed ? in_slab : alone, to_packed ? alone : in_slab, {1, rows, columns},
           cudaMemcpyDefault, stream_);
}

void DeviceMessages::exchange(const LineShares& shares, double* lines, bool to_lines) const {
  if (devices_) return exchange_devices(shares, lines, to_lines);
  const std::size_t bytes = static_cast<std::size_t>(shares.modes()) * sizeof(double);
  if (!to_lines)
    LAPL_CUDA(cudaMemcpyAsync(host_lines_.data(), lines, bytes, cudaMemcpyDeviceToHost, stream_));
  LAPL_CUDA(cudaStreamSynchronize(stream_));
  shares.exchange(*ranks_, host_packed_.data(), host_lines_.data(), to_lines);
  if (to_lines)
    LAPL_CUDA(cudaMemcpyAsync(lines, host_lines_.data(), bytes, cudaMemcpyHostToDevice, stream_));
}

void DeviceMessages::exchange_devices(const LineShares& shares, double* lines,
                                      bool to_lines) const {
  std::vector<DeviceRanks::Message> of_slab, of_lines;
  for (int rank = 0; const auto& [there, in_slab, in_lines] : shares.shares()) {
    of_slab.push_back({rank, packed_.data() + in_slab.first, in_slab.count * sizeof(double)});
    of_lines.push_back({rank++, lines + in_lines.first, in_lines.count * sizeof(double)});
  }
  if (!to_lines) std::swap(of_slab, of_lines);
  devices_->exchange(of_slab, of_lines, stream_);
}

}  // namespace lapl
