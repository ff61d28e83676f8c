// The operations of stages. Each has a row in a list, which says how formulas call it and how it is
// printed, and a function that computes it, used by interpreting engines and compiled code alike. V
// is a number or, for sums and products, a vector of numbers.
#pragma once

#include "kernels/elementary/elementary.hpp"
#include "kernels/stages/arithmetic.hpp"

#ifndef LAPL_RUN_TIME_CODE
#include <cstddef>
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
/// The negative of a value that is not a product, by its sign bit, for code compiled at run time.
/// From a minus sign, compilers make code that gives zeros the other sign: GCC 12 to 14 turns
/// -fma(a, b, c) into fnms(a, b, c), and ptxas 13.0 reads (p ? -1 : -0) as an integer.
#ifdef __CUDACC_RTC__
LAPL_HOST_DEVICE float negative_of_bits(float a) {
  return __uint_as_float(__float_as_uint(a) ^ 0x80000000u);
}
LAPL_HOST_DEVICE double negative_of_bits(double a) {
  return __longlong_as_double(__double_as_longlong(a) ^ 0x8000000000000000ll);
}
#else
LAPL_HOST_DEVICE float negative_of_bits(float a) {
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, a) ^ 0x80000000u);
}
LAPL_HOST_DEVICE double negative_of_bits(double a) {
  return __builtin_bit_cast(double,
                            __builtin_bit_cast(unsigned long long, a) ^ 0x8000000000000000u);
}
#endif
template <class V>
LAPL_HOST_DEVICE V sign_of(V a) {
  return a > V(0) ? V(1) : a < V(0) ? V(-1) : a;
}
/// smaller and larger: if a or b is not a number, or if they are equal, the result is b.
template <class V>
LAPL_HOST_DEVICE V smaller(V a, V b) {
  return a < b ? a : b;
}
template <class V>
LAPL_HOST_DEVICE V larger(V a, V b) {
  return a > b ? a : b;
}
/// Comparisons give 1 or 0.
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
LAPL_HOST_DEVICE V both(V a, V b) {
  return ((a != V(0)) & (b != V(0))) ? V(1) : V(0);
}
template <class V>
LAPL_HOST_DEVICE V either(V a, V b) {
  return ((a != V(0)) | (b != V(0))) ? V(1) : V(0);
}
template <class V>
LAPL_HOST_DEVICE V is_not(V a) {
  return a == V(0) ? V(1) : V(0);
}
/// 0 below 0, 1 above, 1/2 at 0.
template <class V>
LAPL_HOST_DEVICE V unit_step(V a) {
  return a > V(0) ? V(1) : a < V(0) ? V(0) : a == V(0) ? V(0.5) : a;
}
template <class V>
LAPL_HOST_DEVICE V choice(V condition, V a, V b) {
  return condition != V(0) ? a : b;
}
#ifdef __CUDACC_RTC__  // NVRTC lacks GCC's builtins
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

/// Leaves have no operands. The first three depend on the cell; the others are the same in every
/// cell.
#define LAPL_LEAVES(ROW) \
  ROW(value, 0)          \
  ROW(position, 0) ROW(noise, 0) ROW(number, 0) ROW(time, 0) ROW(time_step, 0) ROW(reduced, 0)
/// Operators: the name of the function above that computes it, and the number of its operands.
#define LAPL_OPERATORS(ROW) \
  ROW(sum, 2)               \
  ROW(difference, 2)        \
  ROW(product, 2)           \
  ROW(quotient, 2)          \
  ROW(negative, 1)          \
  ROW(is_less, 2)           \
  ROW(is_at_most, 2)        \
  ROW(is_equal, 2)          \
  ROW(is_other, 2)          \
  ROW(both, 2)              \
  ROW(either, 2)            \
  ROW(is_not, 1)            \
  ROW(fused_multiply_add, 3)
