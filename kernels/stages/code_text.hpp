#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/problem.hpp"

namespace lapl {

/// C++ text that the program wrote for this run, for the machine's compiler. All of it comes from
/// this program, so it is neither checked nor sandboxed. Only functions with `extern "C"
/// [[gnu::visibility("default")]]` are exported. They may call C functions and must not throw.
struct CodeText {
  std::string source;
  /// text of each header, by NAME in #include "NAME"
  std::map<std::string, std::string> headers = {};
  std::vector<std::string> flags = {};  ///< added after library_flags()
  /// functions that the library must have
  std::vector<std::string> functions = {};
  std::chrono::milliseconds limit = std::chrono::seconds(60);  ///< a longer compilation is stopped
};

/// All data that determine the compiled library, as one text.
std::string all_of(const CodeText& text);

/// The text that a CPU engine compiles for a problem; none if it compiles nothing. Does not read
/// the values of coefficients.
template <class T>
std::optional<CodeText> code_to_compile(const std::string& engine, const Problem<T>& problem);

}  // namespace lapl
