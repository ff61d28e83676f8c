#include "kernels/ranks/halo_boxes.hpp"

namespace lapl {
namespace {

Box box_at(const Part& part, std::int64_t depth, std::size_t axis,
           const std::array<bool, 3>& filled, bool last, bool own) {
  Box box;
  for (std::size_t other = 0; other < 3; ++other) {
    box.first[other] = filled[other] ? 0 : part.before[other];
    box.count[other] = filled[other] ? by_axis(part.shape())[other] : part.own[other];
  }
  const std::int64_t end = part.before[axis] + part.own[axis];
  box.count[axis] = depth;
  box.first[axis] = own ? (last ? end - depth : part.before[axis]) : (last ? end : 0);
  return box;
}

}  // namespace

std::vector<std::vector<HaloMessage>> halo_messages(const Decomposition& by, int rank) {
  const Part part = by.part(rank);
  std::vector<std::vector<HaloMessage>> all;
  if (part.is_empty()) return all;
  std::array<bool, 3> filled = {};
  for (const std::size_t axis : {2, 1, 0}) {
    if (!by.is_cut(axis)) continue;
    std::vector<HaloMessage>& along = all.emplace_back();
    for (const bool last : {false, true}) {
      // What goes to a neighbour before this block arrives there behind it.
      constexpr int to_first = 2, to_last = 3;
      if (const int peer = by.neighbour(rank, axis, last); peer >= 0)
        along.push_back({peer, last ? to_last : to_first, last ? to_first : to_last,
                         box_at(part, by.depth, axis, filled, last, true),
                         box_at(part, by.depth, axis, filled, last, false)});
    }
    filled[axis] = true;
  }
  return all;
}

}  // namespace lapl
