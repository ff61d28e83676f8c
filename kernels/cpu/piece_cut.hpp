// How a grid is cut into pieces for a pass of a pipeline.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/cpu/pipeline.hpp"

namespace lapl {

/// Indices along an axis, the last one not among them.
struct Range {
  std::int64_t first = 0, last = 0;

  std::int64_t size() const { return last - first; }
  bool holds(std::int64_t index) const { return index >= first && index < last; }
  bool operator==(const Range&) const = default;

  /// The range and the indices within `reach` of it, as far as an axis of `size` cells has them.
  Range grown(std::int64_t reach, std::int64_t size, bool endless) const {
    const Range all{first - reach, last + reach};
    return endless ? all : Range{std::max<std::int64_t>(all.first, 0), std::min(all.last, size)};
  }
};

/// Part of the grid.
struct Piece {
  Range planes, rows, columns;
  bool operator==(const Piece&) const = default;
};

/// Steps in a pass, and pieces.
struct PieceCut {
  int steps = 1;
  std::vector<Piece> pieces;
  bool operator==(const PieceCut&) const = default;
};

/// What a cut depends on; results of a run do not depend on the cut.
struct CutTask {
  Shape shape;
  std::array<bool, 3> endless = {};  ///< planes, rows, columns: periodic
  int fields = 1;
  int arithmetic = 0;  ///< operations a cell and step
  std::int64_t value_bytes = 4;
  int threads = 1;
  int most_steps = 1;
  std::function<const Pipeline&(int steps)> pipeline;
};

/// Of the last cache; that of a usual processor where this one's is not known.
std::int64_t last_cache_bytes();

/// The cut that takes least time where what does not fit the level-two cache is slow, and, where it
/// is another, the one where it is not: which of these a machine is, only a trial tells.
std::vector<PieceCut> cuts_to_try(const CutTask& task);

}  // namespace lapl
