// Temporary files and folders, and the removal of those that killed processes have left. A
// temporary file or folder is locked (PosixFile::hold) until its process ends in any way, also for
// other machines; one without a lock is a leftover. On a file system without locks nothing is
// removed.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// Removes from `folder` this user's unlocked folders whose names are `start`, which begins with a
/// point, followed by letters and digits. Folders that cannot be removed stay.
void remove_leftovers(const std::filesystem::path& folder, const std::string& start);

/// The path `.NAME.tmp-PID` beside `target`, for this process. Leftovers of that form are removed.
/// A NAME that would make it too long is shortened.
std::filesystem::path temporary_beside(const std::filesystem::path& target);

/// Removes the file in /dev/shm that Clang's OpenMP creates when this process or a forked child
/// starts. It would stay if the process is killed or ends by _exit. Only another OpenMP runtime in
/// the same process would read it.
void remove_openmp_name();

}  // namespace lapl
