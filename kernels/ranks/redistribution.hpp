// Moves values between the blocks that ranks step and the rows that they store and sum.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/ranks/decomposition.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

template <class T>
class Redistribution {
 public:
  /// `by` must outlive this object.
  Redistribution(const Decomposition& by, int rank) : by_(by), rank_(rank) {}

  /// Moves `fields` fields from the blocks that ranks step to the rows that they store: `own` has
  /// the cells of this rank's block, `rows` those of its rows (Decomposition::rows). to_blocks
  /// moves them back.
  void to_rows(Ranks& ranks, int fields, std::span<const T> own, std::span<T> rows) const {
    move(ranks, fields, own, &Piece::own, rows, &Piece::in_rows, true);
  }
  void to_blocks(Ranks& ranks, int fields, std::span<const T> rows, std::span<T> own) const {
    move(ranks, fields, rows, &Piece::in_rows, own, &Piece::own, false);
  }

 private:
  /// A row of a block: the index of its first cell among the block's own cells, the index of that
  /// cell among the rows that a rank stores, and the number of its cells.
  struct Piece {
    std::int64_t own, in_rows, count;
  };

  /// Calls use(piece) for every row of the block of rank of_part that is among the rows of rank
  /// of_rows.
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

  void move(Ranks& ranks, int fields, std::span<const T> from, std::int64_t Piece::*in_from,
            std::span<T> to, std::int64_t Piece::*in_to, bool to_rows) const {
    constexpr int tag = 5;
    const auto for_pieces_between = [&](int sender, int receiver, const auto& use) {
      for_pieces(to_rows ? sender : receiver, to_rows ? receiver : sender, fields, use);
    };
    std::vector<std::vector<T>> out(ranks.count()), in(out);
    std::vector<Ranks::Message> sent, received;
    const auto add = [](std::vector<Ranks::Message>& messages, int peer, std::vector<T>& values) {
      if (!values.empty())
        messages.push_back({peer, tag, std::as_writable_bytes(std::span(values))});
    };
    for (int peer = 0; peer < ranks.count(); ++peer) {
      for_pieces_between(rank_, peer, [&](const Piece& piece) {
        const auto first = from.begin() + piece.*in_from;
        out[peer].insert(out[peer].end(), first, first + piece.count);
      });
      std::int64_t size = 0;
      for_pieces_between(peer, rank_, [&](const Piece& piece) { size += piece.count; });
      in[peer].resize(size);
      add(sent, peer, out[peer]);
      add(received, peer, in[peer]);
    }
    ranks.exchange(sent, received);
    for (int peer = 0; peer < ranks.count(); ++peer) {
      const T* packed = in[peer].data();
      for_pieces_between(peer, rank_, [&](const Piece& piece) {
        std::copy_n(packed, piece.count, to.data() + piece.*in_to);
        packed += piece.count;
      });
    }
  }

  const Decomposition& by_;
  int rank_;
};

}  // namespace lapl
