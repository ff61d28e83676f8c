#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/for_floats.hpp"
#include "kernels/ranks/halo.hpp"

namespace lapl {
namespace {

template <class T>
class HostHalo final : public Halo<T> {
 public:
  HostHalo(const Decomposition& by, int rank, int fields)
      : messages_(halo_messages(by, rank)), fields_(fields) {
    for (const HaloMessage& message : messages_) {
      gone_.emplace_back(fields * message.own.cells());
      come_.emplace_back(fields * message.halo.cells());
    }
  }

  void fill(Ranks& ranks, const Block<T>& block) override {
    std::vector<Ranks::Message> sent, received;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const HaloMessage& message = messages_[i];
      copy_rows(
          block, message.own, gone_[i].data(),
          [](T* in_block, T* packed, std::int64_t count) { std::copy_n(in_block, count, packed); });
      sent.push_back({message.peer, message.sent_tag, buffer_bytes(gone_[i])});
      received.push_back({message.peer, message.received_tag, buffer_bytes(come_[i])});
    }
    ranks.exchange(sent, received);
    for (std::size_t i = 0; i < messages_.size(); ++i)
      copy_rows(block, messages_[i].halo, come_[i].data(),
                [](T* in_block, const T* packed, std::int64_t count) {
                  std::copy_n(packed, count, in_block);
                });
  }

 private:
  static std::span<std::byte> buffer_bytes(std::vector<T>& values) {
    return std::as_writable_bytes(std::span(values));
  }

  // Copies row by row between a box of the block and contiguous values.
  template <class Copy>
  void copy_rows(const Block<T>& block, const Box& box, T* packed, const Copy& copy) const {
    const Shape shape = block.shape;
    for (int field = 0; field < fields_; ++field)
      for (std::int64_t plane = 0; plane < box.count[0]; ++plane)
        for (std::int64_t row = 0; row < box.count[1]; ++row, packed += box.count[2]) {
          const Cell first{box.first[1] + row, box.first[2], box.first[0] + plane};
          copy(block.values + field * shape.cells() + cell_index(shape, first), packed,
               box.count[2]);
        }
  }

  std::vector<HaloMessage> messages_;
  int fields_;
  std::vector<std::vector<T>> gone_, come_;  // packed values of each message: sent, received
};

}  // namespace

std::vector<HaloMessage> halo_messages(const Decomposition& by, int rank) {
  const Part part = by.part(rank);
  std::vector<HaloMessage> all;
  if (part.is_empty()) return all;
  // There are 27 directions; the opposite of direction i is 26 - i.
  constexpr int directions = 27, first_tag = 100;
  for (int number = 0; number < directions; ++number) {
    const std::array<int, 3> towards = {number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
    const int peer = by.neighbour(rank, towards);
    if (peer < 0) continue;
    HaloMessage message{.peer = peer,
                        .sent_tag = first_tag + number,
                        .received_tag = first_tag + directions - 1 - number};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t own = part.before[axis], end = own + part.own[axis];
      const int way = towards[axis];
      message.own.count[axis] = message.halo.count[axis] = way == 0 ? part.own[axis] : by.depth;
      message.own.first[axis] = way > 0 ? end - by.depth : own;
      message.halo.first[axis] = way > 0 ? end : way < 0 ? 0 : own;
    }
    all.push_back(message);
  }
  return all;
}

template <class T>
std::unique_ptr<Halo<T>> make_host_halo(const Decomposition& by, int rank, int fields) {
  return std::make_unique<HostHalo<T>>(by, rank, fields);
}
LAPL_FOR_FLOATS(make_host_halo);

}  // namespace lapl
