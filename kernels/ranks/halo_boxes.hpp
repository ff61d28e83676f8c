// The messages that fill the halo of a block: one from the neighbour at each side, edge and corner.
#pragma once

#include <vector>

#include "kernels/ranks/decomposition.hpp"

namespace lapl {

/// A box of cells of a block; planes, rows, columns.
struct Box {
  std::array<std::int64_t, 3> first = {}, count = {};
  std::int64_t cells() const { return count[0] * count[1] * count[2]; }
};

/// The exchange with one neighbour in one direction.
struct HaloMessage {
  int peer = 0;
  int sent_tag = 0, received_tag = 0;
  Box own = {};   ///< sent to the neighbour
  Box halo = {};  ///< received from it
};

/// The messages of the rank's block; none if it has nothing to step. If several go to one
/// neighbour, that neighbour receives them in the opposite order of its own list.
std::vector<HaloMessage> halo_messages(const Decomposition& by, int rank);

}  // namespace lapl
