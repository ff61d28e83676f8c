// The stage of the diffusion equation, in the order of operations that every engine uses
// (docs/numerics.md).
//
//            up
//             |
//   left -- centre -- right        s = (left + right) + (up + down)
//             |                    difference = s - 4 * centre             (one rounding: fma)
//            down                  new centre = centre + c * difference    (one rounding: fma)
//
// All backends give the same bits because they use this order, call fma explicitly, and compile
// with -ffp-contract=off or --fmad=false, which stop compilers from fusing other operations.
#pragma once

#include "kernels/stages/arithmetic.hpp"

namespace lapl {

/// The sum of the four neighbours minus four times the centre, which is h^2 times the Laplacian. V
/// is a number or a vector of numbers.
template <class V>
LAPL_HOST_DEVICE V neighbour_difference(V left, V right, V up, V down, V centre) {
  return fused_multiply_add(V(-4), centre, (left + right) + (up + down));
}

/// The 5-point Laplacian, in field units per length squared.
template <class V>
LAPL_HOST_DEVICE V laplacian(V difference, V spacing_squared) {
  return difference / spacing_squared;
}

/// One explicit Euler step of a cell, with the bits of diffusion_tree (stage_tree.hpp). Engines are
/// templates over this stage; V is a number or a vector of numbers.
template <class V>
struct DiffusionStage {
  V coefficient;  ///< c = D * dt / h^2

  LAPL_HOST_DEVICE V operator()(V left, V right, V up, V down, V centre) const {
    return update(centre, neighbour_difference(left, right, up, down, centre));
  }

  /// The step on three axes; front and back are in the planes before and after.
  LAPL_HOST_DEVICE V operator()(V left, V right, V up, V down, V front, V back, V centre) const {
    const V within = neighbour_difference(left, right, up, down, centre);
    return update(centre, within + fused_multiply_add(V(-2), centre, front + back));
  }

  /// The step on two axes in two parts, for engines that know up + down before left + right.
  LAPL_HOST_DEVICE static V vertical(V up, V down) { return up + down; }
  LAPL_HOST_DEVICE static V difference(V left, V right, V vertical, V centre) {
    return fused_multiply_add(V(-4), centre, (left + right) + vertical);
  }
  LAPL_HOST_DEVICE V update(V centre, V difference) const {
    return fused_multiply_add(coefficient, difference, centre);
  }

  /// A stage that leaves cells unchanged, for cells that a face holds at a value.
  LAPL_HOST_DEVICE static DiffusionStage held() { return {V(0)}; }
};

/// The largest D * dt / h^2 at which explicit Euler is stable on `axes` axes (von Neumann).
constexpr double largest_stable_coefficient(int axes) { return 0.5 / axes; }

}  // namespace lapl