/// Operations that formulas call by name, with the name, arguments and meaning they have there.
#define LAPL_PLAIN_FUNCTIONS(ROW)                                                      \
  ROW(choice, 3, "where", "condition, a, b", "a where the condition is not 0, else b") \
  ROW(square_root, 1, "sqrt", "a", "square root")                                      \
  ROW(magnitude, 1, "abs", "a", "magnitude")                                           \
  ROW(smaller, 2, "min", "a, b", "the smaller")                                        \
  ROW(larger, 2, "max", "a, b", "the larger")                                          \
  ROW(round_down, 1, "floor", "a", "largest integer that is not above a")              \
  ROW(unit_step, 1, "heaviside", "a", "0 below 0, 1 above, 1/2 at 0")                  \
  ROW(sign_of, 1, "sign", "a", "-1, 0 or 1")
#define LAPL_OPERATIONS(ROW) \
  LAPL_OPERATORS(ROW)        \
  LAPL_PLAIN_FUNCTIONS(ROW)  \
  LAPL_ELEMENTARY_FUNCTIONS(ROW)

enum class Operation : std::uint8_t {
#define LAPL_ROW(name, ...) name,
  LAPL_LEAVES(LAPL_ROW) LAPL_OPERATIONS(LAPL_ROW)
#undef LAPL_ROW
};
constexpr bool computes(Operation operation) { return operation > Operation::reduced; }
constexpr bool is_elementary(Operation operation) {
#define LAPL_ROW(name, ...) || operation == Operation::name
  return false LAPL_ELEMENTARY_FUNCTIONS(LAPL_ROW);
#undef LAPL_ROW
}

struct OperationRow {
  int operands;
  std::string_view name;  ///< of its function, for printed code
};
inline constexpr OperationRow operation_table[] = {
#define LAPL_ROW(name, operands, ...) {operands, #name},
    LAPL_LEAVES(LAPL_ROW) LAPL_OPERATIONS(LAPL_ROW)
#undef LAPL_ROW
};
constexpr const OperationRow& table_row(Operation operation) {
  return operation_table[static_cast<std::size_t>(operation)];
}

/// A function that branches for few operands, which loops cannot do fast.
struct BranchingRow {
  Operation operation;
  std::string_view quick, suits;  ///< as LAPL_BRANCHING_FUNCTIONS has them
};
inline constexpr BranchingRow branching_table[] = {
#define LAPL_ROW(name, operands, quick, suits) {Operation::name, #quick, #suits},
    LAPL_BRANCHING_FUNCTIONS(LAPL_ROW)
#undef LAPL_ROW
};
/// Null where the operation does not branch.
constexpr const BranchingRow* branching_row(Operation operation) {
  for (const BranchingRow& row : branching_table)
    if (row.operation == operation) return &row;
  return nullptr;
}

/// Calls `use` with the function of `operation`. The function has three parameters, and uses as
/// many as the operation has operands.
template <class T, class Use>
LAPL_HOST_DEVICE void with_operation(Operation operation, const Use& use) {
#define LAPL_OF_1(function) [](T a, T, T) { return function(a); }
#define LAPL_OF_2(function) [](T a, T b, T) { return function(a, b); }
#define LAPL_OF_3(function) [](T a, T b, T c) { return function(a, b, c); }
  switch (operation) {
    default: return;
#define LAPL_ROW(name, operands, ...) \
  case Operation::name: return use(LAPL_OF_##operands(name));
      LAPL_OPERATIONS(LAPL_ROW)
#undef LAPL_ROW
  }
}
/// Calls `use` with the quick function of an operation that branches, and the function that is true
/// for the operands for which it is right.
template <class T, class Use>
LAPL_HOST_DEVICE void with_quick_operation(Operation operation, const Use& use) {
  switch (operation) {
    default: return;
#define LAPL_ROW(name, operands, quick, suits) \
  case Operation::name: return use(LAPL_OF_##operands(quick), LAPL_OF_##operands(suits));
      LAPL_BRANCHING_FUNCTIONS(LAPL_ROW)
#undef LAPL_ROW
  }
}

#endif

}  // namespace lapl
