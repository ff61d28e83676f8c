// Code compiled at run time: it is right, and whatever goes wrong with it is said and leaves
// nothing behind.
#include "kernels/cpu/compiled_code.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kernels/cpu/system_compiler.hpp"
#include "kernels/shared_code.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/text.hpp"

using namespace lapl;
using namespace std::chrono_literals;
using test::has;
using test::ScratchFolder;
namespace fs = std::filesystem;

namespace {

/// What is exported, `text`, of a source.
std::string exported(const std::string& text) {
  return "extern \"C\" [[gnu::visibility(\"default\")]] " + text + "\n";
}

/// An environment variable, for the time of a test.
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

/// Where compiled code has its folders.
struct CodeFolder : ScratchFolder {
  Variable variable{"TMPDIR", path().string()};
};

/// Ends the program as a skipped test where the machine has no compiler.
void need_compiler() {
  const SystemCompiler compiler = system_compiler();
  if (!compiler.path.empty()) return;
  std::cout << "skipped: " << compiler.missing << std::endl;
  std::exit(77);
}

/// A shell script in the place of a compiler.
class Script {
 public:
  explicit Script(const std::string& text) {
    std::ofstream(folder_ / "compiler") << "#!/bin/sh\n" << text;
    fs::permissions(folder_ / "compiler", fs::perms::owner_all);
  }
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }

 private:
  ScratchFolder folder_;
  Variable here_{"HERE", folder_.path().string()}, cxx_{"CXX", (folder_ / "compiler").string()};
};

bool runs(const std::string& process) {
  std::string number, name, state;
  std::ifstream("/proc/" + process + "/stat") >> number >> name >> state;
  return !state.empty() && state != "Z" && state != "X";
}

std::string wait_for_text(const Script& script, const std::string& name) {
  while (!has(script.text_of(name), "\n")) std::this_thread::sleep_for(1ms);
  std::string text = script.text_of(name);
  text.pop_back();
  return text;
}

}  // namespace

TEST_CASE("compiled code is loaded, and its folder is gone by then") {
  need_compiler();
  const CodeFolder folder;
  CompiledCode code({.source = "#include \"parts/sum.hpp\"\n" +
                               exported("int thrice(int x) { return sum(sum(x, x), x); }"),
                     .headers = {{"parts/sum.hpp",
                                  "#include \"parts/add.hpp\"\n"
                                  "inline int sum(int a, int b) ADD(a, b)"},
                                 {"parts/add.hpp", "#define ADD(a, b) { return a + b + EXTRA; }"}},
                     .flags = {"-DEXTRA=100"}});
  CHECK(folder.entries() == 1);
  code.wait();
  CAPTURE(code.messages());
  REQUIRE(code.unavailable() == "");
  CHECK(folder.entries() == 0);
  CHECK(code.ready());
  CHECK(code.function<int(int)>("thrice")(7) == 221);
  CHECK_THROWS_AS(code.function<int(int)>("sum"), std::logic_error);
}

TEST_CASE("compiled code rounds products before it adds to them") {
  need_compiler();
  CompiledCode code(
      {.source = exported("void run(const float* a, const float* b, const float* c, float* d) {\n"
                          "#pragma omp simd\n"
                          "  for (int i = 0; i < 1000; ++i) d[i] = a[i] * b[i] + c[i];\n"
                          "}")});
  code.wait();
  CAPTURE(code.messages());
  REQUIRE(code.unavailable() == "");
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> a(1000), b(1000), c(1000), d(1000);
  int fused_differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = uniform(generator);
    b[i] = uniform(generator);
    c[i] = -a[i] * b[i] + uniform(generator) / 1024;
  }
  using Loop = void(const float*, const float*, const float*, float*);
  code.function<Loop>("run")(a.data(), b.data(), c.data(), d.data());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const volatile float product = a[i] * b[i];
    REQUIRE(d[i] == product + c[i]);
    fused_differ += d[i] != std::fma(a[i], b[i], c[i]);
  }
  CHECK(fused_differ > 100);
}

TEST_CASE("compiled codes beside each other share nothing") {
  need_compiler();
  std::vector<std::unique_ptr<CompiledCode>> codes;
  for (int i = 0; i < 3; ++i)
    codes.push_back(std::make_unique<CompiledCode>(
        CodeText{.source = "inline int value = " + std::to_string(i) + ";\n" +
                           "inline int& reference() { static int own = value; return own; }\n" +
                           exported("int get() { return reference(); }")}));
  for (int i = 2; i >= 0; --i) codes[static_cast<std::size_t>(i)]->wait();
  for (int i = 0; i < 3; ++i) {
    const CompiledCode& code = *codes[static_cast<std::size_t>(i)];
    REQUIRE(code.unavailable() == "");
    CHECK(code.function<int()>("get")() == i);
  }
}

TEST_CASE("compiled code with a fault is reported with the compiler's words") {
  need_compiler();
  const CodeFolder folder;
  std::string faults;
  for (int i = 0; i < 1000; ++i) faults += "int " + std::string(100, 'x') + " = nothing;\n";
  CompiledCode code({.source = faults});
  code.wait();
  CHECK(has(code.unavailable(), "ended with exit code 1"));
  CHECK(has(code.messages(), "code.cpp:1:"));
  CHECK(code.messages().size() <= 2000);
  CHECK_THROWS_AS(code.function<int()>("x"), std::logic_error);
  CHECK(folder.entries() == 0);
}

