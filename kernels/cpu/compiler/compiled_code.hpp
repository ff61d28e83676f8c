// C++ that this program has written for the run at hand, compiled by the machine's own compiler and
// loaded into this process, while the run goes on without it.
//
//   CompiledCode code({.source = text});
//   while (!code.ready()) step_otherwise();
//   if (code.unavailable().empty()) step = code.function<Step>("step");
//
// Nothing is loaded that somebody else could have written: there is no cache, what a sweep compiles
// for its members is sealed (kernels/machine/shared_code.hpp), and all other files lie in a folder
// of this user alone, under $TMPDIR or /tmp. It is removed as soon as the library is loaded; after
// a kill the next process does that. That there is no compiler, or that it fails, hangs, or may not
// be loaded from there, is no error of a run.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cpu/compiler/compiler_process.hpp"
#include "kernels/machine/temporary_folder.hpp"
#include "kernels/stages/code_text.hpp"

namespace lapl {

/// For one thread at a time.
class CompiledCode {
 public:
  /// Starts the compiler, unless this process has received the code or may still, and does not
  /// wait for it.
  explicit CompiledCode(CodeText text);
  /// Compiles it for others: the library is not loaded but goes into this file, which is sealed.
  CompiledCode(CodeText text, int shared);
  CompiledCode(const CompiledCode&) = delete;
  CompiledCode& operator=(const CompiledCode&) = delete;

  /// Whether it is known how it ended: loaded, or unavailable() says why not. Never waits.
  bool ready();
  /// Until ready().
  void wait();

  /// Why there is no compiled code, for people; empty where there is, or while nobody knows.
  const std::string& unavailable() const { return unavailable_; }
  /// What the compiler said of the text, at most 2000 characters, for an internal error.
  const std::string& messages() const { return messages_; }

  /// The function of that name, to be called only as long as this object lives; once ready(),
  /// unless unavailable(). std::logic_error where there is none.
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  struct CloseLibrary {
    void operator()(void* library) const;
  };

  void start();
  bool receives();
  void share();
  void finish(int status);
  std::string load(const std::string& path);
  void* symbol(const std::string& name) const;
  std::string file(const std::string& name) const;

  CodeText text_;
  int received_ = -1;    // a file that may hold the library
  int shared_ = -1;      // a file that is to hold it
  std::string program_;  // the compiler
  std::string library_name_;
  std::chrono::steady_clock::time_point stop_at_;
  std::optional<TemporaryFolder> folder_;
  std::optional<CompilerProcess> compiler_;  // goes before its folder
  std::unique_ptr<void, CloseLibrary> library_;
  std::string unavailable_, messages_;
};

}  // namespace lapl
