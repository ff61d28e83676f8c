#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/cpu/pipeline.hpp"

namespace lapl {

/// The indices [first, last) along an axis.
struct Range {
  std::int64_t first = 0, last = 0;

  std::int64_t size() const { return last - first; }
  bool has(std::int64_t index) const { return index >= first && index < last; }
  bool operator==(const Range&) const = default;

  /// The range with `reach` more indices on either side, clipped to the axis unless the axis is
  /// periodic.
  Range grown(std::int64_t reach, std::int64_t size, bool endless) const {
    const Range all{first - reach, last + reach};
    return endless ? all : Range{std::max<std::int64_t>(all.first, 0), std::min(all.last, size)};
  }
};

struct Piece {
  Range planes, rows, columns;
  bool operator==(const Piece&) const = default;
};

/// A division of the grid into pieces, and the number of steps that a pass computes of each.
struct PieceCut {
  int steps = 1;
  std::vector<Piece> pieces;
  bool operator==(const PieceCut&) const = default;
};

/// Everything that a cut depends on. The results of a run do not depend on its cut.
struct CutTask {
  Shape shape;
  std::array<bool, 3> endless = {};  ///< periodic axes: planes, rows, columns
  int fields = 1;
  int arithmetic = 0;  ///< operations per cell and step
  std::int64_t value_bytes = 4;
  int threads = 1;
  int most_steps = 1;
  std::function<const Pipeline&(int steps)> pipeline;
};

/// The size of the last-level cache in bytes; 32 MiB if it is unknown.
std::int64_t last_cache_bytes();

/// The fastest cut for a slow last-level cache and, if it differs, the fastest for a fast one. Only
/// a trial can tell which of the two a machine has.
std::vector<PieceCut> cuts_to_try(const CutTask& task);

}  // namespace lapl
