// The factor 1 + change(z) by which a step of a time scheme multiplies a mode, for CPU and GPU.
// With z = rate * dt:
//
//   order k   1 + z + z^2/2 + ... + z^k/k! + beyond * z^(k+1)    (1: Euler, 2: Heun, ...)
//   stages s  1 + b * (P_s(1 + 4 * z/(s^2 + s - 2)) - 1),  b = (s^2 + s - 2)/(2 * s * (s + 1))
//
// The second formula is rkl2, with the Legendre polynomial P_s (Meyer, Balsara and Aslam, J.
// Comput. Phys. 257 (2014)).
#pragma once

#include "kernels/platform.hpp"

namespace lapl {

struct StepChange {
  int order = 1;
  double beyond = 0;
  int stages = 0;  ///< stages of rkl2, at least 2; 0 for schemes given by their order
};

/// -z at the stability limit of rkl2: there the argument of P_s is -1.
LAPL_HOST_DEVICE double damping_end(int stages) { return (stages * (stages + 1.0) - 2) / 2; }

/// change(z) for a real or complex z, without cancellation for small z.
template <class Z>
LAPL_HOST_DEVICE Z mode_change(const StepChange& step, Z z) {
  if (step.stages == 0) {
    Z sum = 1;  // Horner's scheme: z * (1 + z/2 * (1 + z/3 * (...)))
    if (step.beyond != 0) {
      double factorial = 1;
      for (int term = 2; term <= step.order; ++term) factorial *= term;
      sum = 1.0 + step.beyond * factorial * z;
    }
    for (int term = step.order; term > 1; --term) sum = 1.0 + z / double(term) * sum;
    return z * sum;
  }
  const Z y = z * (2 / damping_end(step.stages));
  Z before = 0, legendre = y;  // P_(j-1)(1 + y) - 1 and P_j(1 + y) - 1
  for (int j = 2; j <= step.stages; ++j) {
    const Z next =
        ((2.0 * j - 1) * (legendre + y * (1.0 + legendre)) - (j - 1.0) * before) / double(j);
    before = legendre;
    legendre = next;
  }
  return damping_end(step.stages) / (step.stages * (step.stages + 1.0)) * legendre;
}

}  // namespace lapl
