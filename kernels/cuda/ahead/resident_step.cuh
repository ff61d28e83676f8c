// The CUDA kernel of the engine "resident"; resident.cu explains it.
#pragma once

#include "kernels/cuda/ahead/resident_tile.cuh"

namespace lapl {
namespace {

// One warp of a tile and the work of its lanes. The arrays that it works on are locals of the CUDA
// kernel, not members: nvcc keeps members in memory until it has unrolled the loops, and then
// generates slower code.
template <template <class> class Stage, class T, int register_rows, int shared_rows>
struct TileWarp {
  static constexpr int rows = register_rows + shared_rows;
  static constexpr int tile_size = warps * rows * row_size;
  static_assert(rows >= 3 && rows <= 32 && (shared_rows == 0 || register_rows >= 4));

  const Resident<Stage, T>& grid;
  Shared<T, register_rows, shared_rows>& shared;
  const TileBounds tile;
  const int lane, warp;
  const int row0;    // the warp's first row, within the tile
  const int column;  // the lane's first column, within the grid
  Chunk<T>* const middle;
  const int above, below;  // the neighbouring warps
  Row<T> (&cells)[rows];
  Stage<T> (&stage)[width];
  // Sets of the warp's rows, one bit each: the tile's own rows; rows that this lane publishes; rows
  // of the halo; rows in which this lane receives columns of the halo.
  unsigned own_rows = 0, publish_rows = 0, halo_rows = 0, side_rows = 0;
  bool own_lane = false;
  bool takes = false;   // this lane receives values from other tiles
  bool in_one = false;  // its columns are contiguous at their source, so one load suffices
  // true if a lane of the warp loads values one by one; true if one negates or zeroes some
  bool scalar_sides = false, signed_columns = false;
  int awaited = -1;  // index of the flag that this lane waits for
  unsigned level = 0;

  __device__ __forceinline__ TileWarp(const Resident<Stage, T>& all,
                                      Shared<T, register_rows, shared_rows>& memory,
                                      Row<T> (&all_cells)[rows], Stage<T> (&stages)[width])
      : grid(all),
        shared(memory),
        tile(bounds_of_block(all)),
        lane(threadIdx.x % lanes),
        warp(threadIdx.x / lanes),
        row0(warp * rows),
        column((tile.unit_begin - halo_lanes + lane) * width),
        middle(memory.middle[shared_rows == 0 ? 0 : warp * shared_rows] + lane),
        above(max(warp - 1, 0)),
        below(min(warp + 1, warps - 1)),
        cells(all_cells),
        stage(stages) {}

  // Rows 2 ... shared_rows + 1 of a warp are in shared memory: fetch() loads one into registers,
  // and keep() stores it.
  __device__ __forceinline__ static constexpr bool is_shared(int r) {
    return r >= 2 && r < 2 + shared_rows;
  }
  __device__ __forceinline__ void fetch(int r) {
    if (is_shared(r)) cells[r] = load_shared(middle + (r - 2) * chunks<T> * lanes);
  }
  __device__ __forceinline__ void keep(int r) {
    if (is_shared(r)) store_shared(middle + (r - 2) * chunks<T> * lanes, cells[r]);
  }

  // 1. All threads of the block fill the tables for loading the tile and its halo from the field.
  __device__ __forceinline__ void make_field_tables() {
    for (int i = threadIdx.x; i < warps * rows; i += warps * lanes) {
      Place place{0, 0};
      if (i < tile.used_rows)
        place = extension(grid.extensions.rows, tile.row_begin - depth + i, grid.rows);
      shared.row[i] = {place.offset * grid.pitch, place.sign};
    }
    for (int i = threadIdx.x; i < width * lanes; i += warps * lanes) {
      const int l = i % lanes, j = i / lanes;
      Place place{0, 0};
      if (l < tile.used_lanes)
        place = column_place(grid.extensions.columns,
                             (tile.unit_begin - halo_lanes + l) * width + j, grid.columns);
      shared.column[j][l] = place;
    }
  }

