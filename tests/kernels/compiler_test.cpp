// The compiler for code at run time: which compiler is chosen, and that its failures are reported
// and leave no files.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "kernels/cpu/compiler/compiled_code.hpp"
#include "kernels/cpu/compiler/native_processor.hpp"
#include "kernels/cpu/compiler/system_compiler.hpp"
#include "tests/kernels/fake_compiler.hpp"

using namespace lapl;
using namespace std::chrono_literals;
using test::CodeFolder;
using test::exported;
using test::has;
using test::need_compiler;
using test::runs;
using test::ScratchFolder;
using test::Script;
using test::Variable;
using test::wait_for_text;
namespace fs = std::filesystem;

TEST_CASE("a compiler is looked for in CXX, then on PATH by name and by version") {
  const ScratchFolder programs;
  const auto program = [&](const std::string& name) {
    std::ofstream(programs / name) << "#!/bin/sh\n";
    fs::permissions(programs / name, fs::perms::owner_all);
    return (programs / name).string();
  };
  const Variable path("PATH", "relative::" + programs.path().string());
  const Variable cxx("CXX", "");
  CHECK(system_compiler().path == "");
  CHECK(has(system_compiler().missing, "no C++ compiler"));
  CHECK(has(system_compiler().missing, "package g++"));
  std::ofstream(programs / "c++") << "not executable";
  fs::create_directory(programs / "g++");
  program("clang++-99");
  program("g++-9");
  program("g++-x");
  CHECK(system_compiler().path == (programs / "g++-9").string());
  const std::string newest = program("g++-14");
  CHECK(system_compiler().path == newest);
  const std::string plain = program("clang++");
  CHECK(system_compiler().path == plain);
  const std::string other = program("other");
  for (const std::string& set : {std::string("other"), other}) {
    const Variable named("CXX", set);
    CHECK(system_compiler().path == other);
  }
  for (const char* set : {"other -O0", "/no/such/program", "/"}) {
    const Variable named("CXX", set);
    CHECK(system_compiler().path == plain);
  }
}

TEST_CASE("a compiler does not see environment variables that change what it compiles") {
  const Script script("env > $HERE/variables; pwd > $HERE/folder; cat > $HERE/input; exit 3");
  const CodeFolder folder;
  const Variable path("CPATH", "/elsewhere"), library("LIBRARY_PATH", "/elsewhere"),
      dependencies("SUNPRO_DEPENDENCIES", "file"), other("LAPL_OTHER", "kept");
  CompiledCode code({.source = ""});
  code.wait();
  CHECK(has(code.unavailable(), "/compiler: ended with exit code 3"));
  const std::string variables = script.file_text("variables");
  for (const char* name : {"CPATH=", "LIBRARY_PATH=", "SUNPRO_DEPENDENCIES="})
    CHECK_MESSAGE(!has("\n" + variables, "\n" + std::string(name)), name);
  CHECK(has(variables, "LAPL_OTHER=kept\n"));
  CHECK(has(variables, "TMPDIR=" + (folder / ".lapl-code-").string()));
  CHECK(has(script.file_text("folder"), "/.lapl-code-"));
  CHECK(script.file_text("input") == "");
}

TEST_CASE("a missing compiler, folder or library is a reason, not an error") {
  const auto reason = [] {
    const CodeFolder folder;
    CompiledCode code({.source = ""});
    code.wait();
    CHECK(folder.entries() == 0);
    return code.unavailable();
  };
  SUBCASE("no compiler") {
    const ScratchFolder empty;
    const Variable path("PATH", empty.path().string()), cxx("CXX", "");
    CHECK(has(reason(), "no C++ compiler"));
  }
  SUBCASE("no folder") {
    const Script script("exit 0");
    const Variable nowhere("TMPDIR", "/no/such/folder");
    CHECK(has(CompiledCode({.source = ""}).unavailable(), "TMPDIR: no folder"));
  }
  SUBCASE("an empty name of a folder") {
    const Script script("exit 1");
    const Variable nowhere("TMPDIR", "");
    CompiledCode code({.source = ""});
    code.wait();
    CHECK(has(code.unavailable(), "ended with exit code 1"));
  }
  SUBCASE("no program") {
    const Script script("");
    std::ofstream(std::getenv("CXX")) << "#!/no/such/interpreter\n";
    CHECK(has(reason(), "compiler: cannot be started: No such file"));
  }
  SUBCASE("no library") {
    const Script script("for last; do :; done; echo text > $last");
    CHECK(has(reason(), "what it has compiled is no library"));
  }
  SUBCASE("pipes") {
    const Script script("for last; do :; done; rm messages; mkfifo $last messages");
    CHECK(has(reason(), "what it has compiled is no file"));
  }
  SUBCASE("killed") {
    const Script script("kill -KILL $$");
    CHECK(has(reason(), "was ended by signal Killed"));
  }
}

