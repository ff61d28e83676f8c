// Checks that a library from a compiler can be loaded. The loader checks little: a truncated
// library ends the process with SIGBUS.
#pragma once

#include <string>
#include <string_view>

namespace lapl {

/// The reason why the bytes are not a loadable shared library; empty if they are one.
std::string library_fault(std::string_view bytes);

}  // namespace lapl
