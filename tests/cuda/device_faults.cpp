// Makes calls of the CUDA runtime, of the driver functions for kernels, and of cuFFT fail. It is
// linked into a second lapl (lapl_device_faults) with the linker's --wrap for every WRAP below, so
// that all other objects are the same as in lapl.
//
//   LAPL_DEVICE_FAULT_AT=N         the Nth call fails and is not passed on
//   LAPL_DEVICE_FAULT_FOR_EVER=1   all later calls fail, too, as on a lost device
//   LAPL_DEVICE_FAULT_COUNT=FILE   the file to which the number of calls is written at the end
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cufftXt.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// The function that implements <<< >>>; CUDA's headers declare it for device code only.
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t,
                                          cudaStream_t);

namespace {

constexpr cudaError_t injected = cudaErrorECCUncorrectable;

long number_in(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

const long fault_at = number_in("LAPL_DEVICE_FAULT_AT");
const bool for_ever = number_in("LAPL_DEVICE_FAULT_FOR_EVER") != 0;
std::atomic<long> calls = 0;
std::atomic<bool> pending = false;  // an error that cudaGetLastError has not reported yet

bool fails_now() {
  const long call = ++calls;
  const bool fails = fault_at > 0 && (call == fault_at || (for_ever && call > fault_at));
  if (fails) pending = true;
  return fails;
}

struct CountAtExit {
  ~CountAtExit() {
    const char* path = std::getenv("LAPL_DEVICE_FAULT_COUNT");
    std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return;
    std::fprintf(file, "%ld\n", calls.load());
    std::fclose(file);
  }
} count_at_exit;

template <auto real>
struct Failing;
template <class... Arguments, cudaError_t (*real)(Arguments...)>
struct Failing<real> {
  static cudaError_t call(Arguments... arguments) {
    return fails_now() ? injected : real(arguments...);
  }
};
template <class... Arguments, cufftResult (*real)(Arguments...)>
struct Failing<real> {
  static cufftResult call(Arguments... arguments) {
    return fails_now() ? CUFFT_EXEC_FAILED : real(arguments...);
  }
};

// Wraps a driver function, which programs look up by name.
template <class Name, class Type>
struct FailingDriver;
template <class Name, class... Arguments>
struct FailingDriver<Name, CUresult(Arguments...)> {
  static inline CUresult (*real)(Arguments...) = nullptr;
  static CUresult call(Arguments... arguments) {
    const bool fails = fails_now();
    if (fails) pending = false;  // driver errors are not reported by cudaGetLastError
    return fails ? CUDA_ERROR_ECC_UNCORRECTABLE : real(arguments...);
  }
  static void* replacement(void* function) {
    real = reinterpret_cast<CUresult (*)(Arguments...)>(function);
    return reinterpret_cast<void*>(call);
  }
};

}  // namespace

extern "C" {

void* __real_dlsym(void* library, const char* name);
void* __wrap_dlsym(void* library, const char* name) {
  void* const function = __real_dlsym(library, name);
#define OF_DRIVER(function_name)                \
  struct Of_##function_name {};                 \
  if (name == std::string_view(#function_name)) \
    return FailingDriver<Of_##function_name, decltype(::function_name)>::replacement(function);
  OF_DRIVER(cuModuleLoadData)
  OF_DRIVER(cuModuleGetFunction)
  OF_DRIVER(cuFuncSetAttribute)
  OF_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)
  OF_DRIVER(cuLaunchKernel)
  OF_DRIVER(cuLaunchCooperativeKernel)
  return function;
}

cudaError_t __real_cudaGetLastError();
cudaError_t __wrap_cudaGetLastError() {
  const cudaError_t error = __real_cudaGetLastError();
  return pending.exchange(false) ? injected : error;
}
cudaError_t __real_cudaPeekAtLastError();
cudaError_t __wrap_cudaPeekAtLastError() {
  return pending ? injected : __real_cudaPeekAtLastError();
}

// __wrap_NAME passes on NAME's own arguments; an indirect function need not repeat them.
#define WRAP_AS(name, ...)                                                         \
  using type_of_##name = __VA_ARGS__;                                              \
  type_of_##name __real_##name;                                                    \
  type_of_##name* lapl_resolve_##name() { return &Failing<&__real_##name>::call; } \
  type_of_##name __wrap_##name __attribute__((ifunc("lapl_resolve_" #name)));
#define WRAP(name) WRAP_AS(name, decltype(::name))

// These functions are overloaded in CUDA's headers; the wrapped ones are the C functions.
WRAP_AS(cudaFuncGetAttributes, cudaError_t(cudaFuncAttributes*, const void*))
WRAP_AS(cudaFuncSetAttribute, cudaError_t(const void*, cudaFuncAttribute, int))
WRAP_AS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
        cudaError_t(int*, const void*, int, std::size_t, unsigned))
WRAP_AS(cudaMalloc, cudaError_t(void**, std::size_t))
WRAP_AS(cudaMallocHost, cudaError_t(void**, std::size_t))
WRAP_AS(cudaGraphInstantiate, cudaError_t(cudaGraphExec_t*, cudaGraph_t, unsigned long long))
WRAP_AS(cudaLaunchCooperativeKernel,
        cudaError_t(const void*, dim3, dim3, void**, std::size_t, cudaStream_t))

WRAP(__cudaLaunchKernel)
WRAP(cudaDeviceGetAttribute)
WRAP(cudaDeviceSynchronize)
WRAP(cudaEventCreateWithFlags)
WRAP(cudaEventElapsedTime)
WRAP(cudaEventRecord)
WRAP(cudaEventSynchronize)
WRAP(cudaFree)
WRAP(cudaFreeHost)
WRAP(cudaGetDevice)
WRAP(cudaGetDeviceCount)
WRAP(cudaGetDeviceProperties)
WRAP(cudaGraphLaunch)
WRAP(cudaGraphUpload)
WRAP(cudaLaunchKernelExC)
WRAP(cudaMemGetInfo)
WRAP(cudaMemcpy)
WRAP(cudaMemcpy3DAsync)
WRAP(cudaMemcpyAsync)
WRAP(cudaMemsetAsync)
WRAP(cudaSetDevice)
WRAP(cudaStreamBeginCapture)
WRAP(cudaStreamCreateWithFlags)
WRAP(cudaStreamDestroy)
WRAP(cudaStreamEndCapture)
WRAP(cudaStreamSynchronize)
WRAP(cudaStreamWaitEvent)
WRAP(cufftCreate)
WRAP(cufftSetAutoAllocation)
WRAP(cufftSetStream)
WRAP(cufftSetWorkArea)
WRAP(cufftXtExec)
WRAP(cufftXtMakePlanMany)
}
