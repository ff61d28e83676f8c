#include "kernels/ranks/halo_boxes.hpp"

namespace lapl {

std::vector<HaloMessage> halo_messages(const Decomposition& by, int rank) {
  const Part part = by.part(rank);
  std::vector<HaloMessage> all;
  if (part.is_empty()) return all;
  // The 27 directions, the opposite of number i being number 26 - i.
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

std::vector<Strip> strips_of(const Decomposition& by, int rank, std::int64_t around) {
  const Part block = by.part(rank);
  std::vector<Strip> all;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const bool last : {false, true}) {
      if (!block.is_open(axis, last)) continue;
      Strip strip{block, {{}, by_axis(block.shape())}};
      Part& part = strip.part;
      // Up to the grid's face where it is so near.
      const std::int64_t behind = block.own[axis] - by.depth;
      const bool to_face = behind < around && !block.is_open(axis, !last);
      if (!to_face) part.own[axis] = by.depth;
      if (!to_face && last) part.first[axis] += behind;
      (last ? part.after : part.before)[axis] = around;
      (last ? part.before : part.after)[axis] = to_face ? 0 : around;
      const std::int64_t count = by_axis(part.shape())[axis];
      strip.box.count[axis] = count;
      strip.box.first[axis] =
          block.before[axis] + (last ? block.own[axis] + around - count : -around);
      all.push_back(strip);
    }
  return all;
}

bool holds(const Strip& strip, const Box& box) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t first = strip.box.first[axis] + strip.part.before[axis];
    if (box.first[axis] < first || box.first[axis] + box.count[axis] > first + strip.part.own[axis])
      return false;
  }
  return true;
}

}  // namespace lapl