  // 2. Finds the cells that each lane owns, publishes and receives.
  __device__ __forceinline__ void assign_roles() {
    unsigned rim_rows = 0;
    for (int r = 0; r < rows; ++r) {
      const int y = row0 + r;  // within the tile
      const bool own = y >= depth && y < tile.used_rows - depth;
      if (own) own_rows |= 1u << r;
      if (own && (y < 2 * depth || y >= tile.used_rows - 2 * depth)) rim_rows |= 1u << r;
      if (!own && y < tile.used_rows) halo_rows |= 1u << r;
    }
    own_lane = lane >= halo_lanes && lane < tile.used_lanes - halo_lanes;
    const bool partial_lane = own_lane && column + width > grid.columns;
    const int right_rim = 2 * halo_lanes + (tile.unit_end * width > grid.columns ? 1 : 0);
    const bool rim_lane =
        own_lane && (lane < 2 * halo_lanes || lane >= tile.used_lanes - right_rim);
    publish_rows = !own_lane ? 0 : rim_lane ? own_rows : rim_rows;
    in_one = shared.column[0][lane].offset % width == 0;
#pragma unroll
    for (int j = 1; j < width; ++j)
      in_one &= shared.column[j][lane].offset == shared.column[0][lane].offset + j;
    const bool constant_lane =
        shared.column[0][lane].sign == 2 && shared.column[width - 1][lane].sign == 2;
    takes = lane < tile.used_lanes && !constant_lane;
    const bool odd_end = grid.extensions.columns.last == Extension::odd;
    side_rows = takes && (!own_lane || (partial_lane && !odd_end)) ? own_rows : 0;
    scalar_sides = __any_sync(all_lanes, side_rows != 0 && !in_one);
    signed_columns =
        __any_sync(all_lanes, (shared.column[0][lane].sign | shared.column[1][lane].sign |
                               shared.column[2][lane].sign | shared.column[3][lane].sign) != 0);
#pragma unroll
    for (int j = 0; j < width; ++j)
      stage[j] = shared.column[j][lane].sign == 2 ? Stage<T>::held() : grid.stage;
  }

  // 3. Sets all rows to 0, because the tile may use fewer.
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      cells[r] = {};
      keep(r);
    }
  }

  // 4. Loads the rows in `wanted`; the tables have the places of their cells, relative to `base`.
  __device__ __forceinline__ void receive(const T* base, unsigned wanted, int stride) {
    const unsigned whole = in_one ? wanted : 0;
    const T* const from = base + shared.column[0][lane].offset;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (!is_shared(r) && bit(whole, r))
        get_row(cells[r], from + shared.row[row0 + r].offset, stride);
    if (__any_sync(all_lanes, wanted != 0 && !in_one)) {
      const unsigned single = in_one ? 0 : wanted;
#pragma unroll
      for (int j = 0; j < width; ++j) {
        const T* const source = base + shared.column[j][lane].offset;
#pragma unroll
        for (int r = 0; r < rows; ++r)
          if (!is_shared(r) && bit(single, r))
            cells[r].value[j] = __ldcg(source + shared.row[row0 + r].offset);
      }
    }
    receive_signs(wanted);
    receive_shared_rows(base, from, wanted, stride);
  }
  __device__ __forceinline__ void receive_signs(unsigned wanted) {
    const unsigned signed_rows = __ballot_sync(
        all_lanes, lane < rows && (signed_columns || shared.row[row0 + lane % rows].sign != 0));
    if (signed_rows == 0) return;
    unsigned column_sign[width];
#pragma unroll
    for (int j = 0; j < width; ++j) column_sign[j] = shared.column[j][lane].sign;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (!is_shared(r) && bit(signed_rows, r) && bit(wanted, r)) {
        const unsigned sign = shared.row[row0 + r].sign;
#pragma unroll
        for (int j = 0; j < width; ++j)
          cells[r].value[j] = signed_value(cells[r].value[j], sign | column_sign[j]);
      }
  }
  __device__ __forceinline__ void receive_shared_rows(const T* base, const T* from, unsigned wanted,
                                                      int stride) {
    if constexpr (shared_rows > 0) {
#pragma unroll 2
      for (int r = 2; r < 2 + shared_rows; ++r) {
        if (!bit(wanted, r)) continue;
        Chunk<T>* const to = middle + (r - 2) * chunks<T> * lanes;
        const Place row = shared.row[row0 + r];
        Row<T> values;
        if (in_one) {
          get_row(values, from + row.offset, stride);
        } else {
#pragma unroll
          for (int j = 0; j < width; ++j)
            values.value[j] = __ldcg(base + shared.column[j][lane].offset + row.offset);
        }
#pragma unroll
        for (int j = 0; j < width; ++j) {
          const unsigned sign = shared.column[j][lane].sign;
          values.value[j] = signed_value(values.value[j], sign | row.sign);
        }
        store_shared(to, values);
      }
    }
  }

