// C++ text that the program wrote for this run, compiled by the machine's compiler and loaded into
// this process, while the run goes on without it.
//
//   CompiledCode code({.source = text});
//   while (!code.ready()) step_otherwise();
//   if (code.unavailable().empty()) step = code.function<Step>("step");
//
// A library that an earlier run has compiled, or that another process compiles at this moment,
// comes from the cache (kernels/machine/code_cache.hpp). Only libraries that no other user can have
// written are loaded. All files are in a folder that only this user can enter, under $TMPDIR or
// /tmp. The folder is removed once the library is loaded; if this process is killed, the next one
// removes it. If there is no compiler, or it fails or hangs, or the library cannot be loaded, the
// run still goes on.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cpu/compiler/compiler_process.hpp"
#include "kernels/machine/code_cache.hpp"
#include "kernels/machine/temporary_folder.hpp"

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
  /// time to wait for another process that compiles the same text
  std::chrono::milliseconds patience = code_cache_patience;
};

/// Code that another process compiles while the run goes on. Not thread-safe.
class CompiledCode {
 public:
  /// Loads the library from the cache or starts the compiler, and returns at once.
  explicit CompiledCode(CodeText text);
  CompiledCode(const CompiledCode&) = delete;
  CompiledCode& operator=(const CompiledCode&) = delete;
  /// Stops the compiler; after finish_compilations() it first waits up to a second for it.
  ~CompiledCode();

  /// True once compiling has ended: the library is loaded, or unavailable() says why not. Never
  /// waits.
  bool ready();
  void wait();

  /// The reason why there is no compiled code, for messages; empty if there is code, or before
  /// ready().
  const std::string& unavailable() const { return unavailable_; }
  /// True if the library comes from the cache. Call only once ready() is true.
  bool is_cached() const { return is_cached_; }
  /// The compiler's messages, at most 2000 characters, for the text of an internal error.
  const std::string& messages() const { return messages_; }

  /// The function called `name`, valid while this object lives. Call only once ready() is true and
  /// if unavailable() is empty. Throws std::logic_error if the library has no such function.
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void prepare();
  void start_compiler();
  void finish(int status);
  bool load_cached();
  std::string load();
  void* symbol(const std::string& name) const;
  std::string file(const std::string& name) const;

  CodeText text_;
  std::string program_;  // path of the compiler
  std::string library_name_;
  std::chrono::steady_clock::time_point stop_at_;
  std::optional<CachedCode> cached_;
  std::optional<TemporaryFolder> folder_;    // none once ready() is true
  std::optional<CompilerProcess> compiler_;  // must be destroyed before its folder
  std::shared_ptr<void> library_;
  std::string unavailable_, messages_;
  bool is_cached_ = false;
};

}  // namespace lapl
