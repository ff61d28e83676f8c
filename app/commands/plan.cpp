#include "app/commands/plan.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "io/filter_source.hpp"
#include "io/initial_source.hpp"
#include "kernels/ranks/halo.hpp"
#include "kernels/ranks/ranked_backend.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/outputs.hpp"
#include "solver/problem.hpp"

namespace lapl {
namespace {

constexpr int most_gpus_of_a_machine = 8;

bool fits(const Memory& needed, const Memory& available) {
  return (available.host == 0 || needed.host <= available.host) &&
         (available.device == 0 || needed.device <= available.device);
}

std::int64_t largest_extent(const Model& model, const std::string& backend,
                            const Memory& available) {
  const int axes = model.run.shape.axes;
  std::int64_t low = 1, high = std::int64_t{1} << 40 / axes;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const Shape shape = Shape::of(std::vector(axes, middle));
    (fits(memory_of_run(model, backend, shape), available) ? low : high) = middle;
  }
  return low;
}

}  // namespace

Plan plan_of(const LoadedConfig& loaded) {
  Plan plan;
  plan.config = loaded.run;
  plan.step_note = loaded.step_note;
  const RunConfig& config = plan.config;
  plan.choice = choose_backend(config);
  load_filters(config);
  const Model model(config);
  plan.memory = memory_of_run(model, plan.choice.backend, config.shape);
  plan.available = memory_available(plan.choice.backend);
  plan.largest_extent = largest_extent(model, plan.choice.backend, plan.available);
  plan.disk = disk_of_run(config);
  if (fits(plan.memory, plan.available)) {
    const auto stable_steps = stable_steps_of(config, [&] { return load_state_fields(config); });
    plan.stable = stable_steps(config.scheme);
    plan.time = measure_run_time(loaded, plan.choice, stable_steps);
  } else {
    plan.stable = {.largest = largest_step_of(config),
                   .why_unknown = "not estimated: the grid does not fit"};
  }
  plan.step_warning = step_warning(config, plan.stable);
  return plan;
}

RanksPlan plan_on_ranks(const RunConfig& config, int ranks) {
  const Model model(config);
  const auto problem = problem_of<float>(model, unread_coefficients(config));
  const std::string backend = choose_backend(config).backend;
  const RankCosts costs = costs_of_ranks(backend, why_through_host(only_rank(), backend),
                                         ranks <= most_gpus_of_a_machine);
  const Division division =
      division_of(problem, plans_of(model, problem), backend, config.engine, ranks, costs);
  const Decomposition by = decompose(division);
  // The largest block: of a rank with neighbours on every side, where there is one.
  Part largest = by.part(0);
  for (int rank = 0; rank < std::min(by.stepping(), 4096); ++rank)
    if (by.part(rank).shape().cells() > largest.shape().cells()) largest = by.part(rank);
  return {.ranks = ranks,
          .backend = backend,
          .by = by,
          .block = {largest.own[1], largest.own[2], largest.own[0], config.shape.axes},
          .steps_at_once = by.depth / division.reach,
          .memory = backend_memory(model, backend, largest.shape()),
          .memory_of_first = memory_of_first_rank(config),
          .step = modelled_step(by, division, size_of(config.precision))};
}

}  // namespace lapl
