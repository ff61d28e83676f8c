// Temporary files and folders, and the removal of those that killed processes have left. A process
// locks its temporary files and folders (PosixFile::hold) until it ends in any way; processes on
// other machines see the locks, too. A file without a lock is a leftover. On a file system without
// locks nothing is removed.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// Removes from `folder` this user's unlocked folders whose names are `start`, which begins with a
/// point, followed by letters and digits. Ignores failures.
void remove_leftovers(const std::filesystem::path& folder, const std::string& start);

/// The path `.NAME.tmp-PID` next to `target`, for this process; shortens NAME if the path would be
/// too long. Removes leftovers with names of this form.
std::filesystem::path temporary_beside(const std::filesystem::path& target);

/// Removes the file in /dev/shm that Clang's OpenMP creates when this process or a forked child
/// starts. The file would stay if the process is killed or ends by _exit. Only another OpenMP
/// runtime in the same process would read it.
void remove_openmp_name();

}  // namespace lapl
