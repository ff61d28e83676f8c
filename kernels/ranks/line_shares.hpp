// The shares of values that ranks have in the slabs that they step and in the lines along the
// slowest axis. So each transform finds its lines whole, and bits do not depend on the ranks.
//
//   slab    own slices x all lines     transforms along the other axes
//   lines   all slices x own lines     transforms along the slowest axis, and modes
#pragma once

#include <span>
#include <vector>

#include "kernels/problem.hpp"

namespace lapl {

class LineShares {
 public:
  template <class T>
  explicit LineShares(const Problem<T>& problem)
      : by_(problem.by.value_or(Decomposition{problem.shape})),
        rank_(by_.stepping() > 1 ? problem.ranks->rank() : 0),
        lines_(by_.lines(rank_)) {
    const std::int64_t slices = own().own[slowest()];
    for (int rank = 0; rank < by_.stepping(); ++rank) {
      const Part there = by_.part(rank);
      const LineRange lines = by_.lines(rank);
      shares_.push_back({.lines = lines,
                         .in_slab = {slices * lines.first, slices * lines.count},
                         .in_lines = {there.first[slowest()] * lines_.count,
                                      there.own[slowest()] * lines_.count}});
    }
  }

  Shape grid() const { return by_.grid; }
  int slowest() const { return 3 - by_.grid.axes; }
  bool is_divided() const { return by_.stepping() > 1; }
  /// The cells of the slab, without halos.
  Part own() const {
    Part part = by_.part(rank_);
    part.before = part.after = {};
    return part;
  }
  std::int64_t own_cells() const { return own().cells(); }
  /// Lines along the slowest axis, in the grid and of this rank.
  std::int64_t all_lines() const { return by_.grid.cells() / by_axis(by_.grid)[slowest()]; }
  LineRange lines() const { return lines_; }
  std::int64_t modes() const { return by_axis(by_.grid)[slowest()] * lines_.count; }

  /// Values that this rank exchanges with one that steps.
  struct Share {
    struct Range {
      std::int64_t first, count;
    };
    LineRange lines;  ///< of that rank
    /// these lines of the own slab, slice by slice, behind those of the ranks before
    Range in_slab;
    Range in_lines;  ///< slices of that rank's slab in the own lines
  };
  /// The shares of all ranks that step, in order.
  const std::vector<Share>& shares() const { return shares_; }

  /// Exchanges values in host memory: those of the slab, in order of the shares, and of the lines.
  void exchange(Ranks& ranks, double* packed, double* lines, bool to_lines) const {
    constexpr int tag = 7;
    const auto message = [](int rank, double* first, std::int64_t count) {
      return Ranks::Message{
          rank, tag, std::as_writable_bytes(std::span(first, static_cast<std::size_t>(count)))};
    };
    std::vector<Ranks::Message> of_slab, of_lines;
    for (int rank = 0; const auto& [there, in_slab, in_lines] : shares_) {
      of_slab.push_back(message(rank, packed + in_slab.first, in_slab.count));
      of_lines.push_back(message(rank++, lines + in_lines.first, in_lines.count));
    }
    to_lines ? ranks.exchange(of_slab, of_lines) : ranks.exchange(of_lines, of_slab);
  }

 private:
  Decomposition by_;
  int rank_;
  LineRange lines_;
  std::vector<Share> shares_;
};

}  // namespace lapl
