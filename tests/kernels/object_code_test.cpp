// Machine code of printed stages has exactly the fused multiply-adds that the stage trees have.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/cpu/compiler/system_compiler.hpp"
#include "kernels/stages/stage_code.hpp"
#include "tests/formula_run.hpp"
#include "tests/io/scratch_folder.hpp"

using namespace lapl;

namespace {

// Rates of u with a coefficient field D, with only sums, products, quotients and choices.
constexpr const char* rates_for_object_code[] = {
    "u + v",
    "0.3 * laplacian(u)",
    "0.16 * laplacian(u) - u * v^2 + 0.04 * (1 - u)",
    "0.1 * laplacian(u) - u * d_dx(u) - v * d_dy(u)",
    "divergence(D * gradient(u))",
    "divergence(2 * gradient(u) * (D + u^2))",
    "upwind(0.3, v, u)",
    "0.2 * d2_dx2(u) + 0.1 * d2_dxdy(u) - gradient_squared(v)",
    "u - u * v * D + v^3 / (1 + u^2)",
    "u * v + D * u - v * D",
};

// Stages with distinct texts, since a compiler may merge equal functions.
std::vector<Stage> stages_for_object_code() {
  std::vector<Stage> stages;
  std::set<std::string> texts;
  for (const Scheme scheme : {Scheme::euler, Scheme::ssprk3, Scheme::rk4, Scheme::rkl2})
    for (const char* rate : rates_for_object_code) {
      RunConfig run = test::formula_run({8, 8}, {{"u", rate}, {"v", "u + 0 * D"}});
      run.parameters["D"] = test::formula_parameter("1");
      for (const Stage& stage : step_stages(make_system(run), scheme, 0.3).stages)
        if (texts.insert(stages_source({stage}, sizeof(float))).second) stages.push_back(stage);
    }
  // A sum with a rounded product; in the stages of equations such a sum is always an fma.
  Stage rounded{.tree = {}, .targets = {0}};
  const int u = rounded.tree.value(0, {}), v = rounded.tree.value(1, {});
  const int product = rounded.tree.operate(Operation::product, u, v);
  rounded.tree.results = {rounded.tree.operate(Operation::sum, product, u)};
  stages.push_back(rounded);
  return stages;
}

// The number of fused multiply-adds that are computed in every cell.
long contractions(const StageTree& tree) {
  const std::vector<bool> in_cells = depending_on(
      tree, [](const StageOperation& node) { return node.operation == Operation::value; });
  long count = 0;
  for (std::size_t i = 0; i < tree.operations.size(); ++i)
    count += in_cells[i] && tree.operations[i].operation == Operation::fused_multiply_add ? 1 : 0;
  return count;
}

std::string command_output(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;) text += static_cast<char>(letter);
  CAPTURE(text.substr(0, 2000));
  REQUIRE(::pclose(pipe) == 0);
  return text;
}

// The number of fused multiply-adds, vector and scalar, in each function.
std::map<std::string, long> contractions_in(const std::string& disassembly) {
  static const std::regex function("<(stage_[0-9]+)>:"),
      contraction("\\sv?f(n?m(add|sub)[0-9]*[sp]?[sd]?|ml[as])\\s");
  std::map<std::string, long> counts;
  std::string in;
  std::istringstream lines(disassembly);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(">:")) in = std::regex_search(line, match, function) ? match.str(1) : "";
    if (!in.empty()) counts[in] += std::regex_search(line, contraction) ? 1 : 0;
  }
  return counts;
}

std::string missing_for_object_code() {
  if (system_compiler().path.empty()) return system_compiler().missing;
  if (std::system("objdump --version > /dev/null 2>&1") != 0) return "objdump is not installed";
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) return "this processor has no fused multiply-add";
#endif
  return "";
}

}  // namespace

TEST_CASE("compiled stages hold the contractions of the canon, and no others" *
          doctest::test_suite("slow")) {
  if (const std::string missing = missing_for_object_code(); !missing.empty()) {
    std::cout << "skipped: " << missing << std::endl;
    std::exit(77);
  }
  const std::vector<Stage> stages = stages_for_object_code();
  const test::ScratchFolder folder;
  for (const auto& [name, header] : code_headers()) {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << header;
  }
  const auto compiled = [&](std::size_t value_bytes, const std::string& more) {
    std::ofstream(folder / "code.cpp") << arithmetic_guard() << stages_source(stages, value_bytes);
    return contractions_in(command_output(fmt::format(
        "cd '{}' && {} {} {} -iquote . code.cpp -o code.so && objdump -d "
        "--no-show-raw-insn "
        "code.so",
        folder.path().string(), system_compiler().path, fmt::join(library_flags(), " "), more)));
  };
  for (const std::size_t value_bytes : {sizeof(float), sizeof(double)}) {
    CAPTURE(value_bytes);
    // As one loop over single cells; then vectorised as in runs, with loops for the remainder.
    const auto plain = compiled(
        value_bytes, "-fno-openmp-simd -fno-tree-vectorize -fno-unroll-loops -fno-split-paths");
    const auto vectors = compiled(value_bytes, "");
    long total = 0;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      CAPTURE(i);
      const std::string function = fmt::format("stage_{}", i);
      REQUIRE(plain.contains(function));
      const long expected = contractions(stages[i].tree);
      total += expected;
      CHECK(plain.at(function) == expected);
      if (expected == 0)
        CHECK(vectors.at(function) == 0);
      else
        CHECK(vectors.at(function) % expected == 0);
      CHECK(vectors.at(function) >= expected);
    }
    CHECK(total > 100);
    // Checks the test: a compiler that may contract does so.
    CHECK(
        compiled(value_bytes, "-ffp-contract=fast").at(fmt::format("stage_{}", stages.size() - 1)) >
        0);
  }
}
