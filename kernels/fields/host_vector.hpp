#pragma once

#include <cstdint>
#include <new>
#include <vector>

#include "kernels/machine/available_memory.hpp"
#include "kernels/machine/pages.hpp"

namespace lapl {

/// `size` zeros. Throws DeviceError, with the bytes needed, if memory does not suffice.
template <class T>
std::vector<T> host_vector(std::int64_t size) {
  try {
    std::vector<T> values;
    values.reserve(size);
    make_pages(values.data(), static_cast<std::size_t>(size) * sizeof(T));
    values.resize(size);
    return values;
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(static_cast<std::uint64_t>(size) * sizeof(T));
  }
}

}  // namespace lapl
