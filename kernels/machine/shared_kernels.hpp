// Kernels that the members of a sweep on GPUs share, in an anonymous file that all of them hold
// open. A member that does not find its text there compiles it and adds it; others that need the
// same text meanwhile wait. Only processes of the sweep can reach the file, and they take only code
// that was compiled from byte for byte what they would compile.
//
//   end: 8 bytes | record | record | ...   a record: lengths of text and code, 8 bytes each, both
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace lapl {

/// Opens an empty file of kernels for this process and its forks, and returns its descriptor; -1 if
/// the system has no such files.
int open_shared_kernels();
/// The descriptor that the last call of open_shared_kernels() returned; -1 before the first.
int shared_kernels();

/// The code of this text, from the file or from make(). An empty result of make() is not stored. If
/// `file` is -1 or fails, make() is called. If a process dies while it makes code,
/// others do not wait for it.
std::string shared_kernel(int file, std::string_view text,
                          const std::function<std::string()>& make);

}  // namespace lapl
