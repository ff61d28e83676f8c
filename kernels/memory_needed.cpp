#include "kernels/memory_needed.hpp"

#include <algorithm>
#include <set>

#include "kernels/backend.hpp"
#include "kernels/cpu/compiled_stages.hpp"
#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/machine/available_memory.hpp"
#include "kernels/solve/grid_system.hpp"
#include "kernels/solve/implicit_system.hpp"
#include "kernels/spectral/exponential_modes.hpp"
#ifdef LAPL_HAS_CUDA
#include "kernels/cuda/device/device_info.hpp"
#endif

namespace lapl {

template <class T>
Memory memory_needed(const std::string& backend, const Problem<T>& problem,
                     const std::vector<DerivedOutput<T>>& derived) {
  const auto fields = static_cast<double>(problem.step_fields);
  const auto given = static_cast<double>(problem.coefficients.size());
  const auto results = static_cast<double>(derived.size());
  // On the host, the problem and its derived outputs share the coefficients. They were read as
  // float64, and engines of compiled code on a CPU make a copy. A GPU has a copy for the steps, and
  // one for each formula of a derived output.
  const double on_host = given * (1.0 + sizeof(double) / sizeof(T) + (backend == "cpu" ? 1 : 0));
  double on_device = given, made = problem.arrays() - fields - given;
  for (const DerivedOutput<T>& plan : derived)
    if (const auto* const formula = std::get_if<Problem<T>>(&plan)) {
      on_device += given;
      // without the formula's result, which is counted in `results`
      made += formula->arrays() - fields - given - 1;
    }
  const bool is_implicit = std::ranges::any_of(problem.stages, [](const Stage& stage) {
    return std::ranges::any_of(stage.solves, [](const GridSolve& one) { return one.share > 0; });
  });
  std::set<int> systems;  // of fields that are solved for
  double solves = is_implicit ? ImplicitSystem::memory(problem.shape, problem.state_fields()) : 0;
  const auto add_solves = [&](const Problem<T>& of) {
    for (const auto& system : of.systems)
      if (system) solves += system->own_memory();
    for (const Stage& stage : of.stages)
      for (const GridSolve& solve : stage.solves)
        if (solve.share == 0 &&
            (!of.systems[solve.system] || of.systems[solve.system]->own_memory() == 0))
          systems.insert(solve.system);
  };
  add_solves(problem);
  for (const DerivedOutput<T>& plan : derived)
    if (const auto* const formula = std::get_if<Problem<T>>(&plan)) add_solves(*formula);
  solves +=
      static_cast<double>(systems.size()) * GridSystem::memory(problem.shape, problem.step_fields);
  const double rows = static_cast<double>(problem.shape.planes * problem.shape.rows) * sizeof(T);
  const double array = rows * static_cast<double>(problem.shape.columns);
  if (backend == "cpu") {
    // Engines also store values along the columns, and margins by which their rows of coefficients
    // are longer than the grid's (kernels/cpu/compiled_stages.hpp).
    const bool noise = std::ranges::any_of(
        problem.stages, [](const Stage& stage) { return reads_noise(stage.tree); });
    const auto stages = static_cast<std::int64_t>(problem.stages.size());
    const auto margins = static_cast<double>(2 * margin_beyond<T>(most_steps_in_pass * stages));
    const double columns = static_cast<double>(problem.shape.columns) + margins;
    return {(3 * fields + results + on_host + made) * array + given * rows * margins +
                columns * sizeof(T) * (noise ? 3 : 1) + solves,
            0};
  }
  const double padded = rows * static_cast<double>(field_layout<T>(problem.shape).pitch);
  return {(fields + results + on_host) * array + solves,
          (2 * fields + on_device + made) * padded + (fields + results) * array};
}
LAPL_FOR_FLOATS(memory_needed);

Memory spectral_memory(const std::string& backend, Shape shape, bool source) {
  const auto array = static_cast<double>(shape.cells()) * sizeof(double);
  if (backend == "cpu") return {array * (source ? 6 : 1), 0};
  double batch = 0;
  for (const std::int64_t size : shape.extents()) {
    // bytes of the longest transform, that of a line between faces held at 0
    const double line = 16 * (2 * static_cast<double>(size) + 2);
    const double all = line * static_cast<double>((shape.cells() / size + 1) / 2);
    batch =
        std::max(batch, std::max(line, std::min(all, static_cast<double>(spectral_batch_bytes))));
  }
  return {array * (source ? 4 : 0), array * (source ? 2 : 1) + 2 * batch};
}

Memory exponential_memory(const std::string& backend, const ExponentialRates& rates, Shape shape) {
  const auto array = static_cast<double>(shape.cells()) * sizeof(double);
  double factors = 0;
  for (const ExponentialRates::Group& group : rates.groups)
    factors += ExponentialModes::factors(rates.order) * group.size() * group.size();
  const Problem<double>& on_grid = rates.rates;
  // coefficients and intermediate results of stages
  const int beside_fields = on_grid.arrays() - on_grid.step_fields;
  const double all = array * (factors + 7 * on_grid.step_fields + beside_fields);
  if (backend == "cpu") return {all, 0};
  // A batch of transforms takes as much memory as in spectral_memory.
  return {array * factors, all + spectral_memory(backend, shape, false).device - array};
}

Memory memory_available([[maybe_unused]] const std::string& backend) {
  Memory available{static_cast<double>(available_memory()), 0};
#ifdef LAPL_HAS_CUDA
  if (backend == "cuda" && cuda_unavailable().empty()) available.device = free_device_memory();
#endif
  return available;
}

}  // namespace lapl
