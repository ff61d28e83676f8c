#include "kernels/cuda/cuda_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <span>

#include "kernels/cuda/device/copy_box.hpp"
#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/device/step_timer.hpp"
#include "kernels/cuda/engine_choice.hpp"
#include "kernels/cuda/observe.hpp"
#include "kernels/cuda/run_time/stage_launches.hpp"
#include "kernels/error.hpp"
#include "kernels/filters/cuda/cuda_filter.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/memory_needed.hpp"

namespace lapl {
namespace {

std::string grid_text(Shape shape) {
  return fmt::format("the grid of {} cells", shape_text(shape));
}

// The layout of all fields as one array, the rows of each field below those of the field before.
template <class T>
FieldLayout padded_layout(const Problem<T>& problem, int fields) {
  FieldLayout layout = field_layout<T>(problem.shape);
  layout.rows *= problem.shape.planes * fields;
  return layout;
}

// Computes a derived output by applying stages to a state.
template <class T>
class CudaStagesValue final : public CudaFilter<T> {
 public:
  /// Keeps references to `clock` and `step`, those of the state, which the caller keeps up to date.
  CudaStagesValue(const Problem<T>& stages, const StepTimes& clock, const std::int64_t& step,
                  cudaStream_t stream)
      : clock_(clock),
        step_(step),
        problem_(stages, stages.shape.columns, stream),
        tiles_(problem_, true) {}

  void apply(const T* state, T* output, cudaStream_t stream) override {
    problem_.set_clock(clock_);
    tiles_.forget_time();
    tiles_.launch_step(state, nullptr, step_, stream, output);
  }

 private:
  const StepTimes& clock_;
  const std::int64_t& step_;
  DeviceProblem<T> problem_;
  StageTiles<T> tiles_;
};

template <class T>
class CudaBackend final : public Backend<T> {
 public:
  CudaBackend(const std::string& engine, const Problem<T>& problem)
      : device_(current_device()),
        problem_(problem),
        part_(problem.part.value_or(Part::all(problem.shape))),
        layout_(padded_layout(problem, problem.state_fields())) {
    require_device_memory(grid_text(problem.shape), memory_needed("cuda", problem).device);
    const std::int64_t padded_values =
        padded_layout(problem, problem.step_fields).rows * layout_.pitch;
    first_ = device_buffer<T>(padded_values);
    second_ = device_buffer<T>(padded_values);
    state_ = device_buffer<T>(problem.state_fields() * cells());
    host_state_ = pinned_buffer<T>(problem.state_fields() * part_.cells());
    observation_ = device_buffer<Observation>(1);
    host_observation_ = pinned_buffer<Observation>(1);
    buffers_ = {first_.data(), second_.data()};
    chosen_ = choose_engine(engine, problem, compute_);
  }

  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  // The device must have finished with the members before they are freed.
  ~CudaBackend() override {
    LAPL_CUDA_NO_THROW(cudaStreamSynchronize(compute_));
    LAPL_CUDA_NO_THROW(cudaStreamSynchronize(copy_));
  }

  BackendDescription description() const override {
    const std::string how = chosen_.engine->how();
    return {.backend = "cuda",
            .engine = chosen_.name,
            .reason = how.empty() ? chosen_.reason : fmt::format("{}; {}", chosen_.reason, how),
            .device = device_name(),
            .driver = "CUDA " + cuda_versions(),
            .threads = 0};
  }

  void set_state(std::span<const T> state, std::int64_t step) override {
    use_device();
    step_ = step;
    stepped_ = false;
    timer_.stop(compute_);
    const auto& [rows, columns, pitch] = layout_;
    const BoxIn<T> given{const_cast<T*>(state.data()), columns, rows};
    copy_box(given, {buffers_.current, pitch, rows}, {1, rows, columns}, cudaMemcpyHostToDevice,
             compute_);
    LAPL_CUDA(cudaStreamSynchronize(compute_));
    chosen_.engine->forget_state();
  }

  RowRange rows() const override { return {part_.in_grid(0) / part_.whole.columns, part_.rows()}; }

  std::vector<T> values_at(std::span<const std::int64_t> indices) override {
    use_device();
    timer_.stop(compute_);
    std::vector<T> values(indices.size());
    const std::int64_t columns = layout_.columns;
    for (std::size_t i = 0; i < values.size(); ++i)
      LAPL_CUDA(cudaMemcpyAsync(
          &values[i],
          buffers_.current + indices[i] / columns * layout_.pitch + indices[i] % columns, sizeof(T),
          cudaMemcpyDeviceToHost, compute_));
    LAPL_CUDA(cudaStreamSynchronize(compute_));
    return values;
  }

