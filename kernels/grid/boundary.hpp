// Boundary conditions by name, as configs have them; kernels/grid/face.hpp says what they mean.
#pragma once

#include <cstdint>

namespace lapl {

enum class Boundary : std::uint8_t { zero, insulated, periodic };

/// The condition at either end of each axis.
struct Boundaries {
  Boundary rows = Boundary::zero;
  Boundary columns = Boundary::zero;
  Boundary planes = Boundary::zero;
  friend constexpr bool operator==(Boundaries, Boundaries) = default;
};

}  // namespace lapl
