// The elementary functions on the device.
#pragma once

#include <vector>

namespace lapl::test {

/// Of each x, one function after another: exponential, logarithm, sine, cosine, tangent, hyperbolic
/// tangent, and power to the y of the same index.
template <class T>
std::vector<T> elementary_on_device(const std::vector<T>& x, const std::vector<T>& y);

}  // namespace lapl::test
