// Moves values between the slabs of slices that ranks step and lines along the slowest axis, which
// are also divided among ranks. So each transform has its whole lines, and bits do not depend on
// the number of ranks.
//
//   slab    own slices x all lines     transforms along the other axes
//   lines   all slices x own lines     transforms along the slowest axis, and modes
#pragma once

#include <span>
#include <utility>
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
  /// This rank's slab, without halos.
  Part own() const {
    Part part = by_.part(rank_);
    part.before = part.after = {};
    return part;
  }
  std::int64_t own_cells() const { return own().cells(); }
  /// The number of lines along the slowest axis in the grid; then the lines of this rank.
  std::int64_t all_lines() const { return by_.grid.cells() / by_axis(by_.grid)[slowest()]; }
  LineRange lines() const { return lines_; }
  std::int64_t modes() const { return by_axis(by_.grid)[slowest()] * lines_.count; }

  /// The values that this rank exchanges with one of the ranks that step.
  struct Share {
    struct Range {
      std::int64_t first, count;
    };
    LineRange lines;  ///< of that rank
    /// where the messages of the slab have these lines, slice by slice, behind those of lower ranks
    Range in_slab;
    Range in_lines;  ///< where the own lines have the slices of that rank's slab
  };
  /// The shares of all ranks that step, in order.
  const std::vector<Share>& shares() const { return shares_; }

  /// The messages of an exchange: those of the slab, whose values lie in `packed` in the order of
  /// the shares, and those of `lines`. make(rank, first, count) makes a message of `count` values.
  template <class Make>
  auto messages(double* packed, double* lines, const Make& make) const {
    std::vector<decltype(make(0, packed, 0))> of_slab, of_lines;
    for (int rank = 0; const auto& [there, in_slab, in_lines] : shares_) {
      of_slab.push_back(make(rank, packed + in_slab.first, in_slab.count));
      of_lines.push_back(make(rank++, lines + in_lines.first, in_lines.count));
    }
    return std::pair(std::move(of_slab), std::move(of_lines));
  }
  /// Exchanges values in host memory.
  void exchange(Ranks& ranks, double* packed, double* lines, bool to_lines) const {
    const auto [of_slab, of_lines] =
        messages(packed, lines, [](int rank, double* first, std::int64_t count) {
          constexpr int tag = 7;
          const std::span values(first, static_cast<std::size_t>(count));
          return Ranks::Message{rank, tag, std::as_writable_bytes(values)};
        });
    to_lines ? ranks.exchange(of_slab, of_lines) : ranks.exchange(of_lines, of_slab);
  }

 private:
  Decomposition by_;
  int rank_;
  LineRange lines_;
  std::vector<Share> shares_;
};

/// Moves values between slabs and lines. `Messages` has the memory and the copies:
///   allocate(cells, modes)   makes room for the slab, and for messages of as many values
///   slab()                   the values of the slab
///   copy(slab, pitch, packed, rows, columns, to_packed)
///                            copies rows between the slab, from index `slab` on, whose rows lie
///                            `pitch` values apart, and messages, from index `packed` on, whose
///                            rows are contiguous
///   exchange(shares, lines, to_lines)
///                            sends and receives the messages
template <class Messages>
class LineExchange : public LineShares {
 public:
  template <class T, class Where>
  LineExchange(const Problem<T>& problem, Where where)
      : LineShares(problem), messages_(problem, where) {
    if (is_divided()) messages_.allocate(own_cells(), modes());
  }

  /// The memory of the slab; that of `lines` if there is only one rank, which needs no exchange.
  double* slab(double* lines) { return is_divided() ? messages_.slab() : lines; }

  /// Moves values from slab() to `lines`, or back. On a device, the exchange is only enqueued.
  void to_lines(double* lines) {
    if (!is_divided()) return;
    copy_packed(true);
    messages_.exchange(*this, lines, true);
  }
  void to_slab(double* lines) {
    if (!is_divided()) return;
    messages_.exchange(*this, lines, false);
    copy_packed(false);
  }

 private:
  // Copies between the slab and the messages, in which the lines of one rank follow another's.
  void copy_packed(bool to_packed) {
    const std::int64_t slices = own().own[slowest()];
    for (const Share& share : shares())
      if (share.in_slab.count > 0)
        messages_.copy(share.lines.first, all_lines(), share.in_slab.first, slices,
                       share.lines.count, to_packed);
  }

  Messages messages_;
};

}  // namespace lapl
