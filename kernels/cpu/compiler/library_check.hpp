// Checks that a file that a compiler has left can be loaded. The loader itself takes much for
// granted: a library that is cut short ends the process that loads it (SIGBUS).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lapl {

/// At most `most` bytes from the start of a file; none where it cannot be read, or is no plain file
/// (a pipe would be waited for).
std::optional<std::string> plain_file(const std::string& path, std::size_t most);

/// Says what is wrong with the bytes of a shared library, for people; empty where the loader finds
/// all that it looks for.
std::string library_fault(std::string_view bytes);

}  // namespace lapl
