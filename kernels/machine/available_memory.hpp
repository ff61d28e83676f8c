#pragma once

#include <cstdint>
#include <filesystem>

namespace lapl {

/// The bytes that can be allocated without swapping, on the machine and within the control groups
/// of this process. 0 if the system does not say.
std::uint64_t available_memory();

/// The bytes that control groups of version 1 and 2 leave, read from a file like /proc/self/cgroup
/// and from the groups' files below `root`. The largest 64-bit number if there is no limit.
std::uint64_t group_memory(const std::filesystem::path& groups, const std::filesystem::path& root);

/// Throws DeviceError; the message has the bytes needed for a field and the bytes available.
[[noreturn]] void throw_out_of_memory(std::uint64_t needed);

/// From now on, memory that is freed stays with the process, for solvers that allocate the same
/// vectors in each step: the system clears each page that it gives anew, which may take as long as
/// a solve. Does nothing without glibc.
void keep_freed_memory();

}  // namespace lapl
