// HDF5 1.10 crashes, hangs or asks for terabytes on manipulated files, and no check from outside
// can tell which ones. So each file is first read in a child process.
#pragma once

#include <filesystem>
#include <functional>

namespace lapl {

/// Calls `read` in a copy of this process with limits: two seconds of processor time and one per 10
/// MB of file, 1 GiB of memory and twice the file's length. Throws IoError where it crashes or
/// exceeds them; exceptions of `read` are ignored. To be called before the file is read in this
/// process. `read` must not use OpenMP, as the copy lacks its threads. Does nothing where the
/// process cannot be copied.
void rehearse(const std::filesystem::path& path, const std::function<void()>& read);

}  // namespace lapl
