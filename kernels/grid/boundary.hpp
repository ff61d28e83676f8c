// Boundary conditions by name, as in configs; kernels/grid/face.hpp defines them.
#pragma once

#include <array>
#include <cstdint>

namespace lapl {

enum class Boundary : std::uint8_t { zero, insulated, periodic };

/// The condition at both ends of each axis.
struct Boundaries {
  Boundary rows = Boundary::zero;
  Boundary columns = Boundary::zero;
  Boundary planes = Boundary::zero;
  friend constexpr bool operator==(Boundaries, Boundaries) = default;
};

constexpr std::array<Boundary, 3> by_axis(Boundaries faces) {
  return {faces.planes, faces.rows, faces.columns};
}

}  // namespace lapl
