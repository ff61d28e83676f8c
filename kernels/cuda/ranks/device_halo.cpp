#include "kernels/cuda/ranks/device_halo.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/cuda/device/copy_box.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/ranks/device_ranks.hpp"

namespace lapl {
namespace {

template <class T>
cudaStream_t block_stream(const Block<T>& block) {
  return static_cast<cudaStream_t>(block.stream);
}

template <class T>
class DeviceHalo : public Halo<T> {
 public:
  DeviceHalo(const Decomposition& by, int rank, int fields)
      : messages_(halo_messages(by, rank)), device_(current_device()), fields_(fields) {}

 protected:
  template <class Buffer>
  struct Packed {
    Buffer sent, received;
  };

  const std::vector<HaloMessage>& messages() const { return messages_; }
  void use_device() const { LAPL_CUDA(cudaSetDevice(device_)); }
  int fields() const { return fields_; }

  static T* values(const Block<T>& block, int field) {
    return block.values + field * block.shape.planes * block.shape.rows * block.pitch;
  }

  enum class Way : std::uint8_t { out, in };  // from the block to `packed`, or back
  void copy_packed(const Block<T>& block, const Box& box, T* packed, Way way,
                   cudaMemcpyKind kind) const {
    for (int field = 0; field < fields_; ++field) {
      const BoxIn<T> there{values(block, field), block.pitch, block.shape.rows, box.first};
      const BoxIn<T> alone{packed + field * box.cells(), box.count[2], box.count[1]};
      const bool out = way == Way::out;
      copy_box(out ? there : alone, out ? alone : there, box.count, kind, block_stream(block));
    }
  }

 private:
  std::vector<HaloMessage> messages_;
  int device_, fields_;
};

template <class T>
class HaloThroughHost final : public DeviceHalo<T> {
  using Way = DeviceHalo<T>::Way;

 public:
  HaloThroughHost(const Decomposition& by, int rank, int fields, std::string why)
      : DeviceHalo<T>(by, rank, fields), why_(std::move(why)) {
    for (const HaloMessage& message : this->messages())
      packed_.push_back({pinned_buffer<T>(fields * message.own.cells()),
                         pinned_buffer<T>(fields * message.halo.cells())});
  }

  void fill(Ranks& ranks, const Block<T>& block) override {
    this->use_device();
    std::vector<Ranks::Message> sent, received;
    const auto bytes = [](const PinnedBuffer<T>& buffer) {
      return std::as_writable_bytes(
          std::span(buffer.data(), static_cast<std::size_t>(buffer.size())));
    };
    for (std::size_t i = 0; i < packed_.size(); ++i) {
      const HaloMessage& message = this->messages()[i];
      this->copy_packed(block, message.own, packed_[i].sent.data(), Way::out,
                        cudaMemcpyDeviceToHost);
      sent.push_back({message.peer, message.sent_tag, bytes(packed_[i].sent)});
      received.push_back({message.peer, message.received_tag, bytes(packed_[i].received)});
    }
    // Also waits until the previous halo, in the same buffers, is unpacked.
    LAPL_CUDA(cudaStreamSynchronize(block_stream(block)));
    ranks.exchange(sent, received);
    for (std::size_t i = 0; i < packed_.size(); ++i)
      this->copy_packed(block, this->messages()[i].halo, packed_[i].received.data(), Way::in,
                        cudaMemcpyHostToDevice);
  }

  std::string how() const override { return "host memory: " + why_; }

 private:
  std::string why_;
  std::vector<typename DeviceHalo<T>::template Packed<PinnedBuffer<T>>> packed_;
};

// Exchanges halos by NCCL. Boxes of whole rows are sent without a copy; the sender packs all others
// and the receiver unpacks them.
template <class T>
class NcclHalo final : public DeviceHalo<T> {
  using Way = DeviceHalo<T>::Way;

