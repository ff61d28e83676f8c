// Moves values between the slabs that ranks step and the lines along the slowest axis, which the
// same ranks share. So each transform finds its lines whole, and bits do not depend on the ranks.
//
//   slab    own slices x all lines     transforms along the other axes
//   lines   all slices x own lines     transforms along the slowest axis, and modes
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/machine/host_buffer.hpp"
#include "kernels/problem.hpp"

namespace lapl {

class LineExchange {
 public:
  template <class T>
  LineExchange(const Problem<T>& problem, int threads)
      : by_(problem.by.value_or(Decomposition{problem.shape})),
        ranks_(problem.ranks),
        rank_(is_divided() ? ranks_->rank() : 0),
        slices_(slices_of(rank_)),
        lines_(by_.lines(rank_)),
        all_lines_(by_.grid.cells() / by_axis(by_.grid)[slowest()]),
        threads_(threads) {
    if (!is_divided()) return;
    for (HostBuffer<double>* buffer : {&slab_, &packed_})
      *buffer = HostBuffer<double>(own_cells(), threads);
  }

  Shape grid() const { return by_.grid; }
  int slowest() const { return 3 - by_.grid.axes; }
  LineRange lines() const { return lines_; }
  std::int64_t own_cells() const { return slices_.count * all_lines_; }
  std::int64_t modes() const { return by_axis(by_.grid)[slowest()] * lines_.count; }

  /// The values of the slab that belong to `lines`: these themselves if there is only one rank.
  double* slab(double* lines) { return is_divided() ? slab_.data() : lines; }

  void to_lines(double* lines) {
    if (!is_divided()) return;
    copy_packed([](double* in_slab, double* packed, std::int64_t count) {
      std::copy_n(in_slab, count, packed);
    });
    exchange(lines, true);
  }
  void to_slab(double* lines) {
    if (!is_divided()) return;
    exchange(lines, false);
    copy_packed([](double* in_slab, const double* packed, std::int64_t count) {
      std::copy_n(packed, count, in_slab);
    });
  }

 private:
  struct Slices {
    std::int64_t first, count;
  };

  bool is_divided() const { return by_.stepping() > 1; }
  Slices slices_of(int rank) const {
    const Part part = by_.part(rank);
    return {part.first[slowest()], part.own[slowest()]};
  }

  // Copies between the slab and messages, which hold the lines of one rank after the other.
  template <class Copy>
  void copy_packed(const Copy& copy) {
    for (int rank = 0; rank < by_.stepping(); ++rank) {
      const LineRange of_rank = by_.lines(rank);
      double* const packed = packed_.data() + slices_.count * of_rank.first;
#pragma omp parallel for num_threads(threads_) schedule(static)
      for (std::int64_t slice = 0; slice < slices_.count; ++slice)
        copy(slab_.data() + slice * all_lines_ + of_rank.first, packed + slice * of_rank.count,
             of_rank.count);
    }
  }

  void exchange(double* lines, bool to_lines) {
    constexpr int tag = 7;
    const auto message = [](int rank, double* first, std::int64_t count) {
      return Ranks::Message{
          rank, tag, std::as_writable_bytes(std::span(first, static_cast<std::size_t>(count)))};
    };
    std::vector<Ranks::Message> of_slab, of_lines;
    for (int rank = 0; rank < by_.stepping(); ++rank) {
      const LineRange there = by_.lines(rank);
      const Slices slices = slices_of(rank);
      of_slab.push_back(
          message(rank, packed_.data() + slices_.count * there.first, slices_.count * there.count));
      of_lines.push_back(
          message(rank, lines + slices.first * lines_.count, slices.count * lines_.count));
    }
    to_lines ? ranks_->exchange(of_slab, of_lines) : ranks_->exchange(of_lines, of_slab);
  }

  Decomposition by_;
  Ranks* ranks_;
  int rank_;
  Slices slices_;  // along the slowest axis
  LineRange lines_;
  std::int64_t all_lines_;
  int threads_;
  HostBuffer<double> slab_, packed_;
};

}  // namespace lapl
