#include "kernels/cuda/device_halo.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/cuda/copy_box.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_info.hpp"
#include "kernels/cuda/device_ranks.hpp"
#include "kernels/cuda/stream.hpp"

namespace lapl {
namespace {

template <class T>
cudaStream_t stream_of(const Block<T>& block) {
  return static_cast<cudaStream_t>(block.stream);
}

template <class T>
class DeviceHalo : public Halo<T> {
 public:
  DeviceHalo(const Decomposition& by, int rank, int fields)
      : Halo<T>(halo_messages(by, rank)), device_(current_device()), fields_(fields) {}

  void copy(const BoxOf<T>& from, const Block<T>& to) override {
    use_device();
    order(stream_of(from.block), stream_of(to));
    const Shape shape = to.shape;
    for (int field = 0; field < fields_; ++field)
      copy_box({values(from.block, field), from.block.pitch, from.block.shape.rows, from.box.first},
               BoxIn<T>{values(to, field), to.pitch, shape.rows}, by_axis(shape),
               cudaMemcpyDeviceToDevice, stream_of(to));
  }

 protected:
  template <class Buffer>
  struct Packed {
    Buffer sent, received;
  };

  void use_device() const { LAPL_CUDA(cudaSetDevice(device_)); }
  int fields() const { return fields_; }

  // What is enqueued in `second` from here on comes after what was in `first`.
  void order(cudaStream_t first, cudaStream_t second) {
    if (first == second) return;
    reached_.record(first);
    reached_.hold(second);
  }

  static T* values(const Block<T>& block, int field) {
    return block.values + field * block.shape.planes * block.shape.rows * block.pitch;
  }

  enum class Way : std::uint8_t { out, in };  // of the block
  void copy_packed(const BoxOf<T>& cells, T* packed, Way way, cudaMemcpyKind kind) const {
    const Block<T>& block = cells.block;
    const Box& box = cells.box;
    for (int field = 0; field < fields_; ++field) {
      const BoxIn<T> there{values(block, field), block.pitch, block.shape.rows, box.first};
      const BoxIn<T> alone{packed + field * box.cells(), box.count[2], box.count[1]};
      const bool out = way == Way::out;
      copy_box(out ? there : alone, out ? alone : there, box.count, kind, stream_of(block));
    }
  }

 private:
  int device_, fields_;
  Event reached_;
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

  void start(Ranks&, const std::vector<BoxOf<T>>& own, const Block<T>& block) override {
    this->use_device();
    // Blocks that fill the device would leave the strips no place.
    for (const BoxOf<T>& cells : own) this->order(stream_of(cells.block), stream_of(block));
    for (std::size_t i = 0; i < own.size(); ++i)
      this->copy_packed(own[i], packed_[i].sent.data(), Way::out, cudaMemcpyDeviceToHost);
    own_ = own;
  }

  void finish(Ranks& ranks, const Block<T>& block) override {
    this->use_device();
    // Strips have been copied from the block after what came last was put there, so that it may be
    // received anew.
    for (const BoxOf<T>& cells : own_) LAPL_CUDA(cudaStreamSynchronize(stream_of(cells.block)));
    std::vector<Ranks::Message> sent, received;
    const auto bytes = [](const PinnedBuffer<T>& buffer) {
      return std::as_writable_bytes(
          std::span(buffer.data(), static_cast<std::size_t>(buffer.size())));
    };
    for (std::size_t i = 0; i < packed_.size(); ++i) {
      const HaloMessage& message = this->messages()[i];
      sent.push_back({message.peer, message.sent_tag, bytes(packed_[i].sent)});
      received.push_back({message.peer, message.received_tag, bytes(packed_[i].received)});
    }
    ranks.exchange(sent, received);
    for (std::size_t i = 0; i < packed_.size(); ++i)
      this->copy_packed({block, this->messages()[i].halo}, packed_[i].received.data(), Way::in,
                        cudaMemcpyHostToDevice);
  }

  std::string how() const override { return "host memory: " + why_; }

 private:
  std::string why_;
  std::vector<typename DeviceHalo<T>::template Packed<PinnedBuffer<T>>> packed_;
  std::vector<BoxOf<T>> own_;  // since start()
};

// Boxes are packed where their messages leave and unpacked where they arrive. Where blocks are not
// stepped meanwhile, those of whole rows need no packing.
template <class T>
class NcclHalo final : public DeviceHalo<T> {
  using Way = DeviceHalo<T>::Way;

