// Compiled code on its way from a sweep to its members: an anonymous file (memfd_create) that is
// sealed, so that nobody can change what has been checked. It holds what it was compiled from,
// which must be all that its reader would compile, to the byte:
//
//   library | text | length of the text, 8 bytes        or nothing, where the compiler failed
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kernels/stages/code_text.hpp"

namespace lapl {

class CompiledCode;

/// Names the descriptor to a member.
inline constexpr const char* shared_code_variable = "LAPL_SHARED_CODE";

/// The descriptor of an empty file that is still to be sealed; -1 where there can be none.
int open_shared_code();
/// Writes the file, unless `library` is empty, and seals it.
void seal_shared_code(int file, std::string_view library, std::string_view text);

/// usable: a library of exactly this text, sealed, of this user; pending: may become one.
enum class SharedCodeState { pending, usable, useless };
SharedCodeState shared_code_state(int file, std::string_view text);

/// For main: takes the variable from the environment, and keeps the file from what it starts.
void receive_shared_code();
/// What it has received; -1: nothing.
int received_shared_code();

/// Compiles for other processes.
class SharedCode {
 public:
  /// Starts the compiler, and does not wait for it.
  explicit SharedCode(const CodeText& text);
  SharedCode(const SharedCode&) = delete;
  SharedCode& operator=(const SharedCode&) = delete;
  ~SharedCode();

  /// Whether the file is sealed. Never waits.
  bool ready();
  /// The file; -1 where there can be none.
  int file() const { return file_; }

 private:
  int file_;
  std::unique_ptr<CompiledCode> compiled_;
};

}  // namespace lapl
