#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "kernels/backend.hpp"
#include "kernels/ceilings.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/startable_threads.hpp"
#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/ranks/halo.hpp"
#ifdef LAPL_HAS_CUDA
#include "kernels/cuda/cuda_backend.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/ranks/device_halo.hpp"
#endif

namespace lapl {
int useful_threads(Shape shape, std::int64_t fewest_cells) {
  const std::int64_t most = std::max<std::int64_t>(shape.cells() / fewest_cells, 1);
  return static_cast<int>(std::min<std::int64_t>(most, omp_get_num_procs()));
}

std::string cuda_unavailable() {
#ifdef LAPL_HAS_CUDA
  return cuda_unavailable_reason();
#else
  return "CUDA was not compiled in";
#endif
}

bool has_cuda_driver() {
#ifdef LAPL_HAS_CUDA
  return finds_cuda_driver();
#else
  return false;
#endif
}

void choose_device([[maybe_unused]] int index) {
#ifdef LAPL_HAS_CUDA
  use_cuda_device(index);
#endif
}

template <class T>
std::unique_ptr<Backend<T>> make_backend(const std::string& backend, const std::string& engine,
                                         const Problem<T>& problem, int threads) {
  const auto matches = [&](const EngineInfo& info) {
    return info.runs_on(backend) && (engine == "auto" || info.name == engine);
  };
  if (std::ranges::none_of(all_engines(), matches))
    throw ConfigError("engine {}: not an engine of the {} backend", engine, backend);
  if (backend == "cpu")
    return make_cpu_backend(engine, problem,
                            startable_threads(threads > 0 ? threads : useful_threads(problem)));
  if (const std::string reason = cuda_unavailable(); !reason.empty())
    throw DeviceError("backend cuda: {}", reason);
#ifdef LAPL_HAS_CUDA
  return make_cuda_backend(engine, problem);
#else
  return nullptr;  // not reached: cuda_unavailable() has already thrown
#endif
}
LAPL_FOR_FLOATS(make_backend);

template <class T>
std::int64_t steps_at_once(const Problem<T>& problem, const std::string& backend,
                           const std::string& engine) {
  if (has_global_operations(problem) || problem.exponential) return 1;
  const bool ahead = is_plane_diffusion(problem);
  if (backend == "cpu") return engine != "auto" && engine != "blocked" ? 1 : ahead ? 32 : 12;
#ifdef LAPL_HAS_CUDA
  if (engine == "auto" || engine == "streaming") return steps_of_streaming(problem);
#endif
  return 1;
}
LAPL_FOR_FLOATS(steps_at_once);

std::string why_through_host([[maybe_unused]] Ranks& ranks,
                             [[maybe_unused]] const std::string& backend) {
#ifdef LAPL_HAS_CUDA
  if (backend == "cuda") return why_no_device_ranks(ranks);
#endif
  return {};
}

template <class T>
std::unique_ptr<Halo<T>> make_halo(Ranks& ranks, [[maybe_unused]] const std::string& backend,
                                   const Decomposition& by, int fields,
                                   [[maybe_unused]] const std::string& through_host) {
#ifdef LAPL_HAS_CUDA
  if (backend == "cuda") return make_device_halo<T>(ranks, by, fields, through_host);
#endif
  return make_host_halo<T>(by, ranks.rank(), fields);
}
LAPL_FOR_FLOATS(make_halo);

template <class T>
Ceilings measure_ceilings(const BackendDescription& by, int arithmetic) {
#ifdef LAPL_HAS_CUDA
  if (by.backend == "cuda") return device_ceilings(sizeof(T), arithmetic);
#endif
  Ceilings ceilings = host_ceilings<T>(by.threads);  // for the arithmetic of diffusion
  ceilings.updates_per_second *= stage_properties(diffusion_tree(2, 0)).arithmetic;
  ceilings.updates_per_second /= arithmetic;
  return ceilings;
}
LAPL_FOR_FLOATS(measure_ceilings);

}  // namespace lapl
