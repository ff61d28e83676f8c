// The operations of which stages are made. One row of the table says what people and printed code
// call each; one function below says what it computes, for engines that interpret and for compiled
// code alike, with V a number or, where only sums and products are used, a vector of them.
#pragma once

#include "kernels/elementary/elementary.hpp"
#include "kernels/stages/arithmetic.hpp"

#ifndef LAPL_RUN_TIME_CODE
#include <array>
#include <cstdint>
#include <string_view>
#endif

namespace lapl {

template <class V>
LAPL_HOST_DEVICE V sum(V a, V b) {
  return a + b;
}
template <class V>
LAPL_HOST_DEVICE V difference(V a, V b) {
  return a - b;
}
template <class V>
LAPL_HOST_DEVICE V product(V a, V b) {
  return a * b;
}
template <class V>
LAPL_HOST_DEVICE V quotient(V a, V b) {
  return a / b;
}
template <class V>
LAPL_HOST_DEVICE V negative(V a) {
  return -a;
}
/// The same for what was summed, in code compiled at run time: GCC (12 to 14) makes fnms(a, b, c)
/// of -fma(a, b, c), whose zeros have the other sign; it does not see through this.
#ifdef __CUDACC_RTC__
template <class V>
LAPL_HOST_DEVICE V negative_sum(V a) {
  return -a;
}
#else
LAPL_HOST_DEVICE float negative_sum(float a) {
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, a) ^ 0x80000000u);
}
LAPL_HOST_DEVICE double negative_sum(double a) {
  return __builtin_bit_cast(double,
                            __builtin_bit_cast(unsigned long long, a) ^ 0x8000000000000000u);
}
#endif
template <class V>
LAPL_HOST_DEVICE V sign_of(V a) {
  return a > V(0) ? V(1) : a < V(0) ? V(-1) : a;
}
/// The second where either is not a number, as both are equal.
template <class V>
LAPL_HOST_DEVICE V smaller(V a, V b) {
  return a < b ? a : b;
}
template <class V>
LAPL_HOST_DEVICE V larger(V a, V b) {
  return a > b ? a : b;
}
/// 1 or 0.
template <class V>
LAPL_HOST_DEVICE V is_less(V a, V b) {
  return a < b ? V(1) : V(0);
}
template <class V>
LAPL_HOST_DEVICE V is_at_most(V a, V b) {
  return a <= b ? V(1) : V(0);
}
template <class V>
LAPL_HOST_DEVICE V is_equal(V a, V b) {
  return a == b ? V(1) : V(0);
}
template <class V>
LAPL_HOST_DEVICE V is_other(V a, V b) {
  return a != b ? V(1) : V(0);
}
template <class V>
LAPL_HOST_DEVICE V choice(V condition, V a, V b) {
  return condition != V(0) ? a : b;
}
#ifdef __CUDACC_RTC__  // has none of GCC's names
LAPL_HOST_DEVICE float magnitude(float a) { return fabsf(a); }
LAPL_HOST_DEVICE double magnitude(double a) { return fabs(a); }
LAPL_HOST_DEVICE float square_root(float a) { return sqrtf(a); }
LAPL_HOST_DEVICE double square_root(double a) { return sqrt(a); }
LAPL_HOST_DEVICE float round_down(float a) { return floorf(a); }
LAPL_HOST_DEVICE double round_down(double a) { return floor(a); }
#else
LAPL_HOST_DEVICE float magnitude(float a) { return __builtin_fabsf(a); }
LAPL_HOST_DEVICE double magnitude(double a) { return __builtin_fabs(a); }
LAPL_HOST_DEVICE float square_root(float a) { return __builtin_sqrtf(a); }
LAPL_HOST_DEVICE double square_root(double a) { return __builtin_sqrt(a); }
LAPL_HOST_DEVICE float round_down(float a) { return __builtin_floorf(a); }
LAPL_HOST_DEVICE double round_down(double a) { return __builtin_floor(a); }
#endif

#ifndef LAPL_RUN_TIME_CODE

enum class Operation : std::uint8_t {
  // Leaves; those from here on depend on the cell,
  value,
  position,
  // and those from here on are the same in every cell.
  number,
  time,
  // What is computed.
  sum,
  difference,
  product,
  quotient,
  negative,
  magnitude,
  sign,
  smaller,
  larger,
  is_less,
  is_at_most,
  is_equal,
  is_other,
  choice,
  square_root,
  round_down,
  exponential,
  logarithm,
  sine,
  cosine,
  tangent,
  hyperbolic_tangent,
  power,
  fused_multiply_add,
};
constexpr bool computes(Operation operation) { return operation >= Operation::sum; }

