// C++ text that the program wrote for this run, compiled by the machine's compiler and loaded into
// this process, while the run goes on without it.
//
//   CompiledCode code({.source = text});
//   while (!code.ready()) step_otherwise();
//   if (code.unavailable().empty()) step = code.function<Step>("step");
//
// Only libraries that no other user can have written are loaded. There is no cache: all files are
// in a folder that only this user can enter, under $TMPDIR or /tmp. The folder is removed once the
// library is loaded; if this process is killed, the next one removes it. If there is no compiler,
// or it fails or hangs, or the library cannot be loaded, the run still goes on.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cpu/compiler/compiler_process.hpp"
#include "kernels/machine/temporary_folder.hpp"
#include "kernels/stages/code_text.hpp"

namespace lapl {

/// Code that is compiled beside the run. Not thread-safe.
class CompiledCode {
 public:
  /// Starts the compiler and returns at once; takes the library of an equal code that is on offer.
  explicit CompiledCode(CodeText text);
  CompiledCode(const CompiledCode&) = delete;
  CompiledCode& operator=(const CompiledCode&) = delete;
  ~CompiledCode();

  /// True once compiling has ended: the library is loaded, or unavailable() says why not. Never
  /// waits.
  bool ready();
  void wait();
  /// Offers the library, or the reason why there is none, to equal codes in this process and in its
  /// forks, as long as this object lives. Only once ready().
  void offer();

  /// Why there is no compiled code, for people; empty if there is, or before ready().
  const std::string& unavailable() const { return unavailable_; }
  /// The compiler's messages, at most 2000 characters, for an internal error.
  const std::string& messages() const { return messages_; }

  /// The function called `name`, valid while this object lives. Only once ready() and if
  /// unavailable() is empty. Throws std::logic_error if the library has no such function.
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  static std::map<std::string, const CompiledCode*>& offered();
  void start();
  void finish(int status);
  std::string load(const std::string& path);
  void* symbol(const std::string& name) const;
  std::string file(const std::string& name) const;

  CodeText text_;
  std::string program_;  // path of the compiler
  std::string library_name_;
  std::chrono::steady_clock::time_point stop_at_;
  std::optional<TemporaryFolder> folder_;
  std::optional<CompilerProcess> compiler_;  // must be destroyed before its folder
  std::shared_ptr<void> library_;
  std::string unavailable_, messages_;
};

}  // namespace lapl
