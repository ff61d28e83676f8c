#include "kernels/ranks/decomposition.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace lapl {
namespace {

std::int64_t cut_at(std::int64_t size, std::int64_t parts, std::int64_t part, bool pairs) {
  const std::int64_t at = size * part / parts;
  return pairs && part < parts ? at / 2 * 2 : at;
}

std::array<int, 3> rank_place(const std::array<int, 3>& counts, int rank) {
  return {rank / counts[2] / counts[1], rank / counts[2] % counts[1], rank % counts[2]};
}

std::array<std::int64_t, 3> least_block(const Decomposition& by) {
  std::array<std::int64_t, 3> least = by_axis(by.grid);
  // No block is smaller than the first.
  for (std::size_t axis = 0; axis < 3; ++axis)
    least[axis] = cut_at(least[axis], by.counts[axis], 1, by.pairs);
  return least;
}

// The next number of steps between exchanges to try: powers of two up to a pass, then whole passes.
std::int64_t next_steps(std::int64_t steps, const Division& division) {
  const std::int64_t pass = division.steps_of_pass;
  return steps < pass ? std::min(2 * steps, pass) : steps + pass;
}

// The decomposition into `counts` blocks along each axis, with the depth of halos for which a step
// takes the least time; none if blocks would be too small.
std::optional<Decomposition> with_counts(const Division& division, std::array<int, 3> counts) {
  Decomposition by{division.grid, division.endless, division.ranks, counts};
  by.pairs = division.pairs;
  std::int64_t most = division.steps_of_pass * division.most_passes;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (by.is_cut(axis)) {
      most = std::min(most, least_block(by)[axis] / division.reach);
      if (least_block(by)[axis] < division.least_depth) return std::nullopt;
    }
  if (most == 0) return std::nullopt;
  double least = std::numeric_limits<double>::infinity();
  Decomposition best = by;
  for (std::int64_t steps = 1; by.stepping() > 1 && steps <= most;
       steps = next_steps(steps, division)) {
    by.depth = std::max(steps * division.reach, division.least_depth);
    if (const double seconds = modelled_step(by, division).seconds; seconds < least)
      least = seconds, best = by;
  }
  return best;
}

std::optional<Decomposition> best_decomposition(const Division& division, int ranks) {
  const std::size_t slowest = 3 - static_cast<std::size_t>(division.grid.axes);
  std::optional<Decomposition> best;
  double least = std::numeric_limits<double>::infinity();
  for (int planes = 1; planes <= ranks; ++planes)
    for (int rows = 1; rows <= ranks / planes; ++rows) {
      if (ranks % planes != 0 || ranks / planes % rows != 0) continue;
      const auto found = with_counts(division, {planes, rows, ranks / planes / rows});
      if (!found || (division.pairs && !found->is_rows())) continue;
      const bool slabs = found->counts[slowest] == ranks;
      const double seconds = modelled_step(*found, division).seconds * (slabs ? 0.95 : 1);
      if (seconds < least) least = seconds, best = found;
    }
  return best;
}

}  // namespace

Part Decomposition::part(int rank) const {
  Part part{.whole = grid, .own = {}, .endless = endless};
  if (rank >= stepping()) return part;
  const std::array<int, 3> place = rank_place(counts, rank);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t size = by_axis(grid)[axis];
    std::array<int, 3> before = {}, after = {};
    before[axis] = -1, after[axis] = 1;
    part.first[axis] = cut_at(size, counts[axis], place[axis], pairs);
    part.own[axis] = cut_at(size, counts[axis], place[axis] + 1, pairs) - part.first[axis];
    if (neighbour(rank, before) >= 0) part.before[axis] = depth;
    if (neighbour(rank, after) >= 0) part.after[axis] = depth;
  }
  return part;
}

int Decomposition::neighbour(int rank, const std::array<int, 3>& towards) const {
  if (rank >= stepping() || towards == std::array<int, 3>{}) return -1;
  std::array<int, 3> place = rank_place(counts, rank);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (towards[axis] == 0) continue;
    const int along = place[axis] + towards[axis], count = counts[axis];
    const bool beyond = along < 0 || along >= count;
    if (count == 1 || (beyond && !endless[axis])) return -1;
    place[axis] = (along + count) % count;
  }
  return (place[0] * counts[1] + place[1]) * counts[2] + place[2];
}

RowRange Decomposition::rows(int rank) const {
  if (is_rows()) {
    const Part own = part(rank);
    return own.is_empty() ? RowRange{} : RowRange{own.in_grid(0) / grid.columns, own.rows()};
  }
  const std::int64_t all = grid.planes * grid.rows;
  const auto start = [&](std::int64_t of) { return (all * of + ranks - 1) / ranks; };
  return {start(rank), start(rank + 1) - start(rank)};
}

LineRange Decomposition::lines(int rank) const {
  if (rank >= stepping()) return {};
  const std::int64_t all = grid.cells() / by_axis(grid)[3 - static_cast<std::size_t>(grid.axes)];
  const std::int64_t first = cut_at(all, stepping(), rank, pairs);
  return {first, cut_at(all, stepping(), rank + 1, pairs) - first};
}

ModelledStep modelled_step(const Decomposition& by, const Division& division,
                           std::size_t value_bytes) {
  std::array<double, 3> own{}, block{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t size = by_axis(by.grid)[axis], parts = by.counts[axis];
    own[axis] = static_cast<double>((size + parts - 1) / parts);
    const int neighbours = parts == 1 ? 0 : parts > 2 || by.endless[axis] ? 2 : 1;
    block[axis] = own[axis] + static_cast<double>(neighbours * by.depth);
  }
  const RankCosts& costs = division.costs;
  const double cells = block[0] * block[1] * block[2];
  ModelledStep model;
  double exchange = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!by.is_cut(axis)) continue;
    const double bytes =
        cells / block[axis] * (block[axis] - own[axis]) * static_cast<double>(value_bytes);
    model.halo_bytes += bytes;
    exchange += bytes * costs.byte * costs.packing[axis] + 2 * costs.message;
  }
  const auto reach = static_cast<double>(division.reach);
  const double steps = std::max(1.0, static_cast<double>(by.depth) / reach);
  const auto pass = static_cast<double>(division.steps_of_pass);
  const auto computing_seconds = [&](double number, double at_once) {
    return number * (costs.cell + costs.traffic / at_once);
  };
  model.exchange = exchange / steps;
  model.seconds = computing_seconds(cells, std::min(steps, pass)) + model.exchange;
  model.efficiency = computing_seconds(own[0] * own[1] * own[2], pass) / model.seconds;
  return model;
}

Decomposition decompose(const Division& division) {
  for (int ranks = division.ranks; ranks > 1; --ranks)
    if (const auto found = best_decomposition(division, ranks)) return *found;
  return {division.grid, division.endless, division.ranks};
}

}  // namespace lapl
