#include "kernels/cpu/compiler/system_compiler.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "kernels/machine/paths_in.hpp"
#include "kernels/machine/program_on_path.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

// 12 for the name "g++-12" and the start "g++-"; 0 if the rest of the name is not a number.
int compiler_version(std::string_view name, std::string_view start) {
  if (!name.starts_with(start)) return 0;
  const std::string digits(name.substr(start.size()));
  const bool number = !digits.empty() && digits.size() < 4 &&
                      std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c); });
  return number ? std::atoi(digits.c_str()) : 0;
}

// The program named `start` and a version number, with the highest version; empty if none exists.
std::string newest_in(const std::vector<std::string>& folders, std::string_view start) {
  std::pair<int, std::string> newest;
  for (const std::string& folder : folders) {
    std::error_code error;
    for (const fs::path& path : paths_in(folder, error))
      if (const int version = compiler_version(path.filename().string(), start);
          version > newest.first && is_program(path.string()))
        newest = {version, path.string()};
  }
  return newest.second;
}

std::string program_of_cxx(const std::vector<std::string>& folders) {
  const char* const cxx = std::getenv("CXX");
  if (cxx == nullptr || *cxx == '\0') return "";
  const std::string name = cxx;
  if (name.find('/') == std::string::npos) return program_in(folders, name);
  std::error_code error;
  const fs::path path = fs::absolute(name, error);
  return !error && is_program(path.string()) ? path.string() : "";
}

// Variables that would add folders, options or outputs to a compilation, cache its results, or
// replace the compiler's programs.
constexpr std::array dropped_variables = {"CPATH=",
                                          "C_INCLUDE_PATH=",
                                          "CPLUS_INCLUDE_PATH=",
                                          "LIBRARY_PATH=",
                                          "COMPILER_PATH=",
                                          "GCC_EXEC_PREFIX=",
                                          "GCC_COMPARE_DEBUG=",
                                          "DEPENDENCIES_OUTPUT=",
                                          "SUNPRO_DEPENDENCIES=",
                                          "LD_RUN_PATH=",
                                          "LDEMULATION=",
                                          "CCC_OVERRIDE_OPTIONS=",
                                          "CCC_ADD_ARGS=",
                                          "CCACHE_DISABLE=",
                                          "TMPDIR=",
                                          "LC_ALL=",
                                          "LANGUAGE="};

}  // namespace

SystemCompiler system_compiler() {
  const auto folders = absolute_folders_of_path();
  if (std::string path = program_of_cxx(folders); !path.empty()) return {std::move(path), ""};
  for (const char* name : {"c++", "g++", "clang++"})
    if (std::string path = program_in(folders, name); !path.empty()) return {std::move(path), ""};
  for (const char* start : {"g++-", "clang++-"})
    if (std::string path = newest_in(folders, start); !path.empty()) return {std::move(path), ""};
  return {
      "",
      "no C++ compiler (c++, g++ or clang++) was found on PATH; with one (package g++) formulas "
      "run several times as fast"};
}

std::vector<std::string> library_flags() {
  return {
    "-std=c++20", "-O3",
#if defined(__x86_64__) || defined(__i386__)
        "-march=native",
#else
        "-mcpu=native",
#endif
        // Nobody reads the exception flags, which -ftrapping-math preserves by not vectorising
        // floor.
        "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fopenmp-simd", "-fPIC",
        "-shared",
        // Hides all symbols that are not exported explicitly. An inline variable would otherwise be
        // shared with other libraries that define one of the same name.
        "-fvisibility=hidden",
        // Without these flags a small source takes 1.5 times as long to compile. -nostdlib links no
        // library: the loader finds C functions in this process.
        "-pipe", "-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables", "-nostdlib",
        "-w", "-fmax-errors=5"
  };
}

std::string arithmetic_guard() {
  return "#if !defined(__GNUC__) || defined(__INTEL_COMPILER) || defined(__INTEL_LLVM_COMPILER) || "
         "defined(__NVCOMPILER) || defined(__FAST_MATH__) || __FLT_EVAL_METHOD__ != 0\n"
         "#error \"this compiler's results may have other bits\"\n"
         "#endif\n"
         "#line 1\n";
}

std::vector<std::string> compiler_environment(const std::string& folder) {
  std::vector<std::string> result = {"TMPDIR=" + folder, "LC_ALL=C", "CCACHE_DISABLE=1"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto begins = [&](const char* name) { return text.starts_with(name); };
    if (std::ranges::none_of(dropped_variables, begins)) result.emplace_back(text);
  }
  return result;
}

}  // namespace lapl
