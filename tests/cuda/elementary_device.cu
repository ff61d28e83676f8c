#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/elementary/elementary.hpp"
#include "tests/cuda/elementary_device.hpp"

namespace lapl::test {
namespace {

template <class T>
__global__ void every_function(const T* x, const T* y, T* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
#define LAPL_VALUE_1(function) function(x[i])
#define LAPL_VALUE_2(function) function(x[i], y[i])
#define LAPL_ROW(name, operands, ...) *out = LAPL_VALUE_##operands(name), out += count;
  out += i;
  LAPL_ELEMENTARY_FUNCTIONS(LAPL_ROW)
#undef LAPL_ROW
}

}  // namespace

template <class T>
std::vector<T> elementary_on_device(const std::vector<T>& x, const std::vector<T>& y) {
  const auto count = static_cast<unsigned>(x.size());
  const std::size_t functions = elementary_functions.size(), bytes = count * sizeof(T);
  const auto device_x = device_buffer<T>(count), device_y = device_buffer<T>(count);
  const auto device_out = device_buffer<T>(functions * std::int64_t(count));
  LAPL_CUDA(cudaMemcpy(device_x.data(), x.data(), bytes, cudaMemcpyHostToDevice));
  LAPL_CUDA(cudaMemcpy(device_y.data(), y.data(), bytes, cudaMemcpyHostToDevice));
  every_function<<<(count + 255) / 256, 256>>>(device_x.data(), device_y.data(), device_out.data(),
                                               count);
  LAPL_CUDA(cudaGetLastError());
  std::vector<T> out(functions * x.size());
  LAPL_CUDA(cudaMemcpy(out.data(), device_out.data(), functions * bytes, cudaMemcpyDeviceToHost));
  return out;
}
template std::vector<float> elementary_on_device(const std::vector<float>&,
                                                 const std::vector<float>&);
template std::vector<double> elementary_on_device(const std::vector<double>&,
                                                  const std::vector<double>&);

}  // namespace lapl::test
