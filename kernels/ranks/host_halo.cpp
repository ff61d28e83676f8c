#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/ranks/halo.hpp"

namespace lapl {
namespace {

template <class T>
class HostHalo final : public Halo<T> {
 public:
  HostHalo(const Decomposition& by, int rank, int fields)
      : shape_(by.part(rank).shape()), fields_(fields), messages_(halo_messages(by, rank)) {}

  void fill(Ranks& ranks, const Block<T>& block) override {
    for (const std::vector<HaloMessage>& along : messages_) {
      std::vector<std::vector<T>> packed, come;
      std::vector<Ranks::Message> sent, received;
      for (const HaloMessage& message : along) {
        packed.push_back(pack(message.own, block.values));
        come.emplace_back(fields_ * message.halo.cells());
        sent.push_back({message.peer, message.sent_tag, bytes_of(packed.back())});
        received.push_back({message.peer, message.received_tag, bytes_of(come.back())});
      }
      ranks.exchange(sent, received);
      for (std::size_t i = 0; i < along.size(); ++i) unpack(along[i].halo, come[i], block.values);
    }
  }

 private:
  static std::span<std::byte> bytes_of(std::vector<T>& values) {
    return std::as_writable_bytes(std::span(values));
  }

  template <class Use>
  void for_rows(const Box& box, const Use& use) const {
    std::int64_t packed = 0;
    for (int field = 0; field < fields_; ++field)
      for (std::int64_t plane = 0; plane < box.count[0]; ++plane)
        for (std::int64_t row = 0; row < box.count[1]; ++row) {
          const Cell first{box.first[1] + row, box.first[2], box.first[0] + plane};
          use(field * shape_.cells() + index_of(shape_, first), packed);
          packed += box.count[2];
        }
  }

  std::vector<T> pack(const Box& box, const T* values) const {
    std::vector<T> all(fields_ * box.cells());
    for_rows(box, [&](std::int64_t index, std::int64_t packed) {
      std::copy_n(values + index, box.count[2], all.data() + packed);
    });
    return all;
  }
  void unpack(const Box& box, const std::vector<T>& all, T* values) const {
    for_rows(box, [&](std::int64_t index, std::int64_t packed) {
      std::copy_n(all.data() + packed, box.count[2], values + index);
    });
  }

  Shape shape_;
  int fields_;
  std::vector<std::vector<HaloMessage>> messages_;
};

}  // namespace

template <class T>
std::unique_ptr<Halo<T>> make_host_halo(const Decomposition& by, int rank, int fields) {
  return std::make_unique<HostHalo<T>>(by, rank, fields);
}
template std::unique_ptr<Halo<float>> make_host_halo(const Decomposition&, int, int);
template std::unique_ptr<Halo<double>> make_host_halo(const Decomposition&, int, int);

}  // namespace lapl
