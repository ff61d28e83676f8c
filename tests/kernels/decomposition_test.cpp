// The division of a grid among ranks, and their messages.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "kernels/ranks/halo.hpp"

using namespace lapl;

namespace {

void count(std::vector<int>& cells, Shape shape, const Box& box) {
  for (std::int64_t plane = 0; plane < box.count[0]; ++plane)
    for (std::int64_t row = 0; row < box.count[1]; ++row)
      for (std::int64_t column = 0; column < box.count[2]; ++column)
        ++cells[cell_index(shape,
                           {box.first[1] + row, box.first[2] + column, box.first[0] + plane})];
}

std::vector<Decomposition> some_decompositions() {
  const Shape plane{.rows = 13, .columns = 17},
      space{.rows = 9, .columns = 8, .planes = 12, .axes = 3};
  return {{plane, {}, 2, {1, 2, 1}, 3},
          {plane, {false, true, false}, 2, {1, 2, 1}, 6},
          {plane, {false, true, true}, 6, {1, 2, 3}, 4},
          {plane, {}, 9, {1, 3, 3}, 1},
          {space, {true, true, true}, 8, {2, 2, 2}, 2},
          {space, {false, true, false}, 24, {3, 2, 4}, 2}};
}

}  // namespace

TEST_CASE("messages of ranks fill every cell of a halo once, from cells that hold it") {
  for (const Decomposition& by : some_decompositions())
    for (int rank = 0; rank < by.stepping(); ++rank) {
      const Part part = by.part(rank);
      std::vector<int> filled(static_cast<std::size_t>(part.shape().cells()));
      count(filled, part.shape(), {part.before, part.own});
      for (const HaloMessage& message : halo_messages(by, rank)) {
        count(filled, part.shape(), message.halo);
        // The peer sends the same cells of the grid.
        const Part peer = by.part(message.peer);
        int found = 0;
        for (const HaloMessage& sent : halo_messages(by, message.peer)) {
          if (sent.peer != rank || sent.sent_tag != message.received_tag) continue;
          ++found;
          CHECK(sent.own.count == message.halo.count);
          for (std::size_t axis = 0; axis < 3; ++axis)
            CHECK(peer.index_in_grid(axis, sent.own.first[axis]) ==
                  part.index_in_grid(axis, message.halo.first[axis]));
        }
        CHECK(found == 1);
      }
      CHECK(filled == std::vector<int>(filled.size(), 1));
    }
}
