#include "app/commands/plan_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands/run_backend.hpp"
#include "app/commands/run_needs.hpp"
#include "app/view/say.hpp"
#include "kernels/machine/size_text.hpp"
#include "kernels/ranks/halo.hpp"
#include "kernels/ranks/ranked_backend.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/outputs.hpp"
#include "solver/problem.hpp"

namespace lapl {
namespace {

using Json = nlohmann::ordered_json;

constexpr int most_gpus_of_a_machine = 8;

}  // namespace

Json plan_on_ranks(const RunConfig& config, int ranks) {
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
  const ModelledStep step = modelled_step(by, division, size_of(config.precision));
  const Shape own = {largest.own[1], largest.own[2], largest.own[0], config.shape.axes};
  const Memory memory = backend_memory(model, backend, largest.shape());
  return {{"ranks", ranks},
          {"backend", backend},
          {"stepping", by.stepping()},
          {"cuts", by.counts},
          {"block", own.extents()},
          {"halo", by.depth},
          {"steps_at_once", by.depth / division.reach},
          {"bytes", memory.host},
          {"device_bytes", memory.device},
          {"bytes_of_first", memory_of_first_rank(config)},
          {"halo_bytes", step.halo_bytes},
          {"exchange_share", step.exchange / step.seconds},
          {"efficiency", step.efficiency}};
}

void print_plan_on_ranks(const Json& plan) {
  const auto number = [&](const char* key) { return plan[key].get<double>(); };
  const auto stepping = plan["stepping"].get<int>();
  say("ranks:      {}{} step blocks of {} (cuts: {}), halos of {} cells, {} steps at once\n",
      plan["ranks"].get<int>() == stepping ? "" : fmt::format("{} of ", plan["ranks"].get<int>()),
      stepping, text_of(Shape::of(plan["block"].get<std::vector<std::int64_t>>())),
      fmt::join(plan["cuts"].get<std::vector<int>>(), " x "), plan["halo"].get<std::int64_t>(),
      plan["steps_at_once"].get<std::int64_t>());
  say("            {} a rank{}{}\n", size_text(number("bytes")),
      number("device_bytes") == 0
          ? ""
          : fmt::format(", {} on its GPU", size_text(number("device_bytes"))),
      number("bytes_of_first") == 0
          ? ""
          : fmt::format("; {} more on the first, which makes or reads fields whole",
                        size_text(number("bytes_of_first"))));
  say("            exchange: {} a rank and pass, {:.1f}% of a step; {:.0f}% of the speed of "
      "blocks without halos (a model: docs/scaling.md)\n",
      size_text(number("halo_bytes")), 100 * number("exchange_share"), 100 * number("efficiency"));
}

}  // namespace lapl
