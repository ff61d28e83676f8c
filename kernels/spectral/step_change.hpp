// What a step of a scheme multiplies a mode by, 1 + change(z), for CPU and GPU. With z = rate dt:
//
//   order k   1 + z + z^2/2 + ... + z^k/k!    (1: Euler, 2: Heun, 3: SSPRK3, 4: RK4)
//   stages s  1 + b (P_s(1 + 4 z / (s^2 + s - 2)) - 1),  b = (s^2 + s - 2) / (2 s (s + 1))
//
// P_s is Legendre's polynomial (Meyer, Balsara and Aslam, J. Comput. Phys. 257 (2014)).
#pragma once

#include "kernels/platform.hpp"

namespace lapl {

struct StepChange {
  int order = 1;
  int stages = 0;  ///< at least 2: those of rkl2, whatever the order
};

/// -z where rkl2's polynomial reaches the end of Legendre's interval.
LAPL_HOST_DEVICE double damping_end(int stages) { return (stages * (stages + 1.0) - 2) / 2; }

/// Without cancellation where z, a real or complex number, is small.
template <class Z>
LAPL_HOST_DEVICE Z change_of(const StepChange& step, Z z) {
  if (step.stages == 0) {
    Z sum = 1;  // z (1 + z/2 (1 + z/3 (...))), from within
    for (int term = step.order; term > 1; --term) sum = 1.0 + z / double(term) * sum;
    return z * sum;
  }
  const Z y = z * (2 / damping_end(step.stages));
  Z before = 0, legendre = y;  // P_(j-1)(1 + y) - 1, P_j(1 + y) - 1
  for (int j = 2; j <= step.stages; ++j) {
    const Z next =
        ((2.0 * j - 1) * (legendre + y * (1.0 + legendre)) - (j - 1.0) * before) / double(j);
    before = legendre;
    legendre = next;
  }
  return damping_end(step.stages) / (step.stages * (step.stages + 1.0)) * legendre;
}

}  // namespace lapl
