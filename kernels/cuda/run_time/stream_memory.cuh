// How rows of a strip go between device memory and shared memory, and from warp to warp
// (kernels/cuda/run_time/stream.cuh).
#pragma once

#include "kernels/cuda/run_time/stream_row.cuh"

namespace lapl {

template <class P, int slots>
struct SlotsInMemory {
  Cells<typename P::T> cells[slots][P::sizes.chunks][P::sizes.pitch()];
};
template <class P>
using RowInMemory = SlotsInMemory<P, P::sizes.slots>;
template <class P>
struct Shared {
  static constexpr int rows = StreamSizes::turn_rows;
  SlotsInMemory<P, P::sizes.loaded()> loaded[P::sizes.turns_ahead() + 1][rows];
  // of each link in turn, rows of each slot of its ring
  Cells<typename P::T>
      handed[P::sizes.passed() * P::sizes.ring() * rows * P::sizes.chunks * P::sizes.pitch()];
};

/// The rows that a warp hands on to the next, in each slot of their ring.
template <class P>
__device__ __forceinline__ auto handed_rows(Shared<P>& shared, int warp) {
  constexpr int ring = P::sizes.ring(), rows = StreamSizes::turn_rows;
  return reinterpret_cast<RowInMemory<P>(*)[ring][rows]>(shared.handed)[warp];
}
/// The same where warps share a step.
template <class P, int warp>
__device__ __forceinline__ auto rows_handed_by(Shared<P>& shared) {
  constexpr int leaving = P::template Level<(warp + 1) * P::sizes.levels % P::stages>::in;
  using TurnRows = SlotsInMemory<P, leaving>[StreamSizes::turn_rows];
  if constexpr (warp == 0)
    return reinterpret_cast<TurnRows*>(shared.handed);
  else
    return reinterpret_cast<TurnRows*>(rows_handed_by<P, warp - 1>(shared) + P::sizes.ring());
}

template <class P>
struct Segment {
  Index<P> first_column, keep_begin, keep_end;  // first column of lane 0; columns to write
  Index<P> first_row, last_row;                 // rows to write
};
template <class P>
__device__ __forceinline__ Segment<P> make_segment(Index<P> strip, const Pass<P>& pass,
                                                   Index<P> first, Index<P> last) {
  constexpr int kept = P::sizes.kept(), halo = P::sizes.halo(), width = P::sizes.width();
  const Index<P> start = strip * kept, columns = pass.grid.columns;
  if (P::wraps_columns) return {start - halo, start, min(start + kept, columns), first, last};
  return {min(start, columns - width), strip == 0 ? 0 : start + halo,
          strip == pass.grid.strips - 1 ? columns : start + kept + halo, first, last};
}

// The place in the fields that the last warp writes to. If `staged`, rows leave through shared
// memory so that neighbouring lanes write neighbouring chunks of 16 bytes.
template <class P>
struct Target {
  using T = typename P::T;
  static constexpr bool staged = P::sizes.staged;
  static constexpr int count = P::sizes.count(), first = staged ? count : P::sizes.columns();
  // distance between chunks of a lane, in values
  static constexpr int distance = staged ? StreamSizes::lanes * count : count;

  T* at;               // address of this lane's first cells of a row
  int row;             // the turn's first row, relative to the first row to write
  unsigned rows;       // number of rows to write
  unsigned keeps = 0;  // bit c is set if this lane's chunk c is to be written
  Index<P> column;     // that of this lane's first cells

  __device__ __forceinline__ Target(T* to, const Pass<P>& pass, const Segment<P>& segment)
      : row(-P::sizes.start_rows()),
        rows(static_cast<unsigned>(segment.last_row - segment.first_row)),
        column(segment.first_column + static_cast<int>(threadIdx.x) * first) {
    at = to + static_cast<GridIndex>(segment.first_row + row) * pass.grid.pitch + column;
#pragma unroll
    for (int c = 0; c < P::sizes.chunks; ++c) {
      const Index<P> place = column + c * distance;
      if (place >= segment.keep_begin && place < segment.keep_end) keeps |= 1u << c;
    }
  }
  /// Writes row i of the turn, if it is one to write, to `to`; chunk(field, c) returns its values.
  template <class Chunk>
  __device__ __forceinline__ void write(T* to, int i, const Pass<P>& pass,
                                        const Chunk& chunk) const {
    if (static_cast<unsigned>(row + i) < rows)
#pragma unroll
      for (int field = 0; field < P::fields; ++field)
#pragma unroll
        for (int c = 0; c < P::sizes.chunks; ++c)
          if (keeps >> c & 1) {
            const Cells<T> cells = chunk(field, c);
            *reinterpret_cast<Cells<T>*>(to + field * pass.grid.field_stride + c * distance) =
                cells;
            if (field == P::fields - 1) count_errors(pass, column + c * distance, cells);
          }
  }
  /// Writes all rows of the turn from shared memory.
  __device__ __forceinline__ void write(const RowInMemory<P>* turn, const Pass<P>& pass) {
    constexpr int chunks = P::sizes.chunks, lanes = StreamSizes::lanes;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < StreamSizes::turn_rows; ++i) {
      write(at, i, pass, [&](int field, int c) {
        return turn[i]
            .cells[field][threadIdx.x % chunks][threadIdx.x / chunks + c * (lanes / chunks)];
      });
      at += pass.grid.pitch;
    }
  }
};

