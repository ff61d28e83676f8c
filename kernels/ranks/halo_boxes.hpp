// What goes between neighbours to fill the halo of a block: a message from each side, edge and
// corner.
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

}  // namespace lapl
