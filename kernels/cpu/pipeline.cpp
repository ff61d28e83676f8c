#include "kernels/cpu/pipeline.hpp"

#include <algorithm>

namespace lapl {
namespace {

bool reads_beside(const Stage& stage, int array) {
  return std::ranges::any_of(stage.tree.operations, [&](const StageOperation& node) {
    return node.operation == Operation::value && node.index == array && node.at != Offset{};
  });
}

// A lag that is at least as large as both, for any number of rows in a plane.
StreamRows most(StreamRows a, StreamRows b) {
  return {std::max(a.planes, b.planes), std::max(a.rows, b.rows)};
}

}  // namespace

Pipeline::Pipeline(const std::vector<Stage>& stages, const std::vector<StageLayout>& layouts,
                   int fields, int coefficients, int arrays, int steps) {
  std::vector<int> newest(arrays, -1);  // current version of each array
  for (int field = 0; field < fields; ++field) {
    newest[field] = field;
    versions.push_back({.array = field});
  }
  for (int step = 0; step < steps; ++step)
    for (std::size_t s = 0; s < stages.size(); ++s) {
      Instance instance{.stage = static_cast<int>(s), .step = step, .sources = {}, .results = {}};
      for (const StageLayout::Line& line : layouts[s].lines) {
        const bool given =
            line.array < 0 || (line.array >= fields && line.array < fields + coefficients);
        instance.sources.push_back(given ? -1 : newest[line.array]);
        if (given) continue;
        const StreamRows lag = versions[newest[line.array]].lag;
        instance.lag = most(instance.lag, {lag.planes + line.plane, lag.rows + line.row});
      }
      for (const int target : stages[s].targets) {
        instance.results.push_back(static_cast<int>(versions.size()));
        versions.push_back({.array = target, .lag = instance.lag});
      }
      for (std::size_t i = 0; i < stages[s].targets.size(); ++i)
        newest[stages[s].targets[i]] = instance.results[i];
      last_lag = most(last_lag, instance.lag);
      instances.push_back(std::move(instance));
    }
  for (int field = 0; field < fields; ++field) versions[newest[field]].goes_out = true;

  for (auto instance = instances.rbegin(); instance != instances.rend(); ++instance) {
    for (const int result : instance->results)
      instance->reach = std::max(instance->reach, versions[result].reach);
    const Stage& stage = stages[instance->stage];
    for (std::size_t i = 0; i < instance->sources.size(); ++i) {
      if (instance->sources[i] < 0) continue;
      Version& source = versions[instance->sources[i]];
      source.reach =
          std::max(source.reach, instance->reach + (reads_beside(stage, source.array) ? 1 : 0));
      const StageLayout::Line& line = layouts[instance->stage].lines[i];
      source.rows =
          most(source.rows, {instance->lag.planes - line.plane - source.lag.planes,
                             instance->lag.rows - line.row - source.lag.rows + rows_at_once});
    }
  }
  for (Version& version : versions) {
    if (version.rows.rows == 0 && !version.goes_out) version.rows.rows = 1;
    rows = {rows.planes + version.rows.planes, rows.rows + version.rows.rows};
    halo = std::max(halo, version.reach);
  }
}

}  // namespace lapl
