// Fills the halo of a block with what its neighbours hold there: axis by axis, each with what came
// along those before, so that edges and corners are right without messages of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/ranks/decomposition.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

template <class T>
class Halo {
 public:
  /// `by` must outlive it.
  Halo(const Decomposition& by, int rank, int fields)
      : by_(by), rank_(rank), fields_(fields), part_(by.part(rank)) {}

  /// `values`: a block of every field, in host memory.
  void fill(Ranks& ranks, T* values) {
    if (part_.is_empty()) return;
    std::array<bool, 3> filled = {};
    for (const std::size_t axis : {2, 1, 0}) {
      if (!by_.is_cut(axis)) continue;
      std::vector<Ranks::Message> sent, received;
      std::vector<Packed> unpacked;
      for (const bool last : {false, true}) {
        const int peer = by_.neighbour(rank_, axis, last);
        if (peer < 0) continue;
        // What goes to a neighbour before this block arrives there behind it.
        constexpr int to_first = 2, to_last = 3;
        const Box own = box(axis, filled, last, true), halo = box(axis, filled, last, false);
        pack(own, values);
        sent.push_back({peer, last ? to_last : to_first, bytes_of(packed_.back().values)});
        unpacked.push_back({halo, std::vector<T>(fields_ * halo.cells())});
        received.push_back({peer, last ? to_first : to_last, bytes_of(unpacked.back().values)});
      }
      ranks.exchange(sent, received);
      for (const Packed& halo : unpacked) unpack(halo, values);
      packed_.clear();
      filled[axis] = true;
    }
  }

 private:
  /// Cells of the block, from the first on.
  struct Box {
    std::array<std::int64_t, 3> first, count;
    std::int64_t cells() const { return count[0] * count[1] * count[2]; }
  };
  struct Packed {
    Box box;
    std::vector<T> values;
  };

  static std::span<std::byte> bytes_of(std::vector<T>& values) {
    return std::as_writable_bytes(std::span(values));
  }

  /// The own cells that go to the neighbour, or the cells that come from it.
  Box box(std::size_t axis, const std::array<bool, 3>& filled, bool last, bool own) const {
    Box box;
    for (std::size_t other = 0; other < 3; ++other) {
      box.first[other] = filled[other] ? 0 : part_.before[other];
      box.count[other] = filled[other] ? by_axis(part_.shape())[other] : part_.own[other];
    }
    const std::int64_t end = part_.before[axis] + part_.own[axis];
    box.count[axis] = by_.depth;
    box.first[axis] = own ? (last ? end - by_.depth : part_.before[axis]) : (last ? end : 0);
    return box;
  }

  template <class Use>
  void for_rows(const Box& box, const Use& use) const {
    const Shape shape = part_.shape();
    std::int64_t packed = 0;
    for (int field = 0; field < fields_; ++field)
      for (std::int64_t plane = 0; plane < box.count[0]; ++plane)
        for (std::int64_t row = 0; row < box.count[1]; ++row) {
          const Cell first{box.first[1] + row, box.first[2], box.first[0] + plane};
          use(field * shape.cells() + index_of(shape, first), packed);
          packed += box.count[2];
        }
  }

  void pack(const Box& box, const T* values) {
    packed_.push_back({box, std::vector<T>(fields_ * box.cells())});
    T* const to = packed_.back().values.data();
    for_rows(box, [&](std::int64_t index, std::int64_t packed) {
      std::copy_n(values + index, box.count[2], to + packed);
    });
  }
  void unpack(const Packed& from, T* values) const {
    for_rows(from.box, [&](std::int64_t index, std::int64_t packed) {
      std::copy_n(from.values.data() + packed, from.box.count[2], values + index);
    });
  }

  const Decomposition& by_;
  int rank_, fields_;
  Part part_;
  std::vector<Packed> packed_;
};

}  // namespace lapl