struct OperationRow {
  Operation value;
  int operands;
  std::string_view name;  ///< of its function, for printed code
};
inline constexpr auto operation_table = std::to_array<OperationRow>({
    {Operation::value, 0, "value"},
    {Operation::position, 0, "position"},
    {Operation::number, 0, "number"},
    {Operation::time, 0, "time"},
    {Operation::sum, 2, "sum"},
    {Operation::difference, 2, "difference"},
    {Operation::product, 2, "product"},
    {Operation::quotient, 2, "quotient"},
    {Operation::negative, 1, "negative"},
    {Operation::magnitude, 1, "magnitude"},
    {Operation::sign, 1, "sign_of"},
    {Operation::smaller, 2, "smaller"},
    {Operation::larger, 2, "larger"},
    {Operation::is_less, 2, "is_less"},
    {Operation::is_at_most, 2, "is_at_most"},
    {Operation::is_equal, 2, "is_equal"},
    {Operation::is_other, 2, "is_other"},
    {Operation::choice, 3, "choice"},
    {Operation::square_root, 1, "square_root"},
    {Operation::round_down, 1, "round_down"},
    {Operation::exponential, 1, "exponential"},
    {Operation::logarithm, 1, "logarithm"},
    {Operation::sine, 1, "sine"},
    {Operation::cosine, 1, "cosine"},
    {Operation::tangent, 1, "tangent"},
    {Operation::hyperbolic_tangent, 1, "hyperbolic_tangent"},
    {Operation::power, 2, "power"},
    {Operation::fused_multiply_add, 3, "fused_multiply_add"},
});
/// The table is in the order of the enumeration.
constexpr const OperationRow& row_of(Operation operation) {
  return operation_table[static_cast<std::size_t>(operation)];
}

/// Calls `use` with the function of an operation that computes, of three operands of which it takes
/// the first ones.
template <class T, class Use>
LAPL_HOST_DEVICE void with_operation(Operation operation, const Use& use) {
  switch (operation) {
    case Operation::value:
    case Operation::position:
    case Operation::number:
    case Operation::time: return;
    case Operation::sum: return use([](T a, T b, T) { return sum(a, b); });
    case Operation::difference: return use([](T a, T b, T) { return difference(a, b); });
    case Operation::product: return use([](T a, T b, T) { return product(a, b); });
    case Operation::quotient: return use([](T a, T b, T) { return quotient(a, b); });
    case Operation::negative: return use([](T a, T, T) { return negative(a); });
    case Operation::magnitude: return use([](T a, T, T) { return magnitude(a); });
    case Operation::sign: return use([](T a, T, T) { return sign_of(a); });
    case Operation::smaller: return use([](T a, T b, T) { return smaller(a, b); });
    case Operation::larger: return use([](T a, T b, T) { return larger(a, b); });
    case Operation::is_less: return use([](T a, T b, T) { return is_less(a, b); });
    case Operation::is_at_most: return use([](T a, T b, T) { return is_at_most(a, b); });
    case Operation::is_equal: return use([](T a, T b, T) { return is_equal(a, b); });
    case Operation::is_other: return use([](T a, T b, T) { return is_other(a, b); });
    case Operation::choice: return use([](T a, T b, T c) { return choice(a, b, c); });
    case Operation::square_root: return use([](T a, T, T) { return square_root(a); });
    case Operation::round_down: return use([](T a, T, T) { return round_down(a); });
    case Operation::exponential: return use([](T a, T, T) { return exponential(a); });
    case Operation::logarithm: return use([](T a, T, T) { return logarithm(a); });
    case Operation::sine: return use([](T a, T, T) { return sine(a); });
    case Operation::cosine: return use([](T a, T, T) { return cosine(a); });
    case Operation::tangent: return use([](T a, T, T) { return tangent(a); });
    case Operation::hyperbolic_tangent: return use([](T a, T, T) { return hyperbolic_tangent(a); });
    case Operation::power: return use([](T a, T b, T) { return power(a, b); });
    case Operation::fused_multiply_add:
      return use([](T a, T b, T c) { return fused_multiply_add(a, b, c); });
  }
}

#endif

}  // namespace lapl
