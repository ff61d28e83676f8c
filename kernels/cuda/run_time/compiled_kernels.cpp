#include "kernels/cuda/run_time/compiled_kernels.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/run_time/nvrtc_module.hpp"
#include "kernels/machine/background.hpp"
#include "kernels/machine/code_cache.hpp"
#include "kernels/machine/load_module.hpp"

namespace lapl {
namespace {

int current_architecture() {
  const auto attribute = [device = current_device()](cudaDeviceAttr which) {
    int value = 0;
    LAPL_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return value;
  };
  return 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
         attribute(cudaDevAttrComputeCapabilityMinor);
}

const LoadedModule& nvrtc() {
  static const LoadedModule loaded = load_module("lapl_nvrtc", false);
  return loaded;
}

const NvrtcModule& nvrtc_calls() { return *static_cast<const NvrtcModule*>(nvrtc().table); }

// All that determines the machine code, as one text.
std::string kernel_key(const KernelText& text, int architecture) {
  std::string key = fmt::format("cubin\nNVRTC {}\n{}\n", nvrtc_calls().version(), architecture);
  const auto add = [&](const std::string& part) { key.append(1, '\0').append(part); };
  for (const auto& [name, content] : text.headers) {
    add(name);
    add(content);
  }
  for (const std::string& flag : nvrtc_calls().flags(text, architecture)) add(flag);
  add(text.source);
  return key;
}

}  // namespace

Cubin compile_cubin(const KernelText& text, int architecture) {
  if (nvrtc().table == nullptr)
    return {.code = "", .unavailable = "NVRTC: " + nvrtc().missing, .messages = ""};
  return nvrtc_calls().compile(text, architecture);
}

Cubin cached_cubin(const KernelText& text, int architecture) {
  if (nvrtc().table == nullptr) return compile_cubin(text, architecture);
  CachedCode cached(kernel_key(text, architecture));
  while (!cached.settled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (cached.code()) return {.code = *cached.code(), .unavailable = "", .messages = ""};
  Cubin cubin = compile_cubin(text, architecture);
  if (cubin.unavailable.empty()) cached.store(cubin.code);
  return cubin;
}

CompiledKernels::CompiledKernels(KernelText text) {
  compiling_ = in_background([text = std::move(text), architecture = current_architecture()] {
    return cached_cubin(text, architecture);
  });
}

bool CompiledKernels::ready() {
  if (!compiling_.valid()) return true;
  if (compiling_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  wait();
  return true;
}

void CompiledKernels::wait() {
  if (!compiling_.valid()) return;
  cubin_ = compiling_.get();
  if (cubin_.unavailable.empty()) module_ = KernelModule(cubin_.code);
}

}  // namespace lapl