TEST_CASE("compiled code of a compiler with fast arithmetic is refused") {
  need_compiler();
  CompiledCode code({.source = exported("int one() { return 1; }"), .flags = {"-ffast-math"}});
  code.wait();
  CHECK(has(code.messages(), "results may have other bits"));
  CHECK(code.unavailable() != "");
}

TEST_CASE("code that another process has compiled is taken, sealed and of the same text only") {
  need_compiler();
  const CodeText text{.source = exported("int one() { return 1; }"), .flags = {"-DX=1"}};
  const CodeFolder folder;
  SharedCode shared(text);
  REQUIRE(shared.file() >= 0);
  CHECK(shared_code_state(shared.file(), all_of(text)) == SharedCodeState::pending);
  while (!shared.ready()) std::this_thread::sleep_for(1ms);
  CHECK(folder.entries() == 0);
  CHECK(::write(shared.file(), "x", 1) == -1);
  CHECK(shared_code_state(shared.file(), all_of(text)) == SharedCodeState::usable);
  for (const CodeText& other :
       {CodeText{.source = text.source + " ", .flags = text.flags}, CodeText{.source = text.source},
        CodeText{.source = text.source, .headers = {{"a", "b"}}, .flags = text.flags}})
    CHECK(shared_code_state(shared.file(), all_of(other)) == SharedCodeState::useless);

  const Script no_compiler("echo >> $HERE/calls; exit 3");
  // What a process does that is given this file.
  const auto value_of = [&](const CodeText& wanted, int file) {
    const Variable variable(shared_code_variable, std::to_string(file));
    receive_shared_code();
    CHECK(std::getenv(shared_code_variable) == nullptr);
    CHECK(::fcntl(file, F_GETFD) == FD_CLOEXEC);
    CompiledCode code(wanted);
    code.wait();
    return code.unavailable().empty() ? code.function<int()>("one")() : -1;
  };
  CHECK(value_of(text, shared.file()) == 1);
  CHECK(no_compiler.text_of("calls") == "");
  CHECK(value_of({.source = text.source}, shared.file()) == -1);
  CHECK(no_compiler.text_of("calls") == "\n");

  // The same bytes, but not sealed, or not to be: a file, and one that was sealed by halves.
  std::string bytes(1 << 20, '\0');
  bytes.resize(static_cast<std::size_t>(::pread(shared.file(), bytes.data(), bytes.size(), 0)));
  std::ofstream(folder / "file") << bytes;
  const int file = ::open((folder / "file").c_str(), O_RDWR | O_CLOEXEC);
  const int half = open_shared_code();
  REQUIRE(::write(half, bytes.data(), bytes.size()) == std::ssize(bytes));
  REQUIRE(::fcntl(half, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
  for (const int unsealed : {file, half}) {
    CHECK(shared_code_state(unsealed, all_of(text)) == SharedCodeState::useless);
    CHECK(value_of(text, unsealed) == -1);
    ::close(unsealed);
  }
  CHECK(no_compiler.text_of("calls") == "\n\n\n");

  // Not sealed yet: it may still come, and where its compiler has failed there is one's own.
  const int late = open_shared_code();
  const Variable variable(shared_code_variable, std::to_string(late));
  receive_shared_code();
  CompiledCode waits(text);
  CHECK_FALSE(waits.ready());
  SUBCASE("it comes") {
    REQUIRE(::write(late, bytes.data(), bytes.size()) == std::ssize(bytes));
    seal_shared_code(late, "", "");
    waits.wait();
    CHECK(waits.function<int()>("one")() == 1);
  }
  SUBCASE("it has failed") {
    seal_shared_code(late, "", "");
    waits.wait();
    CHECK(has(waits.unavailable(), "exit code 3"));
  }
  ::close(late);
  ::setenv(shared_code_variable, "none", 1);
  receive_shared_code();
}

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

TEST_CASE("a compiler gets no settings that change what it compiles") {
  const Script script("env > $HERE/variables; pwd > $HERE/folder; cat > $HERE/input; exit 3");
  const CodeFolder folder;
  const Variable path("CPATH", "/elsewhere"), library("LIBRARY_PATH", "/elsewhere"),
      dependencies("SUNPRO_DEPENDENCIES", "file"), other("LAPL_OTHER", "kept");
  CompiledCode code({.source = ""});
  code.wait();
  CHECK(has(code.unavailable(), "/compiler: ended with exit code 3"));
  const std::string variables = script.text_of("variables");
  for (const char* name : {"CPATH=", "LIBRARY_PATH=", "SUNPRO_DEPENDENCIES="})
    CHECK_MESSAGE(!has("\n" + variables, "\n" + std::string(name)), name);
  CHECK(has(variables, "LAPL_OTHER=kept\n"));
  CHECK(has(variables, "TMPDIR=" + (folder / ".lapl-code-").string()));
  CHECK(has(script.text_of("folder"), "/.lapl-code-"));
  CHECK(script.text_of("input") == "");
}

TEST_CASE("no compiler, no folder and no library are reasons, and no errors") {
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

TEST_CASE("what a compiler has left is checked before it is loaded") {
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
  // At any length: what is missing may be what the loader needs, or what it does not read.
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
  // The end is there, and nothing in it.
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

TEST_CASE("a folder for compiled code that a killed process left is removed, and no other's") {
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
