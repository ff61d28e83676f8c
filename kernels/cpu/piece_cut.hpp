#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/cpu/pipeline.hpp"

namespace lapl {

/// Indices along an axis, from `first` to before `last`.
struct Range {
  std::int64_t first = 0, last = 0;

  std::int64_t size() const { return last - first; }
  bool holds(std::int64_t index) const { return index >= first && index < last; }
  bool operator==(const Range&) const = default;

  /// The range with `reach` indices more on either side, clipped to the axis unless that is
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

/// A cut of the grid for a pass of a pipeline: the steps of the pass, and the pieces.
struct PieceCut {
  int steps = 1;
  std::vector<Piece> pieces;
  bool operator==(const PieceCut&) const = default;
};

/// Everything that a cut depends on. The results of a run do not depend on its cut.
struct CutTask {
  Shape shape;
  std::array<bool, 3> endless = {};  ///< periodic; planes, rows, columns
  int fields = 1;
  int arithmetic = 0;  ///< operations a cell and step
  std::int64_t value_bytes = 4;
  int threads = 1;
  int most_steps = 1;
  std::function<const Pipeline&(int steps)> pipeline;
};

/// The size of the last-level cache, or of a usual one if it is not known.
std::int64_t last_cache_bytes();

/// The fastest cut if memory beyond the level-two cache is slow and, if it differs, the fastest cut
/// if it is not. Only a trial can tell which holds on a machine.
std::vector<PieceCut> cuts_to_try(const CutTask& task);

}  // namespace lapl
