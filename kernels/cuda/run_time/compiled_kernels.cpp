#include "kernels/cuda/run_time/compiled_kernels.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/run_time/nvrtc_module.hpp"
#include "kernels/machine/background.hpp"
#include "kernels/machine/load_module.hpp"
#include "kernels/machine/shared_kernels.hpp"

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

}  // namespace

Cubin compile_cubin(const KernelText& text, int architecture) {
  static const LoadedModule nvrtc = load_module("lapl_nvrtc", false);
  if (nvrtc.table == nullptr)
    return {.code = "", .unavailable = "NVRTC: " + nvrtc.missing, .messages = ""};
  return static_cast<const NvrtcModule*>(nvrtc.table)->compile(text, architecture);
}

Cubin shared_cubin(int file, const KernelText& text, int architecture) {
  std::string all = fmt::format("{}", architecture);
  const auto add = [&](const std::string& part) { all.append(1, '\0').append(part); };
  for (const auto& [name, content] : text.headers) {
    add(name);
    add(content);
  }
  for (const std::string& flag : text.flags) add(flag);
  add(text.source);
  Cubin cubin;
  std::string code = shared_kernel(file, all, [&] {
    cubin = compile_cubin(text, architecture);
    return cubin.code;
  });
  cubin.code = std::move(code);
  return cubin;
}

CompiledKernels::CompiledKernels(KernelText text) {
  compiling_ = in_background([text = std::move(text), architecture = current_architecture()] {
    return shared_cubin(shared_kernels(), text, architecture);
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