 public:
  NcclHalo(const Decomposition& by, int rank, int fields, std::shared_ptr<DeviceRanks> devices)
      : DeviceHalo<T>(by, rank, fields), devices_(std::move(devices)) {
    const Shape shape = by.part(rank).shape();
    for (const HaloMessage& message : this->messages()) {
      if (is_rows(message.own, shape))
        packed_.emplace_back();
      else
        packed_.push_back({device_buffer<T>(fields * message.own.cells()),
                           device_buffer<T>(fields * message.halo.cells())});
    }
  }

  void fill(Ranks&, const Block<T>& block) override {
    this->use_device();
    std::vector<DeviceRanks::Message> sent, received;
    const auto add = [&](std::vector<DeviceRanks::Message>& messages, int peer, const Box& box,
                         const DeviceBuffer<T>& buffer) {
      if (buffer.size() > 0) return messages.push_back({peer, buffer.data(), buffer_bytes(buffer)});
      for (int field = 0; field < this->fields(); ++field) {
        const BoxIn<T> rows{DeviceHalo<T>::values(block, field), block.pitch, block.shape.rows,
                            box.first};
        messages.push_back(
            {peer, rows.begin(), box.count[0] * box.count[1] * rows.pitch * sizeof(T)});
      }
    };
    const std::size_t count = packed_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const HaloMessage& message = this->messages()[i];
      if (packed_[i].sent.size() > 0)
        this->copy_packed(block, message.own, packed_[i].sent.data(), Way::out,
                          cudaMemcpyDeviceToDevice);
      add(sent, message.peer, message.own, packed_[i].sent);
    }
    // A peer sends in the reverse order of this list, and NCCL matches messages by their order.
    for (std::size_t i = count; i-- > 0;)
      add(received, this->messages()[i].peer, this->messages()[i].halo, packed_[i].received);
    devices_->exchange(sent, received, block_stream(block));
    for (std::size_t i = 0; i < count; ++i)
      if (packed_[i].received.size() > 0)
        this->copy_packed(block, this->messages()[i].halo, packed_[i].received.data(), Way::in,
                          cudaMemcpyDeviceToDevice);
  }

  std::string how() const override { return "NCCL"; }
  std::shared_ptr<DeviceRanks> devices() const override { return devices_; }

 private:
  // True if the box is contiguous in memory, padding of rows included.
  static bool is_rows(const Box& box, Shape shape) {
    return box.count[2] == shape.columns && (box.count[0] == 1 || box.count[1] == shape.rows);
  }
  static std::size_t buffer_bytes(const DeviceBuffer<T>& buffer) {
    return static_cast<std::size_t>(buffer.size()) * sizeof(T);
  }

  std::shared_ptr<DeviceRanks> devices_;
  std::vector<typename DeviceHalo<T>::template Packed<DeviceBuffer<T>>> packed_;
};

}  // namespace

template <class T>
std::unique_ptr<Halo<T>> make_device_halo(const Decomposition& by, int rank, int fields,
                                          std::shared_ptr<DeviceRanks> devices) {
  if (devices) return std::make_unique<NcclHalo<T>>(by, rank, fields, std::move(devices));
  return std::make_unique<HaloThroughHost<T>>(by, rank, fields, "");
}
template std::unique_ptr<Halo<double>> make_device_halo(const Decomposition&, int, int,
                                                        std::shared_ptr<DeviceRanks>);

template <class T>
std::unique_ptr<Halo<T>> make_device_halo(Ranks& ranks, const Decomposition& by, int fields,
                                          const std::string& through_host) {
  if (through_host.empty())
    return std::make_unique<NcclHalo<T>>(by, ranks.rank(), fields,
                                         make_device_ranks(ranks, by.stepping()));
  return std::make_unique<HaloThroughHost<T>>(by, ranks.rank(), fields, through_host);
}
template std::unique_ptr<Halo<float>> make_device_halo(Ranks&, const Decomposition&, int,
                                                       const std::string&);
template std::unique_ptr<Halo<double>> make_device_halo(Ranks&, const Decomposition&, int,
                                                        const std::string&);

}  // namespace lapl
