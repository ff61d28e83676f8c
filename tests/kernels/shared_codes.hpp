// Code that several engines of a test take, compiled once.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "kernels/machine/shared_code.hpp"

namespace lapl::test {

class SharedCodes {
 public:
  /// Waits until the code of this engine, if it has any, is compiled. Engines that are made while
  /// this object lives start with it.
  template <class T>
  void compile(const std::string& engine, const Problem<T>& problem) {
    const std::optional<CodeText> text = code_to_compile(engine, problem);
    if (!text) return;
    SharedCode& code = codes_.try_emplace(all_of(*text), *text).first->second;
    while (!code.ready()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  std::map<std::string, SharedCode> codes_;
};

}  // namespace lapl::test
