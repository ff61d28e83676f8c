#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/elementary/elementary.hpp"
#include "tests/cuda/elementary_device.hpp"

namespace lapl::test {
namespace {

template <class T>
__global__ void every_function(const T* x, const T* y, T* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  out[i] = exponential(x[i]);
  out[i + count] = logarithm(x[i]);
  out[i + 2 * count] = sine(x[i]);
  out[i + 3 * count] = cosine(x[i]);
  out[i + 4 * count] = tangent(x[i]);
  out[i + 5 * count] = hyperbolic_tangent(x[i]);
  out[i + 6 * count] = power(x[i], y[i]);
}

}  // namespace

template <class T>
std::vector<T> elementary_on_device(const std::vector<T>& x, const std::vector<T>& y) {
  const auto count = static_cast<unsigned>(x.size());
  const std::size_t bytes = count * sizeof(T);
  const auto device_x = device_buffer<T>(count), device_y = device_buffer<T>(count);
  const auto device_out = device_buffer<T>(7 * std::int64_t(count));
  LAPL_CUDA(cudaMemcpy(device_x.data(), x.data(), bytes, cudaMemcpyHostToDevice));
  LAPL_CUDA(cudaMemcpy(device_y.data(), y.data(), bytes, cudaMemcpyHostToDevice));
  every_function<<<(count + 255) / 256, 256>>>(device_x.data(), device_y.data(), device_out.data(),
                                               count);
  LAPL_CUDA(cudaGetLastError());
  std::vector<T> out(7 * x.size());
  LAPL_CUDA(cudaMemcpy(out.data(), device_out.data(), 7 * bytes, cudaMemcpyDeviceToHost));
  return out;
}
template std::vector<float> elementary_on_device(const std::vector<float>&,
                                                 const std::vector<float>&);
template std::vector<double> elementary_on_device(const std::vector<double>&,
                                                  const std::vector<double>&);

}  // namespace lapl::test
