// Code for CPUs that a process compiles once, for itself and for the processes that it forks.
#pragma once

#include <memory>

#include "kernels/stages/code_text.hpp"

namespace lapl {

class CompiledCode;

class SharedCode {
 public:
  /// Starts the compiler and returns at once.
  explicit SharedCode(CodeText text);
  SharedCode(const SharedCode&) = delete;
  SharedCode& operator=(const SharedCode&) = delete;
  ~SharedCode();

  /// True once the code is compiled, or compiling has failed. From then on, and as long as this
  /// object lives, engines take this result instead of starting a compiler for equal code. Never
  /// waits.
  bool ready();

 private:
  std::unique_ptr<CompiledCode> compiled_;
};

}  // namespace lapl
