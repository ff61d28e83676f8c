#include "kernels/cuda/engine_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <string_view>
#include <vector>

#include "kernels/cuda/cuda_backend.hpp"
#include "kernels/cuda/device_info.hpp"
#include "kernels/cuda/stage_passes.hpp"
#include "kernels/cuda/step_clock.hpp"
#include "kernels/engines.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

template <class T>
struct EngineRow {
  std::string_view name;
  MakeCudaEngine<T>* make;
};
template <class T>
constexpr std::array<EngineRow<T>, 3> engine_rows = {{{"resident", make_resident_engine<T>},
                                                      {"streaming", make_streaming_engine<T>},
                                                      {"tile", make_tile_engine<T>}}};

template <class T>
const EngineRow<T>& engine_row(std::string_view name) {
  const auto& rows = engine_rows<T>;
  const auto row = std::ranges::find(rows, name, &EngineRow<T>::name);
  if (row == rows.end()) throw ConfigError("engine {}: not an engine of the cuda backend", name);
  return *row;
}

// Whole passes of every engine that blocks time; at most some tens of milliseconds.
std::int64_t steps_to_try(Shape shape) {
  constexpr std::int64_t pass = 48;
  return pass * std::clamp<std::int64_t>(1'000'000'000 / (pass * shape.cells()), 1, 5);
}

template <class T>
double microseconds_a_step(CudaEngine<T>& engine, DoubleBuffer<T> buffers, std::int64_t steps,
                           cudaStream_t stream) {
  engine.advance(buffers, 0, steps, stream);  // the first launch loads its code
  StepClock clock;
  clock.start(stream);
  engine.advance(buffers, 0, steps, stream);
  clock.stop(stream);
  return clock.seconds() / static_cast<double>(steps) * 1e6;
}

struct Choice {
  std::string name, reason;
};

template <class T>
Choice measure(const Problem<T>& problem, const DoubleBuffer<T>& buffers, cudaStream_t stream) {
  const std::int64_t steps = steps_to_try(problem.shape);
  Choice choice;
  std::string others;
  double least = std::numeric_limits<double>::infinity();
  const auto mention = [&](const std::string& text) {
    others += (others.empty() ? "" : ", ") + text;
  };
  const auto timed = [](std::string_view name, double time) {
    return fmt::format("{} {:.3g} us", name, time);
  };
  for (const EngineRow<T>& row : engine_rows<T>) {
    try {
      const auto engine = row.make(problem, buffers, stream);
      const double time = microseconds_a_step(*engine, buffers, steps, stream);
      if (time < least) {
        if (!choice.name.empty()) mention(timed(choice.name, least));
        choice.name = row.name;
        least = time;
      } else {
        mention(timed(row.name, time));
      }
    } catch (const EngineUnsuitable& error) {
      mention(error.what());
    }
  }
  if (choice.name.empty()) throw EngineUnsuitable("no engine can step this grid: " + others);
  choice.reason = fmt::format("the fastest here: {} a step; {}", timed(choice.name, least), others);
  return choice;
}

// What was measured before, or is now.
template <class T>
Choice fastest(const Problem<T>& problem, const DoubleBuffer<T>& buffers, cudaStream_t stream) {
  struct Known {
    std::string device;
    Shape shape;
    Faces<T> faces;
    Choice choice;
  };
  static std::mutex mutex;
  static std::vector<Known> all;
  const std::lock_guard lock(mutex);
  const std::string device = device_name();
  const auto known = std::ranges::find_if(all, [&](const Known& one) {
    return one.device == device && one.shape == problem.shape && one.faces == problem.faces.front();
  });
  if (known != all.end()) return known->choice;
  all.push_back({device, problem.shape, problem.faces.front(), measure(problem, buffers, stream)});
  return all.back().choice;
}

template <class T>
bool is_compiled_here(const Problem<T>& problem, std::string_view engine) {
  return is_compiled_at_run_time(problem, engine) &&
         (!is_compiled_ahead(problem) || cuda_formulas_unavailable_reason().empty());
}

template <class T>
ChosenEngine<T> compiled_engine(const std::string& name, const Problem<T>& problem,
                                cudaStream_t stream) {
  const auto make = [&](std::string_view engine, std::string reason) -> ChosenEngine<T> {
    const std::string chosen(engine_row<T>(engine).name);
    return {chosen, std::move(reason), make_compiled_cuda_engine(chosen, problem, stream)};
  };
  if (name != "auto") return make(name, "compute.engine asks for it");
  const ResidentPlan resident = resident_plan(problem, device_limits());
  const std::string streaming = problem.shape.axes == 3
                                    ? volume_plan(problem, device_limits()).unsuitable
                                    : stream_plan(problem).unsuitable;
  if (resident.unsuitable.empty() && (resident.pays(problem.shape) || !streaming.empty()))
    return make("resident", "the fastest here");
  if (streaming.empty()) return make("streaming", "the fastest here");
  return make("tile", streaming);
}

}  // namespace

template <class T>
ChosenEngine<T> choose_engine(const std::string& name, const Problem<T>& problem,
                              const DoubleBuffer<T>& buffers, cudaStream_t stream) {
  if (name == spectral_engine.name)
    return {name, "compute.engine asks for it", make_spectral_cuda_engine(problem, stream)};
  if (is_compiled_here(problem, name)) return compiled_engine(name, problem, stream);
  const Choice choice = name == "auto" ? fastest(problem, buffers, stream)
                                       : Choice{name, "compute.engine asks for it"};
  return {choice.name, choice.reason, engine_row<T>(choice.name).make(problem, buffers, stream)};
}
template ChosenEngine<float> choose_engine(const std::string&, const Problem<float>&,
                                           const DoubleBuffer<float>&, cudaStream_t);
template ChosenEngine<double> choose_engine(const std::string&, const Problem<double>&,
                                            const DoubleBuffer<double>&, cudaStream_t);

template <class T>
std::int64_t steps_of_streaming(const Problem<T>& problem) {
  if (!is_compiled_here(problem, "streaming")) return streaming_depth<T>();
  constexpr DeviceLimits of_h200{.processors = 132, .shared_bytes = 227 << 10, .cooperative = true};
  const auto stages = static_cast<int>(problem.stages.size());
  if (problem.shape.axes == 3) {
    const VolumePlan plan =
        volume_plan(problem, cuda_unavailable_reason().empty() ? device_limits() : of_h200);
    return plan.unsuitable.empty() ? plan.sizes.levels / stages : 1;
  }
  const StreamPlan plan = stream_plan(problem);
  return plan.unsuitable.empty() ? plan.sizes.depth() / stages : 1;
}
template std::int64_t steps_of_streaming(const Problem<float>&);
template std::int64_t steps_of_streaming(const Problem<double>&);

}  // namespace lapl
