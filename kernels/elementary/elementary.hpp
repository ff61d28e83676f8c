// Elementary functions of our own: the same bits from every compiler and on every processor, which
// the C library's and CUDA's are not. Within 0.75 units in the last place for float and double,
// over the whole range, huge angles included, and within 0.8 where the result is subnormal, being
// rounded twice there (benchmarks/elementary_accuracy.cpp). Special values as in C, but no errno
// and no promise of a NaN's sign and digits.
//
// Made of + - * /, fused multiply-add, comparisons and operations on bits. They rely on rounding to
// nearest and on gradual underflow, and on compilers that neither contract nor reorder. Only sine,
// cosine and tangent of angles past 2^15 (float) or 2^22 (double) branch; of rows of numbers see
// kernels/elementary/elementary_rows.hpp.
#pragma once

#include "kernels/elementary/circular.hpp"
#include "kernels/elementary/exponential.hpp"
#include "kernels/elementary/logarithm.hpp"
#include "kernels/elementary/power.hpp"

namespace lapl {

using elementary::cosine;
using elementary::exponential;
using elementary::hyperbolic_tangent;
using elementary::logarithm;
using elementary::power;
using elementary::sine;
using elementary::tangent;

}  // namespace lapl
