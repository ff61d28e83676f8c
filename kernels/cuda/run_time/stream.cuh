// Many steps of a problem on two axes in one launch: rows stream through registers. Compiled ahead
// for diffusion (kernels/cuda/ahead/streaming.cu), at run time for every other problem.
//
//   rows in, top to bottom   warp 0: levels 0 ... n-1, three rows of every array of each
//   strip of 32 lanes           |    in registers; rows handed on through shared memory
//   x `columns` cells        warp 1: levels n ... 2n-1        rows out, after `depth` levels
//
// A level is a stage of a step. The warps have the same code, for the levels of whole steps each;
// or they share one step, and each has code of its own. A level computes a row from its rows up,
// centre and down; the cells to the left and right come by shuffle. The new row takes the registers
// of a row that is no longer read, so that after three row steps (a turn) each row is in its old
// registers and nothing is copied. If `lagged`, levels go from last to first: each uses the row
// that the level before it computed one row step ago, and none waits for another. Strips overlap by
// twice the halo, and the pieces of a strip that different blocks compute overlap by start_rows;
// both overlaps are computed twice.
//
// Faces. Loads wrap at periodic faces. At even faces of rows loads mirror them, if the stage is
// symmetric. Each level imposes all other conditions: for rows by a copy of the code
// (StripPart::ends) that runs only in turns with the grid's first or last row as a centre; for
// columns by a select in lanes 0 and 31, since strips end at the ends of the grid. In inner strips
// those lanes are in the halo. Conditions that differ along columns have a further copy
// (StripPart::sides). Rows that do not end with 16 bytes do so with their padding; at a periodic
// face those that hold both ends of a row are loaded value by value.
//
//   Plan   T, Grid; sizes, fields, stages, arrays, arguments, in_time, wraps_columns, wraps_rows,
//          mirrors_rows, shortened (levels from grid.steps on pass their rows on), beyond (values
//          of a row's last 16 bytes that are padding, which grid.columns counts unless columns
//          wrap), varies_columns (a condition differs along a side of columns): constants;
//          ghost_kind(array, side), table(array, side), first_argument(stage), Level<stage>
//   Level  Stage (see tile.cuh); in, out: numbers of arrays that enter and leave, each in a slot;
//          array_slot(array), slot_array(slot): the slot of an array that enters, and back;
//          made(slot): the result that leaves in the slot, or -1 - slot of an unchanged array;
//          reads(slot, row, column): true if the stage reads this neighbour (1, 1 is the cell)
//   Loader<Plan>   loads rows; a specialisation may replace the loader below
#pragma once

#include "kernels/cuda/run_time/stream_memory.cuh"

