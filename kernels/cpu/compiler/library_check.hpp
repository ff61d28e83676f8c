// Checks that a library from a compiler can be loaded. The loader checks little: a truncated
// library ends the process with SIGBUS.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lapl {

/// At most `most` bytes from the start of a file; none if it cannot be read or is not a regular
/// file (opening a pipe would wait).
std::optional<std::string> plain_file(const std::string& path, std::size_t most);

/// A message that says why the bytes are not a loadable shared library; empty if they are one.
std::string library_fault(std::string_view bytes);

}  // namespace lapl