 public:
  NcclHalo(Ranks& ranks, const Decomposition& by, int fields)
      : DeviceHalo<T>(by, ranks.rank(), fields),
        processors_(by.ahead > 0 ? 4 : 0),
        devices_(make_device_ranks(ranks, by.stepping(), processors_)),
        network_(Stream::of_highest_priority()) {
    const Shape shape = by.part(ranks.rank()).shape();
    for (const HaloMessage& message : this->messages()) {
      if (processors_ == 0 && is_rows(message.own, shape))
        packed_.emplace_back();
      else
        packed_.push_back({device_buffer<T>(fields * message.own.cells()),
                           device_buffer<T>(fields * message.halo.cells())});
    }
  }

  // Nothing may still run when the buffers go away.
  ~NcclHalo() override { LAPL_CUDA_NO_THROW(cudaStreamSynchronize(network_)); }

  void start(Ranks&, const std::vector<BoxOf<T>>& own, const Block<T>& block) override {
    this->use_device();
    const cudaStream_t network =
        processors_ > 0 ? static_cast<cudaStream_t>(network_) : stream_of(block);
    std::vector<DeviceRanks::Message> sent, received;
    const auto add = [&](std::vector<DeviceRanks::Message>& messages, int peer,
                         const BoxOf<T>& cells, const DeviceBuffer<T>& buffer) {
      if (buffer.size() > 0) return messages.push_back({peer, buffer.data(), bytes_of(buffer)});
      for (int field = 0; field < this->fields(); ++field) {
        const BoxIn<T> rows{DeviceHalo<T>::values(cells.block, field), cells.block.pitch,
                            cells.block.shape.rows, cells.box.first};
        messages.push_back(
            {peer, rows.begin(), cells.box.count[0] * cells.box.count[1] * rows.pitch * sizeof(T)});
      }
    };
    const std::size_t count = packed_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (packed_[i].sent.size() > 0)
        this->copy_packed(own[i], packed_[i].sent.data(), Way::out, cudaMemcpyDeviceToDevice);
      this->order(stream_of(own[i].block), network);
      // A launch for the whole block would leave strips and NCCL no place before it.
      this->order(stream_of(own[i].block), stream_of(block));
      add(sent, this->messages()[i].peer, own[i], packed_[i].sent);
    }
    // In the order in which a peer sends them.
    for (std::size_t i = count; i-- > 0;) {
      const HaloMessage& message = this->messages()[i];
      add(received, message.peer, {block, message.halo}, packed_[i].received);
    }
    devices_->exchange(sent, received, network);
  }

  void finish(Ranks&, const Block<T>& block) override {
    this->use_device();
    if (processors_ > 0) this->order(network_, stream_of(block));
    for (std::size_t i = 0; i < packed_.size(); ++i)
      if (packed_[i].received.size() > 0)
        this->copy_packed({block, this->messages()[i].halo}, packed_[i].received.data(), Way::in,
                          cudaMemcpyDeviceToDevice);
  }

  // NCCL's blocks take one each, and would wait for a launch that holds them all.
  int processors() const override { return processors_; }
  std::string how() const override { return "NCCL"; }

 private:
  // Whether it lies in one piece, with the padding of its rows.
  static bool is_rows(const Box& box, Shape shape) {
    return box.count[2] == shape.columns && (box.count[0] == 1 || box.count[1] == shape.rows);
  }
  static std::size_t bytes_of(const DeviceBuffer<T>& buffer) {
    return static_cast<std::size_t>(buffer.size()) * sizeof(T);
  }

  int processors_;
  std::unique_ptr<DeviceRanks> devices_;
  Stream network_;  // of exchanges while blocks are stepped
  std::vector<typename DeviceHalo<T>::template Packed<DeviceBuffer<T>>> packed_;
};

}  // namespace

template <class T>
std::unique_ptr<Halo<T>> make_device_halo(Ranks& ranks, const Decomposition& by, int fields,
                                          const std::string& through_host) {
  if (through_host.empty()) return std::make_unique<NcclHalo<T>>(ranks, by, fields);
  return std::make_unique<HaloThroughHost<T>>(by, ranks.rank(), fields, through_host);
}
template std::unique_ptr<Halo<float>> make_device_halo(Ranks&, const Decomposition&, int,
                                                       const std::string&);
template std::unique_ptr<Halo<double>> make_device_halo(Ranks&, const Decomposition&, int,
                                                        const std::string&);

}  // namespace lapl