namespace lapl {

__device__ __forceinline__ int this_warp() {
  return __shfl_sync(all_lanes, static_cast<int>(threadIdx.y), 0);
}

// Barriers between a warp and the next one, of 64 threads.
__device__ __forceinline__ void wait_at(int barrier) {
  asm volatile("barrier.sync %0, 64;" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void arrive_at(int barrier) {
  asm volatile("barrier.arrive %0, 64;" ::"r"(barrier) : "memory");
}

/// Three rows of each level of a warp, in registers.
template <class P>
struct Rows {
  Line<P> of[P::sizes.levels][StreamSizes::turn_rows];
};

// The position of a warp in its strip during a turn.
template <class P>
struct Turn {
  int warp;
  Index<P> first_in;  // the first grid row that enters the warp in this turn
  Index<P> column;    // the grid column of this lane's first cell
  int active;         // number of the warp's levels that step; the others pass rows on unchanged
  BesideColumns<P> sides = {};
};

// Computes the warp's levels from `at` on for row i of a turn, the first of which is stage `begin`.
// `moving` is the row that enters, and afterwards the row that leaves. The row above is in register
// row `up`.
template <class P, StripPart part, int begin, int levels, int up, int at>
__device__ __forceinline__ void compute_levels(Rows<P>& rows, Line<P>& moving, const Pass<P>& pass,
                                               const Turn<P>& turn, int i) {
  if constexpr (at < levels) {
    constexpr bool lagged = P::sizes.lagged;
    constexpr int k = lagged ? levels - 1 - at : at, stage = (begin + k) % P::stages;
    using Level = typename P::template Level<stage>;
    const int step = P::in_time ? (turn.warp * P::sizes.levels + k) / P::stages : 0;
    const auto* const arguments = pass.arguments + step * P::arguments + P::first_argument(stage);
    const int level = P::in_time ? turn.warp * P::sizes.levels + k : 0;
    const auto* const conditions = pass.conditions + level * P::arrays * sides;
    Line<P>(&mine)[3] = rows.of[k];
    Line<P> next;
    if constexpr (lagged) {
      make_row<P, Level, part>(mine[up], mine[(up + 1) % 3], mine[(up + 2) % 3], next, arguments,
                               {pass, conditions, turn.sides, level, k * BesideColumns<P>::rows + i,
                                turn.first_in + i - 2 * k - 1, turn.column});
      if constexpr (P::shortened)
#pragma unroll
        for (int j = 0; j < P::sizes.columns(); ++j)
          next.cells[0][j] = k >= turn.active ? mine[(up + 1) % 3].cells[0][j] : next.cells[0][j];
      if constexpr (k == levels - 1)
        moving = next;
      else
        rows.of[k + 1][up] = next;
    } else {
      make_row<P, Level, part>(mine[up], mine[(up + 1) % 3], moving, next, arguments,
                               {pass, conditions, turn.sides, level, k * BesideColumns<P>::rows + i,
                                turn.first_in + i - k - 1, turn.column});
      if constexpr (P::sizes.rolled) {
        mine[0] = mine[1];
        mine[1] = moving;
      } else {
        mine[(up + 2) % 3] = moving;
      }
      moving = next;
    }
    compute_levels<P, part, begin, levels, up, at + 1>(rows, moving, pass, turn, i);
  }
}

template <class P, StripPart part, int begin, int levels, int up, class Incoming, class Outgoing>
__device__ __forceinline__ void run_row(Rows<P>& rows, const Incoming& incoming, Outgoing& outgoing,
                                        bool last, const Target<P>& target, const Pass<P>& pass,
                                        const Turn<P>& turn, int i) {
  constexpr int count = P::sizes.count(), chunks = P::sizes.chunks;
  // the arrays that enter the warp, and those that enter the next
  constexpr int arrays = P::template Level<begin>::in;
  constexpr int leaving = P::template Level<(begin + levels) % P::stages>::in;
  using Row = Cells<typename P::T>;
  Line<P> moving;
#pragma unroll
  for (int slot = 0; slot < arrays; ++slot)
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      const Row cells = incoming.cells[slot][c][threadIdx.x];
#pragma unroll
      for (int j = 0; j < count; ++j) moving.cells[slot][c * count + j] = cells.value[j];
    }
  if constexpr (P::sizes.lagged) rows.of[0][(up + 2) % 3] = moving;
  compute_levels<P, part, begin, levels, up, 0>(rows, moving, pass, turn, i);
  const auto chunk = [&](int slot, int c) {
    Row cells;
#pragma unroll
    for (int j = 0; j < count; ++j) cells.value[j] = moving.cells[slot][c * count + j];
    return cells;
  };
  if (last && !P::sizes.staged)
    target.write(target.at + i * pass.grid.pitch, i, pass, chunk);
  else
#pragma unroll
    for (int slot = 0; slot < leaving; ++slot)
#pragma unroll
      for (int c = 0; c < chunks; ++c) outgoing.cells[slot][c][threadIdx.x] = chunk(slot, c);
}

template <class P, StripPart part, int begin, int levels, int i = 0, class Incoming, class Outgoing>
__device__ __forceinline__ void run_turn(Rows<P>& rows, const Incoming* incoming,
                                         Outgoing* outgoing, bool last, const Target<P>& target,
                                         const Pass<P>& pass, const Turn<P>& turn) {
  if constexpr (P::sizes.rolled) {
#pragma unroll 1
    for (int row = 0; row < StreamSizes::turn_rows; ++row)
      run_row<P, part, begin, levels, 0>(rows, incoming[row], outgoing[row], last, target, pass,
                                         turn, row);
  } else if constexpr (i < StreamSizes::turn_rows) {
    run_row<P, part, begin, levels, i>(rows, incoming[i], outgoing[i], last, target, pass, turn, i);
    run_turn<P, part, begin, levels, i + 1>(rows, incoming, outgoing, last, target, pass, turn);
  }
}

// Computes one segment in one warp: in warp `only`, whose code has the stages of its levels, or, if
// that is -1, in any of warps of whole steps.
template <class P, int only>
__device__ __forceinline__ void run_warp(const typename P::T* from, typename P::T* to,
                                         const Pass<P>& pass, const Segment<P>& segment,
                                         Shared<P>& shared) {
  constexpr int turn_rows = StreamSizes::turn_rows, ring = P::sizes.ring(), lag = P::sizes.lag();
  constexpr bool lays_rows = !P::wraps_rows && !P::mirrors_rows;
  constexpr int begin = only < 0 ? 0 : only * P::sizes.levels % P::stages;
  constexpr int levels = P::sizes.levels_in(only);
  constexpr bool last_only = only == P::sizes.warps - 1;
  const int warp = only < 0 ? this_warp() : only;
  const bool first = warp == 0, last = warp == P::sizes.warps - 1;
  const auto written = static_cast<int>(segment.last_row - segment.first_row);
  const int turns = (written + P::sizes.start_rows() + turn_rows - 1) / turn_rows;

  Rows<P> rows = {};
  Loader<P> loader(from, pass, segment, shared);
  if (first)
#pragma unroll 1
    for (int turn = 0; turn < P::sizes.turns_ahead(); ++turn) loader.start(turn, pass);

  const int column = static_cast<int>(threadIdx.x) * P::sizes.columns();
  Turn<P> at{warp, segment.first_row - P::sizes.depth() - warp * lag, segment.first_column + column,
             0};
  // Uses threadIdx.y and not `warp`: the compiler adds a move to a comparison that it knows to be
  // uniform.
  if constexpr (P::shortened)
    at.active = pass.grid.steps - static_cast<int>(threadIdx.y) * P::sizes.levels;
  Target<P> target(to, pass, segment);
  const bool at_side =
      segment.first_column == 0 || segment.first_column + P::sizes.width() == pass.grid.columns;
  // Numbers of the first barriers that mean "rows are there", in the links from the warp before and
  // to the warp after; the next number means "empty".
  const int full_behind = 1 + (warp - 1) * ring * 2, full_ahead = 1 + warp * ring * 2;
  int slot = 0, link = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    if constexpr (P::varies_columns && BesideColumns<P>::fit)
      if (at_side) at.sides.load(pass, warp * P::sizes.levels, at.first_in);
    if (first) {
      __syncwarp();
      if (turn + P::sizes.turns_ahead() < turns)
        loader.start(turn + P::sizes.turns_ahead(), pass);
      else
        end_copy_group();
      loader.finish(turn, pass, shared);
    } else {
      wait_at(full_behind + link * 2);
    }
    if (!last && turn >= ring) wait_at(full_ahead + link * 2 + 1);
    const auto* const incoming = [&] {
      if constexpr (only == 0)
        return shared.loaded[slot];
      else if constexpr (only > 0)
        return rows_handed_by<P, only - 1>(shared)[link];
      else
        return first ? shared.loaded[slot] : handed_rows(shared, first ? 0 : warp - 1)[link];
    }();
    auto* const outgoing = [&] {
      if constexpr (only < 0)
        return handed_rows(shared, last && !P::sizes.staged ? 0 : warp)[link];
      else  // not used by the last
        return rows_handed_by<P, (last_only ? 0 : only)>(shared)[link];
    }();
    // The code for faces runs only if the grid's first or last row is the centre row of a level in
    // this turn.
    const Index<P> lowest = at.first_in - lag, highest = at.first_in + turn_rows - 2;
    const Index<P> bottom = pass.grid.rows - 1;
    if (lays_rows && ((lowest <= 0 && highest >= 0) || (lowest <= bottom && highest >= bottom)))
      run_turn<P, StripPart::ends, begin, levels>(rows, incoming, outgoing, last, target, pass, at);
    else if (P::varies_columns && at_side)
      run_turn<P, StripPart::sides, begin, levels>(rows, incoming, outgoing, last, target, pass,
                                                   at);
    else
      run_turn<P, StripPart::inner, begin, levels>(rows, incoming, outgoing, last, target, pass,
                                                   at);
    if (!first && turn + ring < turns) arrive_at(full_behind + link * 2 + 1);
    if (!last) arrive_at(full_ahead + link * 2);
    if constexpr (!P::sizes.staged) {
      target.at += turn_rows * pass.grid.pitch;
    } else if (last) {
      target.write(outgoing, pass);
    }
    target.row += turn_rows;
    at.first_in += turn_rows;
    slot = slot == P::sizes.turns_ahead() ? 0 : slot + 1;
    link = link == ring - 1 ? 0 : link + 1;
  }
  if (first) wait_but_for<0>();
}

// Computes one segment in the warps of a block.
template <class P, int only>
__device__ __forceinline__ void run_warps(const typename P::T* from, typename P::T* to,
                                          const Pass<P>& pass, const Segment<P>& segment,
                                          Shared<P>& shared) {
  if constexpr (P::sizes.levels % P::stages == 0) {
    run_warp<P, -1>(from, to, pass, segment, shared);
  } else if constexpr (only < P::sizes.warps) {
    if (this_warp() == only)
      run_warp<P, only>(from, to, pass, segment, shared);
    else
      run_warps<P, only + 1>(from, to, pass, segment, shared);
  }
}

// Strips, each with start_rows additional rows at its start, are lined up; every block takes an
// equal part of all rows.
template <class P>
__device__ __forceinline__ void stream(const typename P::T* from, typename P::T* to,
                                       const Pass<P>& pass) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<Shared<P>*>(memory);
  constexpr int start_rows = P::sizes.start_rows();
  const GridIndex strip_length = pass.grid.rows + start_rows;
  const GridIndex length = pass.grid.strips * strip_length;
  const GridIndex piece = (length + gridDim.x - 1) / gridDim.x;
  const GridIndex end = min(length, (blockIdx.x + 1) * piece);
  for (GridIndex place = blockIdx.x * piece; place < end;) {
    const auto strip = static_cast<Index<P>>(place / strip_length);
    const GridIndex start = strip * strip_length, stop = min(end, start + strip_length);
    const auto first = static_cast<Index<P>>(max(place - start - start_rows, GridIndex{0}));
    const auto last = static_cast<Index<P>>(stop - start - start_rows);
    if (last > first) {
      run_warps<P, 0>(from, to, pass, make_segment<P>(strip, pass, first, last), shared);
      __syncthreads();
    }
    place = stop;
  }
}

}  // namespace lapl
