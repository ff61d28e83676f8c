#include "kernels/cuda/engine_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kernels/cuda/cuda_backend.hpp"
#include "kernels/cuda/run_time/stage_passes.hpp"
#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/spectral/exponential_rates.hpp"

namespace lapl {
namespace {

constexpr const char *asked_for = "compute.engine asks for it", *fastest = "the fastest here";

template <class T>
ChosenEngine<T> compiled_engine(const std::string& name, const Problem<T>& problem,
                                cudaStream_t stream) {
  const auto make = [&](const std::string& engine, std::string reason) -> ChosenEngine<T> {
    return {engine, std::move(reason), make_compiled_cuda_engine(engine, problem, stream)};
  };
  if (name != "auto") return make(name, asked_for);
  const ResidentPlan resident = resident_plan(problem, device_limits());
  const std::string streaming = problem.shape.axes == 3
                                    ? volume_plan(problem, device_limits()).unsuitable
                                    : stream_plan(problem, device_limits()).unsuitable;
  if (resident.unsuitable.empty() && (resident.pays(problem) || !streaming.empty()))
    return make("resident", fastest);
  if (streaming.empty()) return make("streaming", fastest);
  return make("tile", streaming);
}

// If resident can step the grid, it is faster than streaming (measured: docs/performance.md).
template <class T>
ChosenEngine<T> fastest_ahead(const Problem<T>& problem, cudaStream_t stream) try {
  return {"resident", fastest, make_resident_engine(problem, stream)};
} catch (const EngineUnsuitable& error) {
  return {"streaming", fmt::format("{}: {}", fastest, error.what()),
          make_streaming_engine(problem, stream)};
}

}  // namespace

template <class T>
ChosenEngine<T> choose_engine(const std::string& name, const Problem<T>& problem,
                              cudaStream_t stream) {
  if (problem.exponential) {
    if (name != "auto" && name != spectral_engine.name)
      throw EngineUnsuitable("engine {}: etdrk2 and etdrk4 are steps of engine spectral", name);
    // Engine tile does not change the state from which it computes the rates.
    return {std::string(spectral_engine.name),
            name == "auto" ? "the scheme asks for it" : asked_for,
            make_spectral_cuda_engine(
                problem, stream,
                make_compiled_cuda_engine("tile", problem.exponential->rates, stream))};
  }
  if (name == spectral_engine.name)
    return {name, asked_for, make_spectral_cuda_engine(problem, stream, nullptr)};
  if (name != "auto" && std::ranges::none_of(engine_table, [&](const EngineInfo& engine) {
        return engine.name == name && engine.runs_on("cuda");
      }))
    throw ConfigError("engine {}: not an engine of the cuda backend", name);
  if (is_compiled_at_run_time(problem, name)) return compiled_engine(name, problem, stream);
  if (name == "auto") return fastest_ahead(problem, stream);
  return {name, asked_for,
          name == "resident" ? make_resident_engine(problem, stream)
                             : make_streaming_engine(problem, stream)};
}
LAPL_FOR_FLOATS(choose_engine);

template <class T>
std::int64_t steps_of_streaming(const Problem<T>& problem) {
  if (!is_compiled_at_run_time(problem, "streaming")) return streaming_depth<T>();
  constexpr DeviceLimits of_h200{.processors = 132, .shared_bytes = 227 << 10, .cooperative = true};
  const auto stages = static_cast<int>(problem.stages.size());
  const DeviceLimits device = cuda_unavailable_reason().empty() ? device_limits() : of_h200;
  if (problem.shape.axes == 3) {
    const VolumePlan plan = volume_plan(problem, device);
    return plan.unsuitable.empty() ? plan.sizes.levels / stages : 1;
  }
  const StreamPlan plan = stream_plan(problem, device);
  return plan.unsuitable.empty() ? plan.sizes.depth() / stages : 1;
}
LAPL_FOR_FLOATS(steps_of_streaming);

}  // namespace lapl
