// A script in place of a compiler, and a folder for compiled code, for tests of code compiled at
// run time.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "kernels/cpu/compiler/system_compiler.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/text.hpp"

namespace lapl::test {

/// The source of an exported function.
inline std::string exported(const std::string& text) {
  return "extern \"C\" [[gnu::visibility(\"default\")]] " + text + "\n";
}

/// Sets an environment variable for the duration of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name); before != nullptr) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  ~Variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A cache of compiled code that is empty at first, in place of that of all tests.
struct EmptyCache : ScratchFolder {
  Variable variable{"XDG_CACHE_HOME", path().string()};
};

/// The folder in which compiled code creates its folders, and an empty cache.
struct CodeFolder : ScratchFolder {
  EmptyCache cache;  // made before TMPDIR is this folder
  Variable variable{"TMPDIR", path().string()};
};

/// Skips the test if the machine has no compiler.
inline void need_compiler() {
  const SystemCompiler compiler = system_compiler();
  if (!compiler.path.empty()) return;
  std::cout << "skipped: " << compiler.missing << std::endl;
  std::exit(77);
}

/// A shell script in place of a compiler, and an empty cache.
class Script {
 public:
  explicit Script(const std::string& text) {
    std::ofstream(folder_ / "compiler") << "#!/bin/sh\n" << text;
    std::filesystem::permissions(folder_ / "compiler", std::filesystem::perms::owner_all);
  }
  std::string file_text(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }

 private:
  ScratchFolder folder_;
  EmptyCache cache_;
  Variable here_{"HERE", folder_.path().string()}, cxx_{"CXX", (folder_ / "compiler").string()};
};

inline bool runs(const std::string& process) {
  std::string number, name, state;
  std::ifstream("/proc/" + process + "/stat") >> number >> name >> state;
  return !state.empty() && state != "Z" && state != "X";
}

/// Waits for a file of the script to have a line of text, and returns the text without its end.
inline std::string wait_for_text(const Script& script, const std::string& name) {
  while (!has(script.file_text(name), "\n"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::string text = script.file_text(name);
  text.pop_back();
  return text;
}

}  // namespace lapl::test
