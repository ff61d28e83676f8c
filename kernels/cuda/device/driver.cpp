#include "kernels/cuda/device/driver.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "kernels/error.hpp"

namespace lapl {
namespace {

struct Driver {
  decltype(&cuGetErrorString) error_string;
  decltype(&cuModuleLoadData) load;
  decltype(&cuModuleUnload) unload;
  decltype(&cuModuleGetFunction) function;
  decltype(&cuFuncSetAttribute) set_attribute;
  decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy;
  decltype(&cuLaunchKernel) launch;
  decltype(&cuLaunchCooperativeKernel) launch_cooperative;
};

Driver open_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) throw DeviceError("CUDA's driver: {}", dlerror());
  const auto find = [&]<class Function>(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr) throw DeviceError("CUDA's driver has no function {}", name);
  };
  Driver driver{};
  find(driver.error_string, "cuGetErrorString");
  find(driver.load, "cuModuleLoadData");
  find(driver.unload, "cuModuleUnload");
  find(driver.function, "cuModuleGetFunction");
  find(driver.set_attribute, "cuFuncSetAttribute");
  find(driver.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  find(driver.launch, "cuLaunchKernel");
  find(driver.launch_cooperative, "cuLaunchCooperativeKernel");
  return driver;
}

const Driver& driver() {
  static const Driver opened = open_driver();
  return opened;
}

std::string driver_message(CUresult result) {
  const char* text = nullptr;
  driver().error_string(result, &text);
  return text == nullptr ? "error " + std::to_string(result) : text;
}

void check(CUresult result, const std::string& doing) {
  if (result != CUDA_SUCCESS)
    throw DeviceError("cannot {}: {} ({})", doing, driver_message(result),
                      static_cast<int>(result));
}

}  // namespace

void Kernel::allow_shared_bytes(int bytes) const {
  check(driver().set_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes),
        "take shared memory for a kernel");
}

int Kernel::blocks_of_processor(int threads, int shared_bytes) const {
  int blocks = 0;
  check(driver().occupancy(&blocks, function_, threads, static_cast<std::size_t>(shared_bytes)),
        "count a kernel's blocks");
  return blocks;
}

void Kernel::launch(dim3 blocks, dim3 threads, int shared_bytes, cudaStream_t stream,
                    std::initializer_list<const void*> arguments, Launch how) const {
  std::vector<void*> pointers;  // the driver only reads the arguments, so the const_cast is safe
  for (const void* argument : arguments) pointers.push_back(const_cast<void*>(argument));
  const auto shared = static_cast<unsigned>(shared_bytes);
  check(how == Launch::cooperative
            ? driver().launch_cooperative(function_, blocks.x, blocks.y, blocks.z, threads.x,
                                          threads.y, threads.z, shared, stream, pointers.data())
            : driver().launch(function_, blocks.x, blocks.y, blocks.z, threads.x, threads.y,
                              threads.z, shared, stream, pointers.data(), nullptr),
        "launch a kernel");
}

KernelModule::KernelModule(const std::string& cubin) {
  check(driver().load(&module_, cubin.data()), "load kernels");
}

KernelModule::KernelModule(KernelModule&& other) noexcept
    : module_(std::exchange(other.module_, nullptr)) {}

KernelModule& KernelModule::operator=(KernelModule&& other) noexcept {
  std::swap(module_, other.module_);
  return *this;
}

KernelModule::~KernelModule() {
  if (module_ == nullptr) return;
  const CUresult result = driver().unload(module_);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_DEINITIALIZED)
    std::fprintf(stderr, "lapl: kernels cannot be unloaded: %s\n", driver_message(result).c_str());
}

Kernel KernelModule::kernel(const std::string& name) const {
  CUfunction function = nullptr;
  check(driver().function(&function, module_, name.c_str()), "find kernel " + name);
  return Kernel(function);
}

}  // namespace lapl
