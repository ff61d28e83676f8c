// The C++ compiler of the machine, for code that the program writes at run time.
#pragma once

#include <string>
#include <vector>

namespace lapl {

struct SystemCompiler {
  std::string path;     ///< absolute; empty if there is none
  std::string missing;  ///< the reason why there is none
};

/// The compiler in CXX, if that is a single program without options; else the first of c++, g++,
/// clang++ on PATH; else the newest g++-N or clang++-N. Relative folders in PATH are skipped.
SystemCompiler system_compiler();

/// The flags for a library of stencil loops: as fast as the processor allows, without flags that
/// could change a bit of a result. OpenMP is left out: a second OpenMP runtime in the process
/// (libomp next to libgomp) would start a second set of threads.
std::vector<std::string> library_flags();

/// The lines before the source of each library: an #error for compilers whose default
/// floating-point rules differ from those of GCC and Clang.
std::string arithmetic_guard();

/// This process's environment as "NAME=VALUE", without variables that change or cache a
/// compilation, with English messages and with temporary files in `folder`.
std::vector<std::string> compiler_environment(const std::string& folder);

}  // namespace lapl
