// What goes between neighbours to fill the halo of a block: a message from each side, edge and
// corner. And the strips along a block's sides that hold what goes out, which can be stepped ahead
// of the block.
//
//     before  | own cells ....................| after      the block
//     ........+===============+........                    a strip: around it as many cells as its
//      around   depth: goes out  around                    steps reach
#pragma once

#include <vector>

#include "kernels/ranks/decomposition.hpp"

namespace lapl {

/// Cells of a block, from the first on: planes, rows, columns.
struct Box {
  std::array<std::int64_t, 3> first = {}, count = {};
  std::int64_t cells() const { return count[0] * count[1] * count[2]; }
};

/// With one neighbour.
struct HaloMessage {
  int peer = 0;
  int sent_tag = 0, received_tag = 0;
  Box own = {};   ///< goes to the neighbour
  Box halo = {};  ///< comes from it
};

/// Of the rank's block. Where several go to one neighbour, what it receives from here is in the
/// opposite order. None where the rank has nothing to step.
std::vector<HaloMessage> halo_messages(const Decomposition& by, int rank);

struct Strip {
  Part part;
  Box box;  ///< where it lies in the rank's block, with the cells around it
};

/// One at each side of the rank's block that has a neighbour; `around`: at most by.depth.
std::vector<Strip> strips_of(const Decomposition& by, int rank, std::int64_t around);

/// Whether the strip's own cells hold a box of the block.
bool holds(const Strip& strip, const Box& box);

}  // namespace lapl
