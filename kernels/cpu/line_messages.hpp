// The memory of LineExchange (kernels/spectral/line_exchange.hpp) on a CPU.
#pragma once

#include <algorithm>

#include "kernels/machine/host_buffer.hpp"
#include "kernels/ranks/line_shares.hpp"

namespace lapl {

class LineMessages {
 public:
  template <class T>
  LineMessages(const Problem<T>& problem, int threads) : ranks_(problem.ranks), threads_(threads) {}

  void allocate(std::int64_t cells, std::int64_t /*modes*/) {
    for (HostBuffer<double>* buffer : {&slab_, &packed_})
      *buffer = HostBuffer<double>(cells, threads_);
  }
  double* slab() { return slab_.data(); }

  void copy(std::int64_t slab, std::int64_t pitch, std::int64_t packed, std::int64_t rows,
            std::int64_t columns, bool to_packed) {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      double* const in_slab = slab_.data() + slab + row * pitch;
      double* const message = packed_.data() + packed + row * columns;
      to_packed ? std::copy_n(in_slab, columns, message) : std::copy_n(message, columns, in_slab);
    }
  }
  void exchange(const LineShares& shares, double* lines, bool to_lines) {
    shares.exchange(*ranks_, packed_.data(), lines, to_lines);
  }

 private:
  Ranks* ranks_;
  int threads_;
  HostBuffer<double> slab_, packed_;
};

}  // namespace lapl
