// Boundary conditions: what a stencil reads just outside the grid.
//
//              ghost | interior ...                       | ghost
//   index        -1  |  0   1   2  ...            n-2 n-1 |  n
//   zero          0  | u0  u1  u2                         |  0        node held at 0
//   insulated    u0  | u0  u1  u2                 ... un-1| un-1      no flux through the face
//   periodic   un-1  | u0  u1  u2                 ... un-1| u0        wraps
#pragma once

#include <cstdint>

#include "kernels/platform.hpp"

namespace lapl {

enum class Boundary : std::uint8_t { zero, insulated, periodic };

/// The condition at the first and last row, and at the first and last column.
struct Boundaries {
  Boundary rows = Boundary::zero;
  Boundary columns = Boundary::zero;
  friend constexpr bool operator==(Boundaries, Boundaries) = default;
};

/// Marks a ghost node whose value is 0.
inline constexpr std::int64_t outside = -1;

/// Index of the interior node whose value stands at `index`, where -1 <= index <= size; `outside`
/// where that value is 0.
LAPL_HOST_DEVICE std::int64_t source_index(Boundary boundary, std::int64_t index,
                                           std::int64_t size) {
  if (index >= 0 && index < size) return index;
  switch (boundary) {
    case Boundary::insulated: return index < 0 ? 0 : size - 1;
    case Boundary::periodic: return index < 0 ? size - 1 : 0;
    case Boundary::zero: break;
  }
  return outside;
}

}  // namespace lapl
