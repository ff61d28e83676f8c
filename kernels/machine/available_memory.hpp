#pragma once

#include <cstdint>
#include <filesystem>

namespace lapl {

/// Bytes that can be allocated without swapping: the machine's, or less if the control groups of
/// this process leave less. 0 if the system does not say.
std::uint64_t available_memory();

/// The bytes that control groups of version 1 and 2 leave, read from a file like /proc/self/cgroup
/// and from the groups' files below `root`. The largest number if there is no limit.
std::uint64_t group_memory(const std::filesystem::path& groups, const std::filesystem::path& root);

/// Throws DeviceError with the bytes needed for a field and those available.
[[noreturn]] void throw_out_of_memory(std::uint64_t needed);

}  // namespace lapl
