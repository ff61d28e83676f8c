// HDF5 1.10 crashes, runs for ever or asks for terabytes on files that are made to mislead it, and
// no check from outside can tell which. So each file is read in a child process first.
#pragma once

#include <filesystem>
#include <functional>

namespace lapl {

/// Calls `read` in a copy of this process, where it may take two seconds of processor time and
/// one more for each 10 MB of the file, and 1 GiB of memory and twice the file's length. Throws
/// IoError where it crashes or takes more; what `read` itself throws is ignored. Where a crash is
/// possible, the caller reads only after this has returned. `read` must not use OpenMP, whose
/// threads the copy lacks. Does nothing where the system cannot copy the process.
void rehearse(const std::filesystem::path& path, const std::function<void()>& read);

}  // namespace lapl
