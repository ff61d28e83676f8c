// The C++ compiler of the machine that the program runs on, for code that is made at run time.
#pragma once

#include <string>
#include <vector>

namespace lapl {

struct SystemCompiler {
  std::string path;     ///< absolute; empty where there is none
  std::string missing;  ///< why, for people
};

/// The compiler that CXX names, where that is one program and no command with options; else the
/// first on PATH of c++, g++, clang++, and these with a version, the newest first. Folders of PATH
/// that depend on where the program runs are passed over.
SystemCompiler system_compiler();

/// What a library of stencil loops is compiled with: as fast as the processor can, by no flag that
/// could change a bit of a result. OpenMP is left to the caller's threads: a second runtime beside
/// the one of this process (libomp beside libgomp) would start as many threads again.
std::vector<std::string> library_flags();

/// A first line that refuses compilers with other rules for floating-point arithmetic than GCC and
/// Clang have by themselves.
std::string arithmetic_guard();

/// This process's environment, "NAME=VALUE", without what would change what is compiled or bring it
/// from a cache, and with English messages and temporary files in `folder`.
std::vector<std::string> compiler_environment(const std::string& folder);

}  // namespace lapl
