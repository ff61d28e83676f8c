// The functions of cuFFT that the program calls. Linked directly, cuFFT would take ten milliseconds
// of every start.
#include "kernels/cuda/device/cufft_module.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/load_module.hpp"

namespace {

// Throws DeviceError if cuFFT cannot be loaded.
const lapl::CufftModule& cufft() {
  static const lapl::LoadedModule loaded = lapl::load_module("lapl_cufft", false);
  if (loaded.table == nullptr) throw lapl::DeviceError("cuFFT: {}", loaded.missing);
  return *static_cast<const lapl::CufftModule*>(loaded.table);
}

}  // namespace

extern "C" {

cufftResult cufftCreate(cufftHandle* plan) { return cufft().create(plan); }
cufftResult cufftDestroy(cufftHandle plan) { return cufft().destroy(plan); }
cufftResult cufftSetAutoAllocation(cufftHandle plan, int on) {
  return cufft().set_auto_allocation(plan, on);
}
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  return cufft().set_stream(plan, stream);
}
cufftResult cufftSetWorkArea(cufftHandle plan, void* area) {
  return cufft().set_work_area(plan, area);
}
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long* sizes,
                                long long* input_sizes, long long input_stride,
                                long long input_distance, cudaDataType input_type,
                                long long* output_sizes, long long output_stride,
                                long long output_distance, cudaDataType output_type,
                                long long batch, std::size_t* work_size, cudaDataType type) {
  return cufft().make_plan(plan, rank, sizes, input_sizes, input_stride, input_distance, input_type,
                           output_sizes, output_stride, output_distance, output_type, batch,
                           work_size, type);
}
cufftResult cufftXtExec(cufftHandle plan, void* input, void* output, int direction) {
  return cufft().execute(plan, input, output, direction);
}

}  // extern "C"
