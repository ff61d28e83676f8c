// Engines "tile" and "streaming" of what is not compiled ahead: kernels printed from the stages and
// compiled by NVRTC while the run begins. Tiles are compiled in some tenths of a second, for which
// the run waits; they take its steps until the streaming kernel is there, and those that are left
// over from whole launches of it.
#include <optional>
#include <utility>

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/engine.hpp"
#include "kernels/cuda/stage_launches.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

template <class T>
class CompiledCudaEngine final : public CudaEngine<T> {
 public:
  CompiledCudaEngine(const Problem<T>& problem, cudaStream_t stream, std::optional<StreamPlan> plan)
      : problem_(problem, field_layout<T>(problem.shape).pitch, stream), tiles_(problem_) {
    if (plan) stream_.emplace(problem_, std::move(*plan));
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps,
               cudaStream_t stream) override {
    for (std::int64_t taken = 0; steps > 0; first_step += taken, steps -= taken) {
      if (stream_ && stream_->ready() && steps >= stream_->steps()) {
        stream_->take(buffers.current, buffers.next, first_step, stream);
        taken = stream_->steps();
      } else {
        tiles_.take(buffers.current, buffers.next, first_step, stream);
        taken = 1;
        // No more launches than the compiler leaves time for.
        if (stream_ && !stream_->settled() && steps % 16 == 0)
          LAPL_CUDA(cudaStreamSynchronize(stream));
      }
      buffers.swap();
    }
  }

  void settle() override {
    if (stream_) stream_->wait();
  }

  std::string how() override { return stream_ ? stream_->how() : "compiled for this run"; }

 private:
  DeviceProblem<T> problem_;
  StageTiles<T> tiles_;
  std::optional<StageStream<T>> stream_;
};

}  // namespace

template <class T>
std::unique_ptr<CudaEngine<T>> make_compiled_cuda_engine(const Problem<T>& problem,
                                                         cudaStream_t stream, bool streams) {
  std::optional<StreamPlan> plan;
  if (streams) plan = stream_plan(problem);
  if (plan && !plan->unsuitable.empty()) throw EngineUnsuitable(plan->unsuitable);
  return std::make_unique<CompiledCudaEngine<T>>(problem, stream, std::move(plan));
}
template std::unique_ptr<CudaEngine<float>> make_compiled_cuda_engine(const Problem<float>&,
                                                                      cudaStream_t, bool);
template std::unique_ptr<CudaEngine<double>> make_compiled_cuda_engine(const Problem<double>&,
                                                                       cudaStream_t, bool);

}  // namespace lapl