  Block<T> block() override {
    use_device();
    stepped_ = false;
    timer_.stop(compute_);
    chosen_.engine->forget_state();
    return {problem_.shape, layout_.pitch, buffers_.current, static_cast<cudaStream_t>(compute_),
            device_};
  }

  void wait_for_device() override {
    use_device();
    timer_.stop(compute_);
    LAPL_CUDA(cudaDeviceSynchronize());
  }

  void settle() override {
    use_device();
    chosen_.engine->settle();
  }

  void advance(std::int64_t steps) override {
    use_device();
    if (steps <= 0) return;
    timer_.start(compute_);
    chosen_.engine->advance(buffers_, step_, steps);
    step_ += steps;
    stepped_ = true;
    // Waits for the previous advance(): at most one is unfinished. Where each step waits for its
    // error, events around all would take longer than a small step.
    if (!problem_.measures_error) timer_.stop(compute_);
  }

  void set_clock(const StepTimes& clock) override {
    problem_.clock = clock;
    chosen_.engine->set_clock(clock);
  }

  std::function<Reduced<T>()> reduce(StateArrays arrays, double bound) override {
    use_device();
    const double* const error = stepped_ ? chosen_.engine->largest_error() : nullptr;
    if (error != nullptr && !problem_.part && std::isinf(bound) &&
        arrays.first == problem_.state_fields() && arrays.count == 1)
      return [this, error, arrays, bound] {
        const double largest = wait_for(*error);
        return std::isfinite(largest) ? Reduced<T>{largest, {}} : reduce_array(arrays, bound)();
      };
    return reduce_array(arrays, bound);
  }

  void undo_step() override {
    buffers_.swap();
    --step_;
    stepped_ = false;
  }

  void set_derived(const std::vector<DerivedOutput<T>>& plans) override {
    use_device();
    for (const DerivedOutput<T>& plan : plans) {
      require_device_memory("what follows from " + grid_text(problem_.shape),
                            static_cast<double>(cells()) * sizeof(T));
      const auto* const filter = std::get_if<FilterPlan<T>>(&plan);
      derived_.push_back({make_derived(plan), filter ? filter->field : 0, device_buffer<T>(cells()),
                          pinned_buffer<T>(part_.cells())});
    }
  }

  void start_capture(bool with_derived) override {
    use_device();
    evaluate(with_derived ? std::span<const Derived>(derived_) : std::span<const Derived>());
    to_host(host_observation_, observation_);
    own_to_host(host_state_, state_);
    if (with_derived)
      for (const Derived& derived : derived_) own_to_host(derived.host_result, derived.result);
    copied_.record(copy_);
    captured_derived_ = with_derived;
  }

  bool any_of_derived(std::size_t after) override {
    use_device();
    const Derived& derived = derived_[derived_.size() - 1 - after];
    evaluate({&derived, 1});
    own_to_host(derived.host_result, derived.result);
    copied_.record(copy_);
    copied_.wait();
    return std::any_of(derived.host_result.data(), derived.host_result.data() + part_.cells(),
                       [](T value) { return value < 0 || value > 0; });
  }

  Captured<T> finish_capture() override {
    use_device();
    copied_.wait();
    const Observation& observation = *host_observation_.data();
    Captured<T> result;
    result.rows = rows();
    result.cells = part_.cells();
    const auto own_cells = static_cast<std::size_t>(result.cells);
    result.state = {host_state_.data(), problem_.state_fields() * own_cells};
    if (captured_derived_)
      for (const Derived& derived : derived_)
        result.derived.push_back({derived.host_result.data(), own_cells});
    result.digest = observation.digest;
    result.first_not_finite = found(observation.first_not_finite);
    return result;
  }

  double stepping_seconds() override {
    use_device();
    timer_.stop(compute_);
    return timer_.seconds();
  }
  SolveReport last_solves() const override { return report_of_all(problem_.systems); }

 private:
  // Waits for a number that a kernel stores in page-locked memory, where it is negative before.
  // Looks again and again for 0.2 ms before it sleeps, because waking takes longer than a small
  // step.
  double wait_for(const volatile double& number) const {
    const auto began = std::chrono::steady_clock::now();
    while (number < 0)
      if (std::chrono::steady_clock::now() - began > std::chrono::microseconds(200)) {
        use_device();
        LAPL_CUDA(cudaStreamSynchronize(compute_));
        break;
      }
    return number;
  }

