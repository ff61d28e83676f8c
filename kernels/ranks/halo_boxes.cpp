#include "kernels/ranks/halo_boxes.hpp"

namespace lapl {

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

}  // namespace lapl
