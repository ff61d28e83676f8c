// The elementary functions of lapl. They give the same bits with every compiler and on every
// processor; those of the C library and CUDA do not. The error is below 0.75 units in the last
// place for float and double over the whole range, huge angles included, and below 0.8 for
// subnormal results, which are rounded twice (benchmarks/elementary_accuracy.cpp). Special values
// are those of C, but errno is not set, and the sign and digits of a NaN are unspecified.
//
// They use + - * /, fused multiply-add, comparisons and bit operations. They need rounding to
// nearest, gradual underflow, and compilers that neither contract a * b + c to a fused multiply-add
// nor reorder operations. Only sine, cosine and tangent branch, for angles above 2^15 (float) or
// 2^22 (double), and the remainder, for quotients above 2^21 (float) or 2^50 (double). As loops
// with branches are not vectorised, these have quick functions without.
#pragma once

#include "kernels/elementary/arc_tangent.hpp"
#include "kernels/elementary/circular.hpp"
#include "kernels/elementary/error_function.hpp"
#include "kernels/elementary/exponential.hpp"
#include "kernels/elementary/hyperbolic.hpp"
#include "kernels/elementary/logarithm.hpp"
#include "kernels/elementary/power.hpp"
#include "kernels/elementary/remainder.hpp"

/// One ROW per function: name in C++, number of operands; name, arguments and meaning in formulas.
#define LAPL_ELEMENTARY_FUNCTIONS(ROW)                                         \
  ROW(exponential, 1, "exp", "a", "e^a")                                       \
  ROW(logarithm, 1, "log", "a", "natural logarithm")                           \
  ROW(sine, 1, "sin", "a", "sine of a in radians")                             \
  ROW(cosine, 1, "cos", "a", "cosine")                                         \
  ROW(tangent, 1, "tan", "a", "tangent")                                       \
  ROW(arc_tangent, 1, "atan", "a", "arc tangent in radians")                   \
  ROW(polar_angle, 2, "atan2", "b, a", "angle of the point (a, b), -pi to pi") \
  ROW(hyperbolic_sine, 1, "sinh", "a", "hyperbolic sine")                      \
  ROW(hyperbolic_cosine, 1, "cosh", "a", "hyperbolic cosine")                  \
  ROW(hyperbolic_tangent, 1, "tanh", "a", "hyperbolic tangent")                \
  ROW(error_function, 1, "erf", "a", "error function")                         \
  ROW(power, 2, "pow", "a, b", "a^b")                                          \
  ROW(floored_remainder, 2, "mod", "a, b", "a - b floor(a / b), with the sign of b")

/// One ROW per function that branches: name, number of operands; the name of the same without the
/// branch, and of the function that is true for the operands for which that one is right.
#define LAPL_BRANCHING_FUNCTIONS(ROW)            \
  ROW(sine, 1, quick_sine, is_short_angle)       \
  ROW(cosine, 1, quick_cosine, is_short_angle)   \
  ROW(tangent, 1, quick_tangent, is_short_angle) \
  ROW(floored_remainder, 2, quick_remainder, is_short_division)

namespace lapl {

#define LAPL_ROW(name, ...) using elementary::name;
LAPL_ELEMENTARY_FUNCTIONS(LAPL_ROW)
#undef LAPL_ROW
#define LAPL_ROW(name, operands, quick, suits) \
  using elementary::quick;                     \
  using elementary::suits;
LAPL_BRANCHING_FUNCTIONS(LAPL_ROW)
#undef LAPL_ROW

}  // namespace lapl
