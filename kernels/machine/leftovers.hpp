// What is there only for a while, and what killed processes leave of it. A temporary file or folder
// is held by a lock (PosixFile::hold), which goes with its process however that ends, on other
// machines too: one that nobody holds is a leftover. On a file system without locks none is
// removed.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// Removes from `folder` this user's folders whose names are `start`, which begins with a point,
/// and then letters and digits alone, where nobody holds them. What cannot be removed stays.
void remove_leftovers(const std::filesystem::path& folder, const std::string& start);

/// `.NAME.tmp-PID` beside `target`, for this process; what others have left of that kind is
/// removed. A NAME for which that would be too long is cut.
std::filesystem::path temporary_beside(const std::filesystem::path& target);

/// Removes the name in /dev/shm that Clang's OpenMP gives this process when it starts, or a child
/// of it when that is forked: where a process is killed, or ends by _exit, it would stay. Nobody
/// reads it but another OpenMP of the same process.
void remove_openmp_name();

}  // namespace lapl
