// What goes between neighbours to fill the halo of a block: axis by axis, each with what came along
// those before, so that edges and corners are right without messages of their own.
#pragma once

#include <vector>

#include "kernels/ranks/decomposition.hpp"

namespace lapl {

/// Cells of a block, from the first on: planes, rows, columns.
struct Box {
  std::array<std::int64_t, 3> first, count;
  std::int64_t cells() const { return count[0] * count[1] * count[2]; }
};

/// With one neighbour, along one axis.
struct HaloMessage {
  int peer = 0;
  int sent_tag = 0, received_tag = 0;
  Box own;   ///< goes to the neighbour
  Box halo;  ///< comes from it
};

/// Of the rank's block: the messages of each axis that is cut, those of an axis after those of the
/// axis before. None where the rank has nothing to step.
std::vector<std::vector<HaloMessage>> halo_messages(const Decomposition& by, int rank);

}  // namespace lapl
