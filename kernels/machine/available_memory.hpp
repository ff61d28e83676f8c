// How much memory this process may still take.
#pragma once

#include <cstdint>
#include <filesystem>

namespace lapl {

/// Bytes that can be allocated without swapping: the machine's, or what the control groups of this
/// process leave where that is less. 0 where the system does not say.
std::uint64_t available_memory();

/// The memory that control groups leave, by a file like /proc/self/cgroup and the folder where
/// their files are, of version 1 and 2; the largest number where there is no limit.
std::uint64_t group_memory(const std::filesystem::path& groups, const std::filesystem::path& root);

/// Throws DeviceError with what a field needs and what is available.
[[noreturn]] void throw_out_of_memory(std::uint64_t needed);

}  // namespace lapl
