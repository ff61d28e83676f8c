// The kernel of the engine "resident"; resident.cu explains it.
#pragma once

#include "kernels/cuda/resident_rows.cuh"
#include "kernels/grid/face.hpp"

namespace lapl {
namespace {

// Where the value of a cell comes from, which may lie outside the grid.
struct Place {
  int offset : 30;    // of the source, in values
  unsigned sign : 2;  // 0: as it is, 1: negated, 2: zero
};

template <template <class> class Stage, class T>
struct Resident {
  const T* from;
  T* to;
  T* edges;         // two images of all tiles' registers, of which the rims are used
  unsigned* flags;  // publications so far, one for each warp of each tile
  int rows, columns, pitch;
  Extensions extensions;
  Stage<T> stage;
  int tiles_across, tiles_down;
  int units;  // ceil(columns / width)
  int first_steps, epochs;
  unsigned published;  // what the flags hold at the launch
};

__device__ Place extension(AxisExtension axis, int index, int size) {
  const auto [from, ghost, negated] = extended(axis, index, size);
  return {from, ghost ? 2u : negated ? 1u : 0u};
}

// Columns beyond an odd face are kept at 0, by a stage that holds them.
__device__ bool is_held(AxisExtension axis, int column, int columns) {
  return (axis.first == Extension::odd && column < 0) ||
         (axis.last == Extension::odd && column >= columns);
}
__device__ Place column_place(AxisExtension axis, int column, int columns) {
  if (is_held(axis, column, columns)) return {column < 0 ? 0 : columns - 1, 2};
  return extension(axis, column, columns);
}

// A wait that takes this many polls, ten minutes or so, is a bug. (Analysis tools may take one.)
constexpr unsigned most_polls = 1u << 30;

template <class T, int register_rows, int shared_rows>
struct Shared {
  static constexpr int rows = register_rows + shared_rows;
  Chunk<T> first[2][warps][chunks<T> * lanes];
  Chunk<T> last[2][warps][chunks<T> * lanes];
  Chunk<T> middle[shared_rows == 0 ? 1 : warps * shared_rows][chunks<T> * lanes];
  Place row[warps * rows];
  Place column[width][lanes];
  short flag[warps * rows];
};

template <template <class> class Stage, class T, int register_rows, int shared_rows>
__global__ void __launch_bounds__(warps* lanes, 1) step_resident(const Resident<Stage, T> grid) {
  constexpr int rows = register_rows + shared_rows;
  constexpr int tile_size = warps * rows * row_size;
  static_assert(sizeof(Shared<T, register_rows, shared_rows>) <= 227 * 1024);
  static_assert(rows >= 3 && rows <= 32 && (shared_rows == 0 || register_rows >= 4));
  extern __shared__ uint4 memory[];
  auto& shared = *reinterpret_cast<Shared<T, register_rows, shared_rows>*>(memory);
  const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  const int across = grid.tiles_across, down = grid.tiles_down;
  const int tile_x = static_cast<int>(blockIdx.x) % across;
  const int tile_y = static_cast<int>(blockIdx.x) / across;

  const int row_begin = static_cast<int>(std::int64_t{grid.rows} * tile_y / down);
  const int row_end = static_cast<int>(std::int64_t{grid.rows} * (tile_y + 1) / down);
  const int unit_begin = static_cast<int>(std::int64_t{grid.units} * tile_x / across);
  const int unit_end = static_cast<int>(std::int64_t{grid.units} * (tile_x + 1) / across);
  const int used_lanes = unit_end - unit_begin + 2 * halo_lanes;
  const int used_rows = row_end - row_begin + 2 * depth;
  const int column = (unit_begin - halo_lanes + lane) * width;
  const int row0 = warp * rows;  // of the tile

  // The tables for loading the tile, halo and all, from the field.
  for (int i = threadIdx.x; i < warps * rows; i += warps * lanes) {
    Place place{0, 0};
    if (i < used_rows) place = extension(grid.extensions.rows, row_begin - depth + i, grid.rows);
    shared.row[i] = {place.offset * grid.pitch, place.sign};
  }
  for (int i = threadIdx.x; i < width * lanes; i += warps * lanes) {
    const int l = i % lanes, j = i / lanes;
    Place place{0, 0};
    if (l < used_lanes)
      place = column_place(grid.extensions.columns, (unit_begin - halo_lanes + l) * width + j,
                           grid.columns);
    shared.column[j][l] = place;
  }
  __syncthreads();

  Row<T> cells[rows];
  Chunk<T>* const middle = shared.middle[shared_rows == 0 ? 0 : warp * shared_rows] + lane;
  // Rows 2 ... shared_rows + 1 of a warp live in shared memory.
  const auto is_shared = [](int r) { return r >= 2 && r < 2 + shared_rows; };
  const auto fetch = [&](int r) {
    if (is_shared(r)) cells[r] = load_shared(middle + (r - 2) * chunks<T> * lanes);
  };
  const auto keep = [&](int r) {
    if (is_shared(r)) store_shared(middle + (r - 2) * chunks<T> * lanes, cells[r]);
  };

  unsigned own_rows = 0, rim_rows = 0, halo_rows = 0;
  for (int r = 0; r < rows; ++r) {
    const int y = row0 + r;  // of the tile
    const bool own = y >= depth && y < used_rows - depth;
    if (own) own_rows |= 1u << r;
    if (own && (y < 2 * depth || y >= used_rows - 2 * depth)) rim_rows |= 1u << r;
    if (!own && y < used_rows) halo_rows |= 1u << r;
  }
  const bool own_lane = lane >= halo_lanes && lane < used_lanes - halo_lanes;
  const bool partial_lane = own_lane && column + width > grid.columns;
  const int right_rim = 2 * halo_lanes + (unit_end * width > grid.columns ? 1 : 0);
  const bool rim_lane = own_lane && (lane < 2 * halo_lanes || lane >= used_lanes - right_rim);
  const unsigned publish_rows = !own_lane ? 0 : rim_lane ? own_rows : rim_rows;
  // Whether the lane's columns lie side by side in the place they come from, so that one load
  // takes them.
  bool in_one = shared.column[0][lane].offset % width == 0;
#pragma unroll
  for (int j = 1; j < width; ++j)
    in_one &= shared.column[j][lane].offset == shared.column[0][lane].offset + j;
  const bool constant_lane =
      shared.column[0][lane].sign == 2 && shared.column[width - 1][lane].sign == 2;
  const bool takes = lane < used_lanes && !constant_lane;
  const bool odd_end = grid.extensions.columns.last == Extension::odd;
  const unsigned side_rows = takes && (!own_lane || (partial_lane && !odd_end)) ? own_rows : 0;
  const bool scalar_sides = __any_sync(all_lanes, side_rows != 0 && !in_one);
  const bool signed_columns =
      __any_sync(all_lanes, (shared.column[0][lane].sign | shared.column[1][lane].sign |
                             shared.column[2][lane].sign | shared.column[3][lane].sign) != 0);
  Stage<T> stage[width];
#pragma unroll
  for (int j = 0; j < width; ++j)
    stage[j] = shared.column[j][lane].sign == 2 ? Stage<T>::held() : grid.stage;

  // Loads the rows in `wanted` from places given by the tables.
  const auto receive = [&](const T* base, unsigned wanted, int stride) {
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
    const unsigned signed_rows = __ballot_sync(
        all_lanes, lane < rows && (signed_columns || shared.row[row0 + lane % rows].sign != 0));
    if (signed_rows != 0) {
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
  };

  // Loads the columns of the halo beside the warp's own rows.
  const auto receive_sides = [&](const T* images) {
    const T* const base = images + std::int64_t{tile_y} * across * tile_size + row0 * row_size;
    const unsigned whole = in_one ? side_rows : 0;
    const T* const from = base + shared.column[0][lane].offset;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (bit(whole, r)) {
        get_row(cells[r], from + r * row_size, lanes);
        keep(r);
      }
    if (scalar_sides) {
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
  };

  // The tables for receiving the halo from other tiles' images.
  const auto make_tables = [&] {
    for (int i = threadIdx.x; i < warps * rows; i += warps * lanes) {
      int offset = 0, flag = -1;
      if (i < used_rows) {
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
  };

  const bool wraps = grid.extensions.columns.first == Extension::periodic;
  const int tile_before = tile_x > 0 ? tile_x - 1 : wraps ? across - 1 : 0;
  const int tile_after = tile_x < across - 1 ? tile_x + 1 : wraps ? 0 : tile_x;
  const std::int64_t image = std::int64_t{across} * down * tile_size;
  const int above = max(warp - 1, 0), below = min(warp + 1, warps - 1);
  unsigned level = 0;

  // Each group of three lanes takes one of the warps, among them this one, that own the rows, in
  // the tiles to the left, in the middle and to the right.
  int awaited = -1;  // the flag that this lane waits for
  const auto find_flags = [&] {
    int group = 0, last = -1;
    for (int r = 0; r < rows; ++r) {
      const int flag = shared.flag[row0 + r];
      if (flag < 0 || flag == last) continue;
      last = flag;
      if (lane / 3 == group && group < 10) {
        const int tile = lane % 3 == 0 ? tile_before : lane % 3 == 1 ? tile_x : tile_after;
        awaited = flag + tile * warps;
      }
      ++group;
    }
  };

  const auto publish_edges = [&] {
    ++level;
    store_shared(&shared.first[level % 2][warp][lane], cells[0]);
    store_shared(&shared.last[level % 2][warp][lane], cells[rows - 1]);
  };

  const auto step = [&](bool publish) {
    fetch(2);
    fetch(rows - 2);
    fetch(rows - 3);
    const Sides<T> first_sides = sides_of(cells[0]);
    const Sides<T> last_sides = sides_of(cells[rows - 1]);
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
    Sides<T> ahead = sides_of(cells[1]);
#pragma unroll
    for (int r = 1; r < rows - 1; ++r) {
      vertical = r == rows - 2 ? before_last : next;
      if (r + 1 < rows - 2) {
        fetch(r + 2);
        next = vertical_part<Stage>(cells[r], cells[r + 2]);
      }
      const Sides<T> sides = ahead;
      if (r + 1 < rows - 1) ahead = sides_of(cells[r + 1]);
      step_row(cells[r], vertical, sides, stage);
      keep(r);
      __syncwarp();
    }
  };

#pragma unroll
  for (int r = 0; r < rows; ++r) {
    cells[r] = {};
    keep(r);
  }
  const T* source = grid.from;
  unsigned wanted = lane < used_lanes ? own_rows | halo_rows : 0;
  int stride = 1;
  int steps = grid.first_steps;
  for (int epoch = 0;; ++epoch) {
    if (epoch > 0) {
      // Publish the rim, wait for those of the neighbours, take the halo.
      source = grid.edges + epoch % 2 * image;
      T* const mine = grid.edges + epoch % 2 * image + std::int64_t{blockIdx.x} * tile_size +
                      row0 * row_size + lane * Chunk<T>::count;
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
      receive_sides(source);
    }
    if (epoch == 0 || halo_rows != 0) receive(source, wanted, stride);
    if (epoch == 0) {
      __syncthreads();
      make_tables();
      __syncthreads();
      find_flags();
      stride = lanes;
      wanted = takes ? halo_rows : 0;
    }
    publish_edges();
#pragma unroll 1
    for (; steps > 0; --steps) step(steps > 1);
    if (epoch == grid.epochs - 1) break;
    steps = depth;
  }

  T* const target = grid.to + std::int64_t{row_begin - depth + row0} * grid.pitch + column;
#pragma unroll
  for (int r = 0; r < rows; ++r)
    if (own_lane && bit(own_rows, r)) {
      fetch(r);
      put_row(target + std::int64_t{r} * grid.pitch, cells[r], 1, grid.columns - column);
    }
}

}  // namespace
}  // namespace lapl