TEST_CASE("a compiler's output is checked before it is loaded") {
  need_compiler();
  const std::string compiler = system_compiler().path;
  const CodeText text{.source = exported("int one() { return 1; }"), .functions = {"one"}};
  const CodeFolder folder;
  const auto unavailable = [&](const std::string& change, const CodeText& of) {
    const Script script("for last; do :; done; library=$last\n" + compiler + " \"$@\" || exit 1\n" +
                        change);
    CompiledCode code(of);
    code.wait();
    return code.unavailable();
  };
  CHECK(unavailable("", text) == "");
  // The library is truncated anywhere: the loader may or may not need the missing part.
  int refused = 0;
  for (const int eighths : {0, 1, 2, 3, 4, 5, 6, 7}) {
    const std::string found = unavailable(
        fmt::format("truncate -s $(($(stat -c %s $library) * {} / 8)) $library", eighths), text);
    CAPTURE(found);
    refused += found.empty() ? 0 : 1;
  }
  CHECK(refused >= 4);
  for (const char* size : {"0", "10", "64", "200", "6000"})
    unavailable(fmt::format("truncate -s {0} $library", size), text);
  // The library has its full length, but its second part is zeros.
  CHECK(has(unavailable("size=$(stat -c %s $library); truncate -s 1000 $library; truncate -s $size "
                        "$library",
                        text),
            "what it has compiled is "));
  CHECK(has(unavailable("", {.source = "int one;", .functions = {"one_more"}}),
            "has no function one_more"));
}

TEST_CASE("a compiler that hangs is stopped with all that it has started") {
  const Script script("sleep 1000 & echo $! > $HERE/started; sleep 1000");
  const CodeFolder folder;
  std::string started;
  SUBCASE("at its limit") {
    CompiledCode code({.source = "", .limit = 200ms});
    CHECK_FALSE(code.ready());
    started = wait_for_text(script, "started");
    code.wait();
    CHECK(has(code.unavailable(), "took too long"));
  }
  SUBCASE("where nobody waits for it") {
    CompiledCode code({.source = ""});
    started = wait_for_text(script, "started");
    CHECK_FALSE(code.ready());
    CHECK(runs(started));
  }
  while (runs(started)) std::this_thread::sleep_for(1ms);
  CHECK(folder.entries() == 0);
}

TEST_CASE("a killed process's folder for compiled code is removed, and no other") {
  const Script script("exec sleep 1");
  const CodeFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const CompiledCode code({.source = ""});
    ::kill(::getpid(), SIGKILL);
  }
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  REQUIRE(folder.entries() == 1);

  for (const char* name : {".lapl-code-held", ".lapl-code-of-others", ".lapl-codes", "target"})
    fs::create_directory(folder / name);
  fs::create_directory_symlink(folder / "target", folder / ".lapl-code-link");
  std::ofstream(folder / ".lapl-code-file") << "text";
  if (::geteuid() == 0) {
    fs::create_directory(folder / ".lapl-code-root");
    REQUIRE(::chown((folder / ".lapl-code-root").c_str(), 1, 1) == 0);
  }
  const int held = ::open((folder / ".lapl-code-held").c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  const auto before = folder.entries();
  { const CompiledCode code({.source = ""}); }
  CHECK(folder.entries() == before - 1);
  CHECK(fs::exists(folder / ".lapl-code-held"));
  ::close(held);
}

#if defined(__x86_64__)
TEST_CASE("a processor whose registers the system does not save counts as another") {
  // A processor has AVX only where the system saves its registers.
  if (__builtin_cpu_supports("avx")) CHECK(has(native_processor(), "states:"));
}
#endif
