// The messages that fill the halo of a block: one from the neighbour at each face, edge and corner.
#pragma once

#include <vector>

#include "kernels/ranks/decomposition.hpp"

namespace lapl {

/// A box of cells of a block; the axes are planes, rows, columns.
struct Box {
  std::array<std::int64_t, 3> first = {}, count = {};
  std::int64_t cells() const { return count[0] * count[1] * count[2]; }
};

/// The exchange with one neighbour in one direction.
struct HaloMessage {
  int peer = 0;
  int sent_tag = 0, received_tag = 0;
  Box own = {};   ///< the cells sent to the neighbour
  Box halo = {};  ///< the cells received from the neighbour
};

/// The messages of the rank's block; none if it has nothing to step. If a block has several
/// messages for one neighbour, the neighbour has them in the opposite order in its list.
std::vector<HaloMessage> halo_messages(const Decomposition& by, int rank);

}  // namespace lapl
