// How much memory this process may still take.
#pragma once

#include <cstdint>

namespace lapl {

/// Bytes that can be allocated without swapping: the machine's, or what the control groups of this
/// process leave where that is less. 0 where the system does not say.
std::uint64_t available_memory();

/// Throws DeviceError with what a field needs and what is available.
[[noreturn]] void throw_out_of_memory(std::uint64_t needed);

}  // namespace lapl
