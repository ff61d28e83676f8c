#include "kernels/cuda/ranks/device_lines.hpp"

#include <utility>

#include "kernels/cuda/device/copy_box.hpp"
#include "kernels/cuda/ranks/device_ranks.hpp"

namespace lapl {

void DeviceLines::allocate() {
  slab_ = device_buffer<double>(own_cells());
  if (devices_) {
    packed_ = device_buffer<double>(own_cells());
  } else {
    host_packed_ = pinned_buffer<double>(own_cells());
    host_lines_ = pinned_buffer<double>(modes());
  }
}

void DeviceLines::to_lines(double* lines, cudaStream_t stream) const {
  if (!is_divided()) return;
  copy_packed(true, stream);
  if (devices_) return exchange_devices(lines, true, stream);
  LAPL_CUDA(cudaStreamSynchronize(stream));
  exchange(*ranks_, host_packed_.data(), host_lines_.data(), true);
  LAPL_CUDA(cudaMemcpyAsync(lines, host_lines_.data(), modes() * sizeof(double),
                            cudaMemcpyHostToDevice, stream));
}

void DeviceLines::to_slab(double* lines, cudaStream_t stream) const {
  if (!is_divided()) return;
  if (devices_) {
    exchange_devices(lines, false, stream);
  } else {
    LAPL_CUDA(cudaMemcpyAsync(host_lines_.data(), lines, modes() * sizeof(double),
                              cudaMemcpyDeviceToHost, stream));
    LAPL_CUDA(cudaStreamSynchronize(stream));
    exchange(*ranks_, host_packed_.data(), host_lines_.data(), false);
  }
  copy_packed(false, stream);
}

void DeviceLines::exchange_devices(double* lines, bool to_lines, cudaStream_t stream) const {
  std::vector<DeviceRanks::Message> of_slab, of_lines;
  for (int rank = 0; const auto& [there, in_slab, in_lines] : shares()) {
    of_slab.push_back({rank, packed_.data() + in_slab.first, in_slab.count * sizeof(double)});
    of_lines.push_back({rank++, lines + in_lines.first, in_lines.count * sizeof(double)});
  }
  if (!to_lines) std::swap(of_slab, of_lines);
  devices_->exchange(of_slab, of_lines, stream);
}

void DeviceLines::copy_packed(bool from_slab, cudaStream_t stream) const {
  const std::int64_t slices = own().own[slowest()];
  for (const Share& share : shares()) {
    if (share.in_slab.count == 0) continue;
    const BoxIn<double> in_slab{slab_.data(), all_lines(), slices, {0, 0, share.lines.first}};
    const BoxIn<double> alone{
        (devices_ ? packed_.data() : host_packed_.data()) + share.in_slab.first, share.lines.count,
        slices};
    copy_box(from_slab ? in_slab : alone, from_slab ? alone : in_slab,
             {1, slices, share.lines.count}, cudaMemcpyDefault, stream);
  }
}

}  // namespace lapl