// Copies rows to shared memory. Neighbouring lanes copy neighbouring 16 bytes, even if another lane
// needs them. Rows beyond the grid are the wrapped or mirrored rows, or else the outermost row.
template <class P>
struct Loader {
  using T = typename P::T;
  static constexpr int chunks = P::sizes.chunks, lanes = StreamSizes::lanes;
  static constexpr unsigned row_bytes = sizeof(SlotsInMemory<P, P::sizes.loaded()>);
  static constexpr unsigned slot_bytes = StreamSizes::turn_rows * row_bytes;

  const T* next;              // this lane's first 16 bytes of the next row
  int offset[chunks];         // offsets of this lane's other chunks from `next`
  int first;                  // column of `next`
  unsigned target, slot = 0;  // address in shared memory; bytes from it to the turn's rows
  int row;                    // index of the next row

  __device__ Loader(const T* from, const Pass<P>& pass, const Segment<P>& segment,
                    Shared<P>& shared)
      : target(shared_address(
            &shared.loaded[0][0].cells[0][threadIdx.x % chunks][threadIdx.x / chunks])),
        row(segment.first_row - P::sizes.depth()) {
    int column[chunks];
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      column[c] =
          segment.first_column + (c * lanes + static_cast<int>(threadIdx.x)) * P::sizes.count();
      if (column[c] < 0) column[c] += pass.grid.columns;
      if (column[c] >= pass.grid.columns) column[c] -= pass.grid.columns;
      offset[c] = column[c] - column[0];
    }
    first = column[0];
    if (P::wraps_rows) row = (row % pass.grid.rows + pass.grid.rows) % pass.grid.rows;
    const int nearest = P::mirrors_rows ? -1 - row : 0;
    next = from + (row < 0 ? nearest : row) * pass.grid.pitch + column[0];
  }
  __device__ __forceinline__ void copy(unsigned to, const T* from, int column, int columns) const {
    constexpr int count = P::sizes.count();
    if (P::wraps_columns && P::beyond > 0 && (column % count != 0 || column + count > columns))
      copy_across_seam(to, from, columns - column, columns);
    else
      copy_async(to, from);
  }
  /// Starts to copy the rows of a turn. Turns must start in order.
  __device__ __forceinline__ void start(int, const Pass<P>& pass) {
    const GridIndex pitch = pass.grid.pitch;
    const int rows = pass.grid.rows;
#pragma unroll
    for (int i = 0; i < StreamSizes::turn_rows; ++i) {
#pragma unroll
      for (int f = 0; f < P::template Level<0>::in; ++f)
#pragma unroll
        for (int c = 0; c < chunks; ++c)
          copy(target + slot + i * row_bytes + f * (row_bytes / P::sizes.loaded()) +
                   c * (lanes / chunks * 16),
               next + pass.sources[f] + (c == 0 ? 0 : offset[c]), first + (c == 0 ? 0 : offset[c]),
               pass.grid.columns);
      ++row;
      if (P::wraps_rows) {
        const bool over = row == rows;
        next += over ? pitch - rows * pitch : pitch;
        if (over) row = 0;
      } else if (P::mirrors_rows) {
        next += row > 0 && row < rows ? pitch : row == 0 || row == rows ? 0 : -pitch;
      } else {
        next += row > 0 && row < rows ? pitch : 0;
      }
    }
    slot = slot == P::sizes.turns_ahead() * slot_bytes ? 0 : slot + slot_bytes;
    end_copy_group();
  }
  /// Waits until the rows of a turn have arrived.
  __device__ __forceinline__ void finish(int, const Pass<P>&, Shared<P>&) {
    wait_but_for<P::sizes.turns_ahead()>();
    __syncwarp();
  }
};

}  // namespace lapl
