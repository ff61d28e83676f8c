// The update formula, in the one order of operations that every engine uses (docs/numerics.md).
//
//            up
//             |
//   left -- centre -- right        s = (left + right) + (up + down)
//             |                    difference = s - 4 centre       (one rounding: fma)
//            down                  new centre = centre + c difference   (one rounding: fma)
//
// The same bits on every backend follow from this order, from fma being written out, and from
// -ffp-contract=off and --fmad=false, which keep compilers from fusing anything else.
#pragma once

#include "kernels/platform.hpp"

namespace lapl {

LAPL_HOST_DEVICE float fused_multiply_add(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
LAPL_HOST_DEVICE double fused_multiply_add(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

/// The same from left + right and up + down, for engines that have one of them already.
template <class T>
LAPL_HOST_DEVICE T neighbour_difference(T horizontal, T vertical, T centre) {
  return fused_multiply_add(T(-4), centre, horizontal + vertical);
}

/// Sum of the four neighbours minus four times the centre: h^2 times the Laplacian.
template <class T>
LAPL_HOST_DEVICE T neighbour_difference(T left, T right, T up, T down, T centre) {
  return neighbour_difference(left + right, up + down, centre);
}

/// One explicit Euler step of the diffusion equation; coefficient c = D dt / h^2.
template <class T>
LAPL_HOST_DEVICE T diffuse(T centre, T difference, T coefficient) {
  return fused_multiply_add(coefficient, difference, centre);
}

/// The 5-point Laplacian itself, in field units per length unit squared.
template <class T>
LAPL_HOST_DEVICE T laplacian(T difference, T spacing_squared) {
  return difference / spacing_squared;
}

/// Explicit Euler is stable while D dt / h^2 <= 1 / (2 d) in d dimensions (von Neumann).
inline constexpr double largest_stable_coefficient = 0.25;

}  // namespace lapl
