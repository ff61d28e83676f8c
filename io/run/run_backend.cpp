#include "io/run/run_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "io/filters/filter_source.hpp"
#include "io/run/run_needs.hpp"
#include "kernels/engines.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/machine/code_cache.hpp"
#include "kernels/ranks/ranked_backend.hpp"
#include "solver/filters/correlation.hpp"
#include "solver/outputs.hpp"

namespace lapl {

BackendChoice choose_backend(const RunConfig& config) {
  return choose_backend(config.backend, config.engine);
}

BackendChoice choose_backend(const std::string& backend, const std::string& engine) {
  if (backend != "auto") return {backend, "compute.backend asks for it"};
  for (const EngineInfo& known : all_engines())
    if (known.name == engine && known.backend != "any")
      return {std::string(known.backend), fmt::format("engine {} runs there", engine)};
  // Without the reason why CUDA is not available, which takes several lines: lapl list prints it.
  if (cuda_unavailable().empty()) return {"cuda", "a GPU is here"};
  return {"cpu", "no usable GPU"};
}

// A GPU solves by multigrid itself, and would wait for transforms, which the host has.
std::optional<Model> with_multigrid(const Model& model, const BackendChoice& choice) {
  if (choice.backend != "cuda" || model.run.equation.solves.empty() ||
      table_row(model.run.scheme.kind).is_implicit())
    return std::nullopt;
  RunConfig config = model.run;
  for (SolveConfig& solve : config.equation.solves)
    if (solve.method == SolveMethod::automatic) solve.method = SolveMethod::multigrid;
  return Model(std::move(config), model.system);
}

template <class T>
std::shared_ptr<Backend<T>> run_backend(const Model& model, const BackendChoice& choice,
                                        const CoefficientFields& coefficients, Ranks& ranks,
                                        const Note& note) {
  const RunConfig& config = model.run;
  use_code_cache(config.caches_code);
  const std::optional<Model> other = with_multigrid(model, choice);
  const Problem<T> problem =
      make_problem<T>(other ? *other : model, coefficients, ranks.is_first());
  std::vector<FilterPlan<T>> filters;
  std::vector<std::string> of_filters;
  for (const FilterConfig& filter : load_filters(config.filters)) {
    const auto correlation = correlation_on_grid<T>(filter, config.shape);
    const MethodChoice method = choose_method(filter, correlation, choice.backend);
    const auto field = std::ranges::find(config.fields, filtered_field(config, filter));
    filters.push_back(
        {correlation, method.method, static_cast<int>(field - config.fields.begin())});
    of_filters.push_back(fmt::format("filter {}: method {} ({})", filter.name,
                                     enum_name(method.method), method.reason));
  }
  const auto plans = planned_outputs(model, problem, filters);
  std::shared_ptr<Backend<T>> backend;
  if (ranks.count() == 1) {
    backend = make_backend(choice.backend, config.engine, problem, config.threads);
    backend->set_derived(plans);
  } else {
    backend =
        make_ranked_backend(ranks, choice.backend, config.engine, problem, plans, config.threads);
  }
  const BackendDescription by = backend->description();
  note(fmt::format("engine {} on {} ({}; {})", by.engine, by.device, choice.reason, by.reason));
  if (const int wanted = config.threads > 0 ? config.threads : useful_threads(config.shape);
      ranks.count() == 1 && by.threads > 0 && by.threads < wanted)
    note(fmt::format("{} of {} threads: no more can be started (a limit on processes?)", by.threads,
                     wanted));
  std::ranges::for_each(of_filters, note);
  return backend;
}
LAPL_FOR_FLOATS(run_backend);

Model first_model(const Model& model, const std::optional<StepState>& from) {
  if (!model.run.chooses_stages()) return model;
  RunConfig config = model.run;
  config.scheme.stages =
      std::min(*config.scheme.stages, static_cast<int>(from.value_or(StepState()).stages));
  return {std::move(config), model.system};
}

template <class T>
OtherStages<T> other_stages(std::shared_ptr<Backend<T>>& backend, const Model& model,
                            const std::optional<StepState>& from, const BackendChoice& choice,
                            const CoefficientFields& coefficients, Ranks& ranks) {
  if (!model.run.chooses_stages()) return {};
  // A backend that is replaced is kept, with its compiled code, for the next use of its number of
  // stages, if memory suffices for 20 backends.
  const auto keeps = [&, choice] {
    const Memory needed = memory_of_run(model, choice.backend, model.run.shape).backend;
    const Memory available = memory_available(choice.backend);
    return !ranks.any(20 * needed.host > available.host || 20 * needed.device > available.device);
  };
  return [&, choice, keeps, coefficients, used = *first_model(model, from).run.scheme.stages,
          kept = std::make_shared<std::map<std::int64_t, std::shared_ptr<Backend<T>>>>()](
             std::int64_t stages) mutable -> Backend<T>& {
    if (keeps()) kept->emplace(used, std::move(backend));
    used = static_cast<int>(stages);
    backend.reset();
    if (const auto at = kept->find(stages); at != kept->end()) {
      backend = std::move(at->second);
      kept->erase(at);
      return *backend;
    }
    RunConfig config = model.run;
    config.scheme.stages = used;
    backend = run_backend<T>(Model(config, model.system), choice, coefficients, ranks);
    return *backend;
  };
}
LAPL_FOR_FLOATS(other_stages);

}  // namespace lapl
