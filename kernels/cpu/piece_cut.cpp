#include "kernels/cpu/piece_cut.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace lapl {
namespace {

std::int64_t whole_parts(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Three quarters of the level-two cache in bytes, or of 768 KiB if its size is unknown.
double cache_bytes() {
  const long known = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return 0.75 * static_cast<double>(known > 0 ? known : 768 << 10);
}

// The cost, in operations, of moving a value out of the level-two cache and back if the rings
// (pipeline.hpp) do not fit there: to the last-level cache, or beyond.
struct Spill {
  double to_last_cache, beyond;
};

// The numbers of cells of a piece along an axis: its own and those of its halo.
struct PieceAxis {
  double own = 1, halo = 0;

  PieceAxis(std::int64_t size, std::int64_t parts, bool endless, std::int64_t reach)
      : own(static_cast<double>(whole_parts(size, parts))),
        halo(static_cast<double>(reach * (endless ? 2 : std::min<std::int64_t>(parts - 1, 2)))) {}

  double all() const { return own + halo; }
  // cells computed in a step, on average: the halo shrinks with each step
  double computed() const { return own + halo / 2; }
};

struct Parts {
  std::int64_t planes = 1, rows = 1, columns = 1;
};

// The estimated time of a step, in operations on values in the cache. The figures were measured on
// AVX-512 and AVX2 processors and need only be about right.
double time_of_step(const CutTask& task, const Pipeline& plan, int steps, Parts parts,
                    const Spill& spill) {
  constexpr double move = 26;         // moving a value from memory and back, in operations
  constexpr double row_start = 4000;  // starting a row of a stage, in operations times value size
  constexpr double waiting = 0.1;     // fraction of time lost by waiting for the slowest thread
  const auto [endless_planes, endless_rows, endless_columns] = task.endless;
  const PieceAxis planes(task.shape.planes, parts.planes, endless_planes, plan.halo);
  const PieceAxis rows(task.shape.rows, parts.rows, endless_rows, plan.halo);
  const PieceAxis columns(task.shape.columns, parts.columns, endless_columns && parts.columns > 1,
                          plan.halo);
  const auto bytes = static_cast<double>(task.value_bytes);
  const double ring_rows =
      std::min(static_cast<double>(plan.rows.of(static_cast<std::int64_t>(rows.all()))),
               static_cast<double>(plan.versions.size()) * rows.all() * planes.all());
  const double made = (static_cast<double>(plan.versions.size()) - task.fields) / steps;
  const double ring_bytes = ring_rows * columns.all() * bytes;
  // Other programs use the last-level cache too, so only half of it is assumed.
  const bool in_last = ring_bytes * task.threads <= 0.5 * static_cast<double>(last_cache_bytes());
  const double spilled = ring_bytes <= cache_bytes() ? 0
                         : in_last                   ? spill.to_last_cache
                                                     : spill.beyond;
  const double of_cell = task.arithmetic + spilled * made;
  const double of_row = row_start / bytes * static_cast<double>(plan.instances.size()) / steps;
  const double computing =
      planes.computed() * rows.computed() * (of_cell * columns.computed() + of_row);
  const double moving = move * task.fields * planes.all() * rows.all() * columns.all() / steps;
  const double turns =
      static_cast<double>(whole_parts(parts.planes * parts.rows * parts.columns, task.threads));
  return (turns + (task.threads > 1 ? waiting : 0)) * (computing + moving);
}

Range part(std::int64_t size, std::int64_t index, std::int64_t parts) {
  return {size * index / parts, size * (index + 1) / parts};
}

// A part of the columns that begins at a cache line and, unless it is the last part, ends at one.
Range part_of_columns(std::int64_t size, std::int64_t index, std::int64_t parts,
                      std::int64_t line) {
  Range range = part(size, index, parts);
  range.first = range.first / line * line;
  if (index + 1 < parts) range.last = range.last / line * line;
  return range;
}

// Numbers from 1 to `most`: all small ones and some large ones.
std::vector<std::int64_t> numbers_up_to(std::int64_t most) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 1; i <= most; i += 1 + i / 12) numbers.push_back(i);
  return numbers;
}

PieceCut cut_into_pieces(const CutTask& task, const Spill& spill) {
  const Shape shape = task.shape;
  const std::int64_t line = 64 / task.value_bytes;
  const auto most_slabs = std::min<std::int64_t>(shape.planes, 2 * task.threads);
  double least = std::numeric_limits<double>::infinity();
  Parts best;
  PieceCut cut;
  for (int steps = 1; steps <= task.most_steps; ++steps) {
    const Pipeline& plan = task.pipeline(steps);
    for (const std::int64_t slabs : numbers_up_to(most_slabs))
      for (const std::int64_t bands : numbers_up_to(shape.rows))
        for (const std::int64_t strips : numbers_up_to(whole_parts(shape.columns, 4 * line))) {
          const Parts parts{slabs, bands, strips};
          const double time = time_of_step(task, plan, steps, parts, spill);
          if (time < least) least = time, best = parts, cut.steps = steps;
        }
  }
  for (std::int64_t i = 0; i < best.planes; ++i)
    for (std::int64_t j = 0; j < best.rows; ++j)
      for (std::int64_t k = 0; k < best.columns; ++k)
        cut.pieces.push_back({part(shape.planes, i, best.planes), part(shape.rows, j, best.rows),
                              part_of_columns(shape.columns, k, best.columns, line)});
  return cut;
}

}  // namespace

// A group of cores shares a last-level cache. sysfs has its size; sysconf adds up all groups on
// some processors.
std::int64_t last_cache_bytes() {
  static const std::int64_t bytes = [] {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
    std::int64_t kibibytes = 0;
    if (file >> kibibytes && kibibytes > 0) return kibibytes << 10;
    const long known = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    return known > 0 ? std::int64_t{known} : std::int64_t{32} << 20;
  }();
  return bytes;
}

std::vector<PieceCut> cuts_to_try(const CutTask& task) {
  constexpr Spill slow{10, 10}, fast{1, 10};
  std::vector<PieceCut> cuts = {cut_into_pieces(task, slow), cut_into_pieces(task, fast)};
  if (cuts[0] == cuts[1]) cuts.pop_back();
  return cuts;
}

}  // namespace lapl
