// Moves values between slabs and lines (kernels/ranks/line_shares.hpp), on a CPU or a GPU.
#pragma once

#include "kernels/ranks/line_shares.hpp"

namespace lapl {

/// `Messages` has the memory and the copies:
///   allocate(cells, modes)   room for the slab and for messages of as many values
///   slab()                   the values of the slab
///   copy(slab, pitch, packed, rows, columns, to_packed)
///                            copies rows between the slab, whose rows lie `pitch` values apart,
///                            and messages, where they are contiguous; from these indices on
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

  /// The values of the slab that belong to `lines`: these themselves if there is only one rank.
  double* slab(double* lines) { return is_divided() ? messages_.slab() : lines; }

  /// On a device, enqueue the exchange.
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
  // Copies between the slab and messages, which keep the lines of one rank after the other.
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
