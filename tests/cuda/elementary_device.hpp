// Computes the elementary functions on the device.
#pragma once

#include <array>
#include <vector>

#include "kernels/stages/operations.hpp"

namespace lapl::test {

#define LAPL_ROW(name, ...) Operation::name,
inline constexpr auto elementary_functions =
    std::to_array<Operation>({LAPL_ELEMENTARY_FUNCTIONS(LAPL_ROW)});
#undef LAPL_ROW

/// The values of all functions, one function after the other, for each x. Functions of two operands
/// take the y with the same index.
template <class T>
std::vector<T> elementary_on_device(const std::vector<T>& x, const std::vector<T>& y);

}  // namespace lapl::test