  std::function<Reduced<T>()> reduce_array(StateArrays arrays, double bound) {
    timer_.stop(compute_);
    auto search = std::ranges::find(searches_, 1, &std::shared_ptr<Search>::use_count);
    if (search == searches_.end())  // all searches are still in use
      search = searches_.insert(search, std::make_shared<Search>(compute_));
    const std::int64_t stride = problem_.shape.planes * problem_.shape.rows * layout_.pitch;
    reduce_magnitudes(static_cast<const T*>(buffers_.current) + arrays.first * stride, arrays.count,
                      problem_.shape, layout_.pitch, problem_.part, bound,
                      (*search)->on_device.data(), (*search)->on_host.data(), compute_);
    (*search)->done.record(compute_);
    return [this, search = *search, before = arrays.first * part_.whole.cells()] {
      use_device();
      search->done.wait_awake();
      const FoundMagnitudes<T>& result = *search->on_host.data();
      Reduced<T> reduced{std::bit_cast<double>(result.bits.largest), {}};
      if (result.bits.first == not_found) return reduced;
      reduced.first = {.index = before + static_cast<std::int64_t>(result.bits.first)};
      std::ranges::copy(result.around, reduced.first->around.begin());
      return reduced;
    };
  }

  struct Derived {
    std::unique_ptr<CudaFilter<T>> function;
    int field;  // the field that `function` reads
    DeviceBuffer<T> result;
    PinnedBuffer<T> host_result;
  };

  // Observes the current state and computes these of its derived outputs; copies to the host wait
  // for both.
  void evaluate(std::span<const Derived> outputs) {
    timer_.stop(compute_);
    copied_.wait_in(compute_);
    observe(static_cast<const T*>(buffers_.current), layout_, problem_.part, state_.data(),
            observation_.data(), compute_);
    for (const Derived& derived : outputs)
      derived.function->apply(state_.data() + derived.field * cells(), derived.result.data(),
                              compute_);
    observed_.record(compute_);
    observed_.wait_in(copy_);
  }

  // The memory of one call of reduce().
  struct Search {
    explicit Search(cudaStream_t stream) {
      *on_host.data() = {};
      constexpr SharedMagnitudes none;
      LAPL_CUDA(
          cudaMemcpyAsync(on_device.data(), &none, sizeof none, cudaMemcpyHostToDevice, stream));
      LAPL_CUDA(cudaStreamSynchronize(stream));
    }
    DeviceBuffer<SharedMagnitudes> on_device = device_buffer<SharedMagnitudes>(1);
    PinnedBuffer<FoundMagnitudes<T>> on_host = pinned_buffer<FoundMagnitudes<T>>(1);
    Event done;
  };

  // CUDA's current device is a setting of each thread.
  void use_device() const { LAPL_CUDA(cudaSetDevice(device_)); }

  std::int64_t cells() const { return problem_.shape.cells(); }

  std::unique_ptr<CudaFilter<T>> make_derived(const DerivedOutput<T>& plan) const {
    if (const auto* filter = std::get_if<FilterPlan<T>>(&plan)) return make_cuda_filter(*filter);
    return std::make_unique<CudaStagesValue<T>>(std::get<Problem<T>>(plan), problem_.clock, step_,
                                                compute_);
  }

  template <class U>
  void to_host(const PinnedBuffer<U>& host, const DeviceBuffer<U>& device) {
    LAPL_CUDA(cudaMemcpyAsync(host.data(), device.data(),
                              static_cast<std::size_t>(device.size()) * sizeof(U),
                              cudaMemcpyDeviceToHost, copy_));
  }

  // Copies the cells of this rank without its halo to page-locked memory.
  void own_to_host(const PinnedBuffer<T>& host, const DeviceBuffer<T>& device) {
    const Shape shape = problem_.shape;
    for (std::int64_t field = 0; field < device.size() / cells(); ++field)
      copy_box<T>({device.data() + field * cells(), shape.columns, shape.rows, part_.before},
                  {host.data() + field * part_.cells(), part_.own[2], part_.own[1]}, part_.own,
                  cudaMemcpyDeviceToHost, copy_);
  }

  int device_;
  Problem<T> problem_;
  Part part_;
  FieldLayout layout_;
  Stream compute_, copy_;
  DeviceBuffer<T> first_, second_, state_;
  PinnedBuffer<T> host_state_;
  DeviceBuffer<Observation> observation_;
  PinnedBuffer<Observation> host_observation_;
  std::vector<std::shared_ptr<Search>> searches_;
  DoubleBuffer<T> buffers_;
  std::int64_t step_ = 0;
  bool stepped_ = false;  // the state is that of the last call of advance()
  ChosenEngine<T> chosen_;
  StepTimer timer_;
  Event observed_, copied_;
  std::vector<Derived> derived_;
  bool captured_derived_ = false;
};

}  // namespace

template <class T>
std::unique_ptr<Backend<T>> make_cuda_backend(const std::string& engine,
                                              const Problem<T>& problem) {
  return std::make_unique<CudaBackend<T>>(engine, problem);
}
LAPL_FOR_FLOATS(make_cuda_backend);

}  // namespace lapl
