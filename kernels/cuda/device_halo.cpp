#include "kernels/cuda/device_halo.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/cuda/copy_box.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_info.hpp"
#include "kernels/cuda/device_ranks.hpp"

namespace lapl {
namespace {

// Boxes are packed where their messages leave and unpacked where they arrive, but for those of
// whole rows between devices.
template <class T>
class DeviceHalo final : public Halo<T> {
 public:
  DeviceHalo(Ranks& ranks, const Decomposition& by, int fields)
      : device_(current_device()),
        fields_(fields),
        devices_(make_device_ranks(ranks, by.stepping(), why_through_host_)),
        messages_(halo_messages(by, ranks.rank())) {
    const Shape shape = by.part(ranks.rank()).shape();
    for (const std::vector<HaloMessage>& along : messages_)
      for (const HaloMessage& message : along) {
        const std::int64_t sent = fields * message.own.cells();
        const std::int64_t received = fields * message.halo.cells();
        if (!devices_)
          on_host_.push_back({pinned_buffer<T>(sent), pinned_buffer<T>(received)});
        else if (is_rows(message.own, shape))
          on_device_.emplace_back();
        else
          on_device_.push_back({device_buffer<T>(sent), device_buffer<T>(received)});
      }
  }

  void fill(Ranks& ranks, const Block<T>& block) override {
    LAPL_CUDA(cudaSetDevice(device_));
    std::size_t first = 0;
    for (const std::vector<HaloMessage>& along : messages_) {
      if (devices_)
        exchange(along, block, on_device_.data() + first);
      else
        exchange(ranks, along, block, on_host_.data() + first);
      first += along.size();
    }
  }

  std::string how() const override {
    return devices_ ? "NCCL" : "host memory: " + why_through_host_;
  }

 private:
  template <class Buffer>
  struct Packed {
    Buffer sent, received;
  };

  void exchange(const std::vector<HaloMessage>& along, const Block<T>& block,
                Packed<DeviceBuffer<T>>* packed) {
    const bool rows = is_rows(along.front().own, block.shape);
    std::vector<DeviceRanks::Message> sent, received;
    const auto add = [&](std::vector<DeviceRanks::Message>& messages, int peer, const Box& box,
                         const DeviceBuffer<T>& buffer) {
      if (!rows) return messages.push_back({peer, buffer.data(), buffer.size() * sizeof(T)});
      for (int field = 0; field < fields_; ++field)
        messages.push_back({peer, in_block(box, block, field).begin(),
                            box.count[0] * box.count[1] * block.pitch * sizeof(T)});
    };
    for (std::size_t i = 0; i < along.size(); ++i) {
      if (!rows)
        copy(along[i].own, block, packed[i].sent.data(), Way::out, cudaMemcpyDeviceToDevice);
      add(sent, along[i].peer, along[i].own, packed[i].sent);
    }
    // Of two blocks that are neighbours on both sides, what one sends first comes to the other's
    // last side.
    for (std::size_t i = along.size(); i-- > 0;)
      add(received, along[i].peer, along[i].halo, packed[i].received);
    devices_->exchange(sent, received, static_cast<cudaStream_t>(block.stream));
    for (std::size_t i = 0; i < along.size() && !rows; ++i)
      copy(along[i].halo, block, packed[i].received.data(), Way::in, cudaMemcpyDeviceToDevice);
  }

  void exchange(Ranks& ranks, const std::vector<HaloMessage>& along, const Block<T>& block,
                Packed<PinnedBuffer<T>>* packed) {
    std::vector<Ranks::Message> sent, received;
    for (std::size_t i = 0; i < along.size(); ++i) {
      copy(along[i].own, block, packed[i].sent.data(), Way::out, cudaMemcpyDeviceToHost);
      const auto bytes = [](const PinnedBuffer<T>& buffer) {
        return std::as_writable_bytes(
            std::span(buffer.data(), static_cast<std::size_t>(buffer.size())));
      };
      sent.push_back({along[i].peer, along[i].sent_tag, bytes(packed[i].sent)});
      received.push_back({along[i].peer, along[i].received_tag, bytes(packed[i].received)});
    }
    // Also until what came before is in the block, so that it may be received anew.
    LAPL_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(block.stream)));
    ranks.exchange(sent, received);
    for (std::size_t i = 0; i < along.size(); ++i)
      copy(along[i].halo, block, packed[i].received.data(), Way::in, cudaMemcpyHostToDevice);
  }

  // Whether it lies in one piece, with the padding of its rows.
  static bool is_rows(const Box& box, Shape shape) {
    return box.count[2] == shape.columns && (box.count[0] == 1 || box.count[1] == shape.rows);
  }

  BoxIn<T> in_block(const Box& box, const Block<T>& block, int field) const {
    const Shape shape = block.shape;
    return {block.values + field * shape.planes * shape.rows * block.pitch, block.pitch, shape.rows,
            box.first};
  }

  enum class Way : std::uint8_t { out, in };  // of the block
  void copy(const Box& box, const Block<T>& block, T* packed, Way way, cudaMemcpyKind kind) const {
    for (int field = 0; field < fields_; ++field) {
      const BoxIn<T> there = in_block(box, block, field);
      const BoxIn<T> alone{packed + field * box.cells(), box.count[2], box.count[1]};
      const bool out = way == Way::out;
      copy_box(out ? there : alone, out ? alone : there, box.count, kind,
               static_cast<cudaStream_t>(block.stream));
    }
  }

  int device_, fields_;
  std::string why_through_host_;
  std::unique_ptr<DeviceRanks> devices_;  // none where halos go through host memory
  std::vector<std::vector<HaloMessage>> messages_;
  std::vector<Packed<DeviceBuffer<T>>> on_device_;  // of each message
  std::vector<Packed<PinnedBuffer<T>>> on_host_;
};

}  // namespace

template <class T>
std::unique_ptr<Halo<T>> make_device_halo(Ranks& ranks, const Decomposition& by, int fields) {
  return std::make_unique<DeviceHalo<T>>(ranks, by, fields);
}
template std::unique_ptr<Halo<float>> make_device_halo(Ranks&, const Decomposition&, int);
template std::unique_ptr<Halo<double>> make_device_halo(Ranks&, const Decomposition&, int);

}  // namespace lapl
