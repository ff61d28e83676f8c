// Code compiled at run time computes correctly, and equal code is compiled once and then cached.
#include "kernels/cpu/compiler/compiled_code.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/kernels/fake_compiler.hpp"

using namespace lapl;
using test::CodeFolder;
using test::exported;
using test::has;
using test::need_compiler;
using test::Script;
using test::Variable;

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

TEST_CASE("compiled codes loaded together share nothing") {
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

namespace {

// The machine's compiler, which notes its calls.
std::string noting_compiler() {
  return "echo >> $HERE/calls; exec " + system_compiler().path + " \"$@\"\n";
}

int call_one(const CompiledCode& code) { return code.function<int()>("one")(); }

}  // namespace

TEST_CASE("a text is compiled once, by one compiler and with the same flags") {
  need_compiler();
  const Script compiler(noting_compiler());
  const auto calls = [&] { return compiler.file_text("calls").size(); };
  const CodeText text{.source = exported("int one() { return X; }"), .flags = {"-DX=1"}};
  const auto make_code = [&](const CodeText& of) {
    auto code = std::make_unique<CompiledCode>(of);
    code->wait();
    REQUIRE(code->unavailable() == "");
    return code;
  };
  const auto compiled = make_code(text);
  CHECK_FALSE(compiled->is_cached());
  CHECK(calls() == 1);
  CompiledCode cached(text);
  CHECK(cached.ready());
  CHECK(cached.is_cached());
  CHECK(call_one(cached) == call_one(*compiled));
  CHECK(calls() == 1);

  CHECK(call_one(*make_code({.source = text.source, .flags = {"-DX=2"}})) == 2);
  make_code({.source = text.source + " ", .flags = text.flags});
  make_code({.source = text.source, .headers = {{"a", "b"}}, .flags = text.flags});
  CHECK(calls() == 4);
  std::ofstream(std::getenv("CXX"), std::ios::app) << "# an update of the compiler\n";
  CHECK_FALSE(make_code(text)->is_cached());
  CHECK(calls() == 5);
  CHECK(make_code(text)->is_cached());
  {
    use_code_cache(false);
    CHECK_FALSE(make_code(text)->is_cached());
    use_code_cache(true);
  }
  CHECK(calls() == 6);
}

TEST_CASE("a library of the cache that lacks a function is compiled again, and a failure, too") {
  need_compiler();
  const Script compiler(noting_compiler());
  CodeText text{.source = exported("int one() { return 1; }")};
  CompiledCode compiled(text);
  compiled.wait();
  REQUIRE(compiled.unavailable() == "");
  text.functions = {"two"};
  for (const char* const calls : {"\n\n", "\n\n\n"}) {
    CompiledCode code(text);
    code.wait();
    CHECK_FALSE(code.is_cached());
    CHECK(has(code.unavailable(), "has no function two"));
    CHECK(compiler.file_text("calls") == calls);
  }
}

TEST_CASE("a process that is killed while it compiles leaves the compilation to the next one") {
  // The first call hangs.
  const Script script(
      "echo >> $HERE/calls; test -e $HERE/started && exit 3; echo $$ > "
      "$HERE/started; exec sleep 1000");
  const CodeText text{.source = "", .patience = std::chrono::hours(1)};
  const pid_t child = ::fork();
  if (child == 0) {
    CompiledCode code(text);
    code.wait();
    ::_exit(0);
  }
  const std::string started = test::wait_for_text(script, "started");
  CompiledCode code(text);
  for (int i = 0; i < 100; ++i) CHECK_FALSE(code.ready());
  CHECK(script.file_text("calls") == "\n");
  REQUIRE(::kill(child, SIGKILL) == 0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  code.wait();
  CHECK(has(code.unavailable(), "exit code 3"));
  CHECK(script.file_text("calls") == "\n\n");
  ::kill(std::stoi(started), SIGKILL);
}
