#include "benchmarks/filter_speed_cuda.hpp"

#include <chrono>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/step_clock.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/filters/cuda/cuda_filter.hpp"
#include "kernels/filters/frame_filter.hpp"

namespace lapl {
namespace {

constexpr int repeats = 9, queued = 50;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

template <class T>
std::vector<double> device_seconds(const Correlation<T>& correlation, FilterMethod method,
                                   const std::vector<T>& input, std::vector<T>& output) {
  const auto filter = make_cuda_filter(FilterPlan<T>{correlation, method});
  const auto from = device_buffer<T>(std::ssize(input)), to = device_buffer<T>(std::ssize(output));
  const Stream stream;
  LAPL_CUDA(cudaMemcpyAsync(from.data(), input.data(), input.size() * sizeof(T),
                            cudaMemcpyHostToDevice, stream));
  filter->apply(from.data(), to.data(), stream);
  LAPL_CUDA(cudaStreamSynchronize(stream));
  LAPL_CUDA(
      cudaMemcpy(output.data(), to.data(), output.size() * sizeof(T), cudaMemcpyDeviceToHost));
  std::vector<double> seconds;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    StepClock clock;
    clock.start(stream);
    for (int i = 0; i < queued; ++i) filter->apply(from.data(), to.data(), stream);
    clock.stop(stream);
    seconds.push_back(clock.seconds() / queued);
  }
  return seconds;
}
template std::vector<double> device_seconds(const Correlation<float>&, FilterMethod,
                                            const std::vector<float>&, std::vector<float>&);
template std::vector<double> device_seconds(const Correlation<double>&, FilterMethod,
                                            const std::vector<double>&, std::vector<double>&);

SequenceSeconds sequence_seconds(const Correlation<float>& correlation, std::int64_t frames) {
  const auto filter = make_frame_filter<float>("cuda", {correlation, FilterMethod::direct}, 0);
  const auto read = [](std::int64_t, float*) {};  // the frames are already in page-locked memory
  const auto write = [](std::int64_t, const float*) {};
  filter->run(20, read, write);
  auto start = std::chrono::steady_clock::now();
  filter->run(frames, read, write);
  SequenceSeconds result{.filter = seconds_since(start) / static_cast<double>(frames), .copy = 0};

  const std::int64_t cells = correlation.input.cells();
  const auto host = pinned_buffer<float>(cells);
  const auto device = device_buffer<float>(cells);
  const Stream stream;
  start = std::chrono::steady_clock::now();
  for (std::int64_t frame = 0; frame < frames; ++frame)
    LAPL_CUDA(cudaMemcpyAsync(device.data(), host.data(),
                              static_cast<std::size_t>(cells) * sizeof(float),
                              cudaMemcpyHostToDevice, stream));
  LAPL_CUDA(cudaStreamSynchronize(stream));
  result.copy = seconds_since(start) / static_cast<double>(frames);
  return result;
}

}  // namespace lapl
