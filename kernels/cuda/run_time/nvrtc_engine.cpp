// Engines whose CUDA kernels are printed from the stages and compiled by NVRTC while the run
// begins. The tile kernels are compiled first, in a few tenths of a second, and the run waits for
// them. They compute the steps until the faster kernel is compiled, and later the steps that are
// too few for one of its launches.
#include <memory>
#include <utility>

#include "kernels/cuda/cuda_engine.hpp"
#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/run_time/stage_passes.hpp"
#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/stages/cut_stage.hpp"

namespace lapl {
namespace {

template <class T>
class CompiledCudaEngine final : public Engine<T> {
 public:
  CompiledCudaEngine(const std::string& name, const Problem<T>& problem, cudaStream_t stream)
      : stream_(stream),
        problem_(balanced(name, problem), field_layout<T>(problem.shape).pitch, stream),
        tiles_(problem_) {
    if (name == "streaming" && problem.shape.axes == 3)
      passes_ =
          make_stage_volume(problem_, suitable(volume_plan(problem_.problem(), device_limits())));
    else if (name == "streaming")
      passes_ =
          make_stage_stream(problem_, suitable(stream_plan(problem_.problem(), device_limits())));
    else if (name == "resident")
      passes_ = make_stage_resident(problem_, suitable(resident_plan(problem, device_limits())));
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) override {
    for (std::int64_t taken = 0; steps > 0; first_step += taken, steps -= taken) {
      taken = passes_ && passes_->ready()
                  ? passes_->launch_steps(buffers.current, buffers.next, first_step, steps, stream_)
                  : 0;
      measured_ = taken > 0;
      if (taken == 0) {
        tiles_.launch_step(buffers.current, buffers.next, first_step, stream_);
        taken = 1;
        // A long queue of launches would delay the thread that compiles.
        if (passes_ && !passes_->settled() && steps % 16 == 0)
          LAPL_CUDA(cudaStreamSynchronize(stream_));
      }
      buffers.swap();
    }
  }

  void set_clock(const StepTimes& clock) override {
    problem_.set_clock(clock);
    tiles_.forget_time();
    if (passes_) passes_->forget_time();
  }

  void settle() override {
    if (passes_) passes_->wait();
  }

  const double* largest_error() const override {
    return measured_ ? passes_->largest_error() : nullptr;
  }

  std::string how() override { return passes_ ? passes_->how() : "compiled for this run"; }

 private:
  // The stage that scales errors has half of the operations of a step. Where warps share a step,
  // two warps share this stage.
  static Problem<T> balanced(const std::string& name, const Problem<T>& problem) {
    if (name == "streaming" && problem.shape.axes == 2 && problem.measures_error)
      if (const auto cut = with_last_stage_cut(problem);
          cut && stream_plan(*cut, device_limits()).unsuitable.empty())
        return *cut;
    return problem;
  }

  template <class Plan>
  static Plan suitable(Plan plan) {
    if (!plan.unsuitable.empty()) throw EngineUnsuitable(plan.unsuitable);
    return plan;
  }

  cudaStream_t stream_;
  DeviceProblem<T> problem_;
  StageTiles<T> tiles_;
  std::unique_ptr<StagePasses<T>> passes_;
  bool measured_ = false;  // the last step was one of passes_
};

}  // namespace

template <class T>
std::unique_ptr<Engine<T>> make_compiled_cuda_engine(const std::string& name,
                                                     const Problem<T>& problem,
                                                     cudaStream_t stream) {
  return std::make_unique<CompiledCudaEngine<T>>(name, problem, stream);
}
LAPL_FOR_FLOATS(make_compiled_cuda_engine);

}  // namespace lapl
