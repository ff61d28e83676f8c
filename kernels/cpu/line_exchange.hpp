// Moves values between slabs and lines (kernels/ranks/line_shares.hpp) by messages.
#pragma once

#include <algorithm>

#include "kernels/machine/host_buffer.hpp"
#include "kernels/ranks/line_shares.hpp"

namespace lapl {

class LineExchange : public LineShares {
 public:
  template <class T>
  LineExchange(const Problem<T>& problem, int threads)
      : LineShares(problem), ranks_(problem.ranks), threads_(threads) {
    if (!is_divided()) return;
    for (HostBuffer<double>* buffer : {&slab_, &packed_})
      *buffer = HostBuffer<double>(own_cells(), threads);
  }

  /// The values of the slab that belong to `lines`: these themselves if there is only one rank.
  double* slab(double* lines) { return is_divided() ? slab_.data() : lines; }

  void to_lines(double* lines) {
    if (!is_divided()) return;
    copy_packed([](double* in_slab, double* packed, std::int64_t count) {
      std::copy_n(in_slab, count, packed);
    });
    exchange(*ranks_, packed_.data(), lines, true);
  }
  void to_slab(double* lines) {
    if (!is_divided()) return;
    exchange(*ranks_, packed_.data(), lines, false);
    copy_packed([](double* in_slab, const double* packed, std::int64_t count) {
      std::copy_n(packed, count, in_slab);
    });
  }

 private:
  // Copies between the slab and messages, which hold the lines of one rank after the other.
  template <class Copy>
  void copy_packed(const Copy& copy) {
    const std::int64_t slices = own().own[slowest()];
    for (const Share& share : shares()) {
      double* const packed = packed_.data() + share.in_slab.first;
#pragma omp parallel for num_threads(threads_) schedule(static)
      for (std::int64_t slice = 0; slice < slices; ++slice)
        copy(slab_.data() + slice * all_lines() + share.lines.first,
             packed + slice * share.lines.count, share.lines.count);
    }
  }

  Ranks* ranks_;
  int threads_;
  HostBuffer<double> slab_, packed_;
};

}  // namespace lapl
