// The folder for the tests' scratch folders.
#pragma once

#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace lapl::test {

/// TMPDIR where set; else a file system in memory if it has room and may hold programs, because
/// small runs take less than half the time there.
inline std::filesystem::path scratch_root() {
  constexpr const char* memory = "/dev/shm";
  struct statvfs there {};
  const bool fits = std::getenv("TMPDIR") == nullptr && statvfs(memory, &there) == 0 &&
                    (there.f_flag & ST_NOEXEC) == 0 &&
                    there.f_bavail * there.f_frsize >= 1ULL << 30 && access(memory, W_OK) == 0;
  return fits ? memory : std::filesystem::temp_directory_path();
}

}  // namespace lapl::test
