// HDF5 1.10 crashes, hangs or requests terabytes of memory on manipulated files, and no check
// outside HDF5 can find these files. So each file is first read in a child process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace lapl {

/// Calls `read` in a copy of this process with limits: two seconds of processor time and one second
/// per 10 MB of file, 1 GiB of memory and twice the file's length. Throws IoError if the copy
/// crashes or exceeds a limit; ignores exceptions of `read`. Must be called before this process
/// reads the file. `read` must not use OpenMP, because the copy lacks its threads. Does nothing if
/// the process cannot be copied. Messages name the `format`.
void rehearse(const std::filesystem::path& path, const std::function<void()>& read,
              const char* format = "HDF5");

/// True within rehearse. Readers of fields then read one value of each chunk (touch_values) and
/// return none.
bool is_rehearsal();

/// Gives a rehearsal the time to decompress so many more bytes.
void allow_decompressing(std::uint64_t bytes);

}  // namespace lapl