  // 5. Replaces the places in the tables: each cell is now read from the copy (image) that the tile
  // which owns it publishes. Finds the flag of the warp that publishes each row.
  __device__ __forceinline__ void make_image_tables() {
    const int across = grid.tiles_across, down = grid.tiles_down;
    for (int i = threadIdx.x; i < warps * rows; i += warps * lanes) {
      int offset = 0, flag = -1;
      if (i < tile.used_rows) {
        const int y = shared.row[i].offset / grid.pitch;
        const int t = static_cast<int>((std::int64_t{y + 1} * down - 1) / grid.rows);
        const int local = y - static_cast<int>(std::int64_t{grid.rows} * t / down) + depth;
        offset = t * across * tile_size + local * row_size;
        flag = t * across * warps + local / rows;
      }
      shared.row[i].offset = offset;
      shared.flag[i] = static_cast<short>(flag);
    }
    for (int i = threadIdx.x; i < width * lanes; i += warps * lanes) {
      Place& place = shared.column[i / lanes][i % lanes];
      const int unit = place.offset / width, j = place.offset % width;
      const int t = static_cast<int>((std::int64_t{unit + 1} * across - 1) / grid.units);
      const int local = unit - static_cast<int>(std::int64_t{grid.units} * t / across) + halo_lanes;
      place.offset = t * tile_size + ((j / Chunk<T>::count) * lanes + local) * Chunk<T>::count +
                     j % Chunk<T>::count;
    }
  }

  // 6. Finds the flags to wait for. In each group of three lanes, the lanes wait for the warps that
  // own the group's rows in the tile to the left, in this tile and in the tile to the right.
  __device__ __forceinline__ void find_flags() {
    const int across = grid.tiles_across;
    const bool wraps = grid.extensions.columns.first == Extension::periodic;
    const int tile_before = tile.x > 0 ? tile.x - 1 : wraps ? across - 1 : 0;
    const int tile_after = tile.x < across - 1 ? tile.x + 1 : wraps ? 0 : tile.x;
    int group = 0, last = -1;
    for (int r = 0; r < rows; ++r) {
      const int flag = shared.flag[row0 + r];
      if (flag < 0 || flag == last) continue;
      last = flag;
      if (lane / 3 == group && group < 10) {
        const int of_row = lane % 3 == 0 ? tile_before : lane % 3 == 1 ? tile.x : tile_after;
        awaited = flag + of_row * warps;
      }
      ++group;
    }
  }

  // 7. The functions of a step. The warp publishes its edges (first and last row) for the
  // neighbouring warps once after each exchange, and then in every step except the last one before
  // the next exchange.
  __device__ __forceinline__ void publish_edges() {
    ++level;
    store_shared(&shared.first[level % 2][warp][lane], cells[0]);
    store_shared(&shared.last[level % 2][warp][lane], cells[rows - 1]);
  }
  __device__ __forceinline__ void step(bool publish) {
    fetch(2);
    fetch(rows - 2);
    fetch(rows - 3);
    const Sides<T> first_sides = row_sides(cells[0]);
    const Sides<T> last_sides = row_sides(cells[rows - 1]);
    __syncthreads();
    const Row<T> before_last = vertical_part<Stage>(cells[rows - 3], cells[rows - 1]);
    Row<T> vertical =
        vertical_part<Stage>(cells[rows - 2], load_shared(&shared.first[level % 2][below][lane]));
    Row<T> other =
        vertical_part<Stage>(load_shared(&shared.last[level % 2][above][lane]), cells[1]);
    step_row(cells[rows - 1], vertical, last_sides, stage);
    if (sizeof(T) == 8) __syncwarp();
    Row<T> next = rows == 3 ? before_last : vertical_part<Stage>(cells[0], cells[2]);
    step_row(cells[0], other, first_sides, stage);
    __syncwarp();
    if (publish) publish_edges();
    Sides<T> ahead = row_sides(cells[1]);
#pragma unroll
    for (int r = 1; r < rows - 1; ++r) {
      vertical = r == rows - 2 ? before_last : next;
      if (r + 1 < rows - 2) {
        fetch(r + 2);
        next = vertical_part<Stage>(cells[r], cells[r + 2]);
      }
      const Sides<T> sides = ahead;
      if (r + 1 < rows - 1) ahead = row_sides(cells[r + 1]);
      step_row(cells[r], vertical, sides, stage);
      keep(r);
      __syncwarp();
    }
  }

