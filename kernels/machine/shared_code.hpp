// Compiled code that a sweep passes to its members, in an anonymous file (memfd_create). The file
// is sealed, so that nobody can change it after it has been checked. It holds the text it was
// compiled from, which must be byte for byte what the reader would compile:
//
//   library | text | length of the text, 8 bytes        or nothing, if the compiler failed
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kernels/stages/code_text.hpp"

namespace lapl {

class CompiledCode;

/// The environment variable that tells a member the file's descriptor.
inline constexpr const char* shared_code_variable = "LAPL_SHARED_CODE";

/// The descriptor of an empty file, to be sealed later; -1 if the system has no such files.
int open_shared_code();
/// Writes `library` and `text` to the file, unless `library` is empty, and seals it.
void seal_shared_code(int file, std::string_view library, std::string_view text);

/// usable: a sealed library of exactly this text, made by this user; pending: not yet sealed.
enum class SharedCodeState { pending, usable, useless };
SharedCodeState shared_code_state(int file, std::string_view text);

/// For main: reads the variable and removes it, and closes the file in processes that this one
/// starts.
void receive_shared_code();
/// The descriptor that this process has received, or -1.
int received_shared_code();

class SharedCode {
 public:
  /// Starts the compiler and returns at once.
  explicit SharedCode(const CodeText& text);
  SharedCode(const SharedCode&) = delete;
  SharedCode& operator=(const SharedCode&) = delete;
  ~SharedCode();

  /// True once the file is sealed. Never waits.
  bool ready();
  /// The descriptor of the file; -1 if the system has no such files.
  int file() const { return file_; }

 private:
  int file_;
  std::unique_ptr<CompiledCode> compiled_;
};

}  // namespace lapl
