// The folder for the tests' scratch folders.
#pragma once

#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace lapl::test {

/// $TMPDIR if set; else /dev/shm if it has room and allows programs to run, because small runs take
/// less than half the time in memory; else the default.
inline std::filesystem::path scratch_root() {
  constexpr const char* memory = "/dev/shm";
  struct statvfs there {};
  const bool fits = std::getenv("TMPDIR") == nullptr && statvfs(memory, &there) == 0 &&
                    (there.f_flag & ST_NOEXEC) == 0 &&
                    there.f_bavail * there.f_frsize >= 1ULL << 30 && access(memory, W_OK) == 0;
  return fits ? memory : std::filesystem::temp_directory_path();
}

}  // namespace lapl::test