  // 8. Publishes the rim (own cells that neighbours need) in the image of this epoch, the steps up
  // to the next exchange; waits until the neighbours have published theirs.
  __device__ __forceinline__ void exchange(T* image, int epoch) {
    T* const mine =
        image + std::int64_t{blockIdx.x} * tile_size + row0 * row_size + lane * Chunk<T>::count;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (bit(publish_rows, r)) {
        fetch(r);
        put_row(mine + r * row_size, cells[r], lanes);
      }
    __syncwarp();
    const unsigned goal = grid.published + static_cast<unsigned>(epoch);
    if (lane == 0) store_release(grid.flags + static_cast<int>(blockIdx.x) * warps + warp, goal);
    if (awaited >= 0)
      for (unsigned polls = 0; !reached(load_acquire(grid.flags + awaited), goal);)
        if (++polls > most_polls) __trap();
    __syncwarp();
  }

  // 9. Loads the halo's columns to the left and right of the warp's own rows.
  __device__ __forceinline__ void receive_sides(const T* image) {
    const T* const base =
        image + std::int64_t{tile.y} * grid.tiles_across * tile_size + row0 * row_size;
    const unsigned whole = in_one ? side_rows : 0;
    const T* const from = base + shared.column[0][lane].offset;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (bit(whole, r)) {
        get_row(cells[r], from + r * row_size, lanes);
        keep(r);
      }
    if (!scalar_sides) return;
    const unsigned single = in_one ? 0 : side_rows;
    const T* source[width];
#pragma unroll
    for (int j = 0; j < width; ++j) source[j] = base + shared.column[j][lane].offset;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (bit(single, r)) {
#pragma unroll
        for (int j = 0; j < width; ++j) cells[r].value[j] = __ldcg(source[j] + r * row_size);
        keep(r);
      }
  }

  // 10. Stores the warp's own rows in the field.
  __device__ __forceinline__ void store() {
    T* const target = grid.to + std::int64_t{tile.row_begin - depth + row0} * grid.pitch + column;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (own_lane && bit(own_rows, r)) {
        fetch(r);
        put_row(target + std::int64_t{r} * grid.pitch, cells[r], 1, grid.columns - column);
      }
  }
};

template <template <class> class Stage, class T, int register_rows, int shared_rows>
__global__ void __launch_bounds__(warps* lanes, 1) step_resident(const Resident<Stage, T> grid) {
  using Memory = Shared<T, register_rows, shared_rows>;
  using Warp = TileWarp<Stage, T, register_rows, shared_rows>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  extern __shared__ uint4 memory[];
  Row<T> cells[Warp::rows];
  Stage<T> stage[width];
  Warp warp(grid, *reinterpret_cast<Memory*>(memory), cells, stage);
  warp.make_field_tables();
  __syncthreads();
  warp.assign_roles();
  warp.clear();

  const std::int64_t image = std::int64_t{grid.tiles_across} * grid.tiles_down * Warp::tile_size;
  const T* source = grid.from;
  unsigned wanted = warp.lane < warp.tile.used_lanes ? warp.own_rows | warp.halo_rows : 0;
  int stride = 1;
  int steps = grid.first_steps;
  for (int epoch = 0;; ++epoch) {
    if (epoch > 0) {
      source = grid.edges + epoch % 2 * image;
      warp.exchange(grid.edges + epoch % 2 * image, epoch);
      warp.receive_sides(source);
    }
    if (epoch == 0 || warp.halo_rows != 0) warp.receive(source, wanted, stride);
    if (epoch == 0) {
      __syncthreads();
      warp.make_image_tables();
      __syncthreads();
      warp.find_flags();
      stride = lanes;
      wanted = warp.takes ? warp.halo_rows : 0;
    }
    warp.publish_edges();
#pragma unroll 1
    for (; steps > 0; --steps) warp.step(steps > 1);
    if (epoch == grid.epochs - 1) break;
    steps = depth;
  }
  warp.store();
}

}  // namespace
}  // namespace lapl
