// From the blocks that ranks step to the rows that they hand out, and back.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/ranks/decomposition.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

template <class T>
class Redistribution {
 public:
  /// `by` must outlive it.
  Redistribution(const Decomposition& by, int rank) : by_(by), rank_(rank) {}

  /// `own`: the cells of this rank's part, `rows`: those of its rows; `fields` of either.
  void to_rows(Ranks& ranks, int fields, std::span<const T> own, std::span<T> rows) {
    move(
        ranks, fields,
        [&](const Piece& piece, T* packed) {
          std::copy_n(own.data() + piece.own, piece.count, packed);
        },
        [&](const Piece& piece, const T* packed) {
          std::copy_n(packed, piece.count, rows.data() + piece.in_rows);
        },
        true);
  }
  void to_blocks(Ranks& ranks, int fields, std::span<const T> rows, std::span<T> own) {
    move(
        ranks, fields,
        [&](const Piece& piece, T* packed) {
          std::copy_n(rows.data() + piece.in_rows, piece.count, packed);
        },
        [&](const Piece& piece, const T* packed) {
          std::copy_n(packed, piece.count, own.data() + piece.own);
        },
        false);
  }

 private:
  /// A row of a block: where it is among the cells of its part, and among rows handed out.
  struct Piece {
    std::int64_t own, in_rows, count;
  };

  /// Calls use(piece) for what lies in the part of one rank and in the rows of another.
  template <class Use>
  void for_pieces(int of_part, int of_rows, int fields, const Use& use) const {
    const Part part = by_.part(of_part);
    if (part.is_empty()) return;
    const RowRange rows = by_.rows(of_rows);
    const std::int64_t columns = by_.grid.columns;
    for (int field = 0; field < fields; ++field)
      for (std::int64_t row = 0; row < part.rows(); ++row) {
        const std::int64_t at = part.in_grid(row), in_rows = at / columns - rows.first;
        if (in_rows >= 0 && in_rows < rows.count)
          use({field * part.cells() + row * part.own[2],
               (field * rows.count + in_rows) * columns + at % columns, part.own[2]});
      }
  }

  template <class Pack, class Unpack>
  void move(Ranks& ranks, int fields, const Pack& pack, const Unpack& unpack, bool to_rows) const {
    constexpr int tag = 5;
    const int count = ranks.count();
    std::vector<std::vector<T>> out(count), in(count);
    std::vector<Ranks::Message> sent, received;
    const auto size_of_pieces = [&](int part, int rows) {
      std::int64_t size = 0;
      for_pieces(part, rows, fields, [&](const Piece& piece) { size += piece.count; });
      return size;
    };
    const auto add = [](std::vector<Ranks::Message>& messages, int peer, std::vector<T>& values) {
      if (!values.empty())
        messages.push_back({peer, tag, std::as_writable_bytes(std::span(values))});
    };
    for (int peer = 0; peer < count; ++peer) {
      const int part_out = to_rows ? rank_ : peer, rows_out = to_rows ? peer : rank_;
      out[peer].resize(size_of_pieces(part_out, rows_out));
      T* packed = out[peer].data();
      for_pieces(part_out, rows_out, fields, [&](const Piece& piece) {
        pack(piece, packed);
        packed += piece.count;
      });
      in[peer].resize(size_of_pieces(to_rows ? peer : rank_, to_rows ? rank_ : peer));
      add(sent, peer, out[peer]);
      add(received, peer, in[peer]);
    }
    ranks.exchange(sent, received);
    for (int peer = 0; peer < count; ++peer) {
      const T* packed = in[peer].data();
      for_pieces(to_rows ? peer : rank_, to_rows ? rank_ : peer, fields, [&](const Piece& piece) {
        unpack(piece, packed);
        packed += piece.count;
      });
    }
  }

  const Decomposition& by_;
  int rank_;
};

}  // namespace lapl
