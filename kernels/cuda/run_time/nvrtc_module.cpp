#include "kernels/cuda/run_time/nvrtc_module.hpp"

#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <memory>
#include <type_traits>

namespace lapl {
namespace {

struct DestroyProgram {
  void operator()(nvrtcProgram program) const { nvrtcDestroyProgram(&program); }
};
using ProgramOwner = std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, DestroyProgram>;

std::string start_of_log(nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size < 2) return "";
  std::string log(size, '\0');
  if (nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS) return "";
  log.resize(std::min<std::size_t>(size - 1, 2000));  // drops the terminating zero
  return log;
}

ProgramOwner make_program(const KernelText& text, nvrtcResult& result) {
  std::vector<const char*> names, contents;
  for (const auto& [name, content] : text.headers) {
    names.push_back(name.c_str());
    contents.push_back(content.c_str());
  }
  nvrtcProgram program = nullptr;
  result = nvrtcCreateProgram(&program, text.source.c_str(), "kernels.cu",
                              static_cast<int>(names.size()), contents.data(), names.data());
  return ProgramOwner(program);
}

std::vector<std::string> all_flags(const KernelText& text, int architecture) {
  std::vector<std::string> flags = {fmt::format("--gpu-architecture=sm_{}", architecture),
                                    "--std=c++20",
                                    "--fmad=false",
                                    "--prec-div=true",
                                    "--prec-sqrt=true",
                                    "--ftz=false"};
  flags.insert(flags.end(), text.flags.begin(), text.flags.end());
  return flags;
}

std::string version() {
  int major = 0, minor = 0;
  nvrtcVersion(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

nvrtcResult compile(nvrtcProgram program, const KernelText& text, int architecture) {
  const std::vector<std::string> flags = all_flags(text, architecture);
  std::vector<const char*> words;
  for (const std::string& flag : flags) words.push_back(flag.c_str());
  return nvrtcCompileProgram(program, static_cast<int>(words.size()), words.data());
}

Cubin compile_text(const KernelText& text, int architecture) {
  Cubin cubin;
  nvrtcResult result = NVRTC_SUCCESS;
  const ProgramOwner program = make_program(text, result);
  if (result == NVRTC_SUCCESS) {
    result = compile(program.get(), text, architecture);
    cubin.messages = start_of_log(program.get());
  }
  std::size_t size = 0;
  if (result == NVRTC_SUCCESS) result = nvrtcGetCUBINSize(program.get(), &size);
  cubin.code.resize(size);
  if (result == NVRTC_SUCCESS) result = nvrtcGetCUBIN(program.get(), cubin.code.data());
  if (result != NVRTC_SUCCESS)
    cubin.unavailable = fmt::format("NVRTC for compute capability {}.{}: {}", architecture / 10,
                                    architecture % 10, nvrtcGetErrorString(result));
  return cubin;
}

}  // namespace
}  // namespace lapl

extern "C" const lapl::NvrtcModule lapl_nvrtc;
const lapl::NvrtcModule lapl_nvrtc = {lapl::compile_text, lapl::all_flags, lapl::version};
