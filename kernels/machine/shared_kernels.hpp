// Kernels that the members of a sweep on GPUs share: an anonymous file that all of them hold open.
// Who finds none of its text there compiles it and leaves it there; who wants the same one
// meanwhile waits. Only the sweep's own processes reach the file, and take what was compiled from
// all that they would compile, to the byte.
//
//   end: 8 bytes | record | record | ...   a record: lengths of text and code, 8 bytes each, both
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace lapl {

/// The descriptor of a file without kernels, which received_shared_code() gives to a member
/// (kernels/machine/shared_code.hpp); -1 where there can be none.
int open_shared_kernels();

/// The code of this text, from the file or made; none from `make` is not left behind. Where `file`
/// is not such a file, or fails, it is made. Whoever dies while it makes one makes nobody wait.
std::string shared_kernel(int file, std::string_view text,
                          const std::function<std::string()>& make);

}  // namespace lapl
