#pragma once

#include <string>

namespace lapl {

/// The processor as -march=native and -mcpu=native see it: processors with equal texts run the code
/// that was compiled for each other. It is for comparisons, not for people.
std::string native_processor();

}  // namespace lapl
