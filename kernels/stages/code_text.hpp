// C++ that this program has written for the run at hand, for the machine's own compiler.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/problem.hpp"

namespace lapl {

/// What is to be compiled, all of it from this program: it is neither checked nor confined. Only
/// what has `extern "C" [[gnu::visibility("default")]]` is exported. C's functions can be called,
/// and no exceptions thrown.
struct CodeText {
  std::string source;
  std::map<std::string, std::string> headers = {};             ///< by NAME in #include "NAME"
  std::vector<std::string> flags = {};                         ///< after library_flags()
  std::vector<std::string> functions = {};                     ///< without these it is no use
  std::chrono::milliseconds limit = std::chrono::seconds(60);  ///< a longer compilation is stopped
};

/// All that the library depends on.
std::string all_of(const CodeText& text);

/// What the backend of the CPU has compiled for a problem, if anything; the values of coefficients
/// are not read.
template <class T>
std::optional<CodeText> code_to_compile(const std::string& engine, const Problem<T>& problem);

}  // namespace lapl
