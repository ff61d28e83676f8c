// Code compiled at run time computes correctly, and equal code is compiled once.
#include "kernels/cpu/compiler/compiled_code.hpp"

#include <doctest/doctest.h>

#include <cmath>
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

TEST_CASE("code on offer is taken for the same text alone, as long as it is offered") {
  need_compiler();
  const CodeText text{.source = exported("int one() { return 1; }"), .flags = {"-DX=1"}};
  auto offered = std::make_unique<CompiledCode>(text);
  offered->wait();
  REQUIRE(offered->unavailable() == "");
  offered->offer();

  const Script no_compiler("echo >> $HERE/calls; exit 3");
  CompiledCode taken(text);
  CHECK(taken.ready());
  CHECK(no_compiler.text_of("calls") == "");
  for (const CodeText& other :
       {CodeText{.source = text.source + " ", .flags = text.flags}, CodeText{.source = text.source},
        CodeText{.source = text.source, .headers = {{"a", "b"}}, .flags = text.flags}}) {
    CompiledCode code(other);
    code.wait();
    CHECK(has(code.unavailable(), "exit code 3"));
  }
  CHECK(no_compiler.text_of("calls") == "\n\n\n");
  offered.reset();
  CHECK(taken.function<int()>("one")() == 1);
  CompiledCode late(text);
  late.wait();
  CHECK(has(late.unavailable(), "exit code 3"));
}

TEST_CASE("a failure on offer is taken too, with its reason") {
  const Script no_compiler("echo >> $HERE/calls; exit 3");
  const CodeText text{.source = exported("int one() { return 1; }")};
  CompiledCode offered(text);
  offered.wait();
  offered.offer();
  CompiledCode taken(text);
  CHECK(taken.ready());
  CHECK(taken.unavailable() == offered.unavailable());
  CHECK(no_compiler.text_of("calls") == "\n");
}
