// Sizes of the streaming kernels, shared by host and device.
#pragma once

#include "kernels/cuda/run_time/arguments.hpp"
#include "kernels/platform.hpp"

namespace lapl {

struct StreamSizes {
  int value_bytes;  ///< bytes of one value
  int slots;        ///< largest number of arrays that enter a stage or leave the step
  int chunks;       ///< columns of a lane, in units of 16 bytes
  int levels;       ///< levels (stages) of each warp: whole steps, or a part of one
  int warps;        ///< at least two
  bool lagged;      ///< levels go from last to first, each on rows computed a row step ago
  /// rows leave through shared memory, so that neighbouring lanes write neighbouring 16 bytes
  bool staged = false;
  /// where warps share a step: the arrays that a launch loads, and those that leave all warps but
  /// the last
  int entering = 0, handed = 0;
  int missing = 0;  ///< levels that the last warp lacks
  /// the rows of a turn share code, and rows move from register to register: for long code, of
  /// which three copies would not fit the cache of instructions
  bool rolled = false;

  static constexpr int lanes = 32;
  static constexpr int turn_rows = 3;  ///< rows after which each row is in its old registers again
  static constexpr int ahead = 3;      ///< turns whose rows are being loaded, see turns_ahead()

  LAPL_HOST_DEVICE constexpr int count() const { return 16 / value_bytes; }
  LAPL_HOST_DEVICE constexpr int columns() const { return chunks * count(); }
  LAPL_HOST_DEVICE constexpr int width() const { return lanes * columns(); }
  LAPL_HOST_DEVICE constexpr int depth() const { return levels * warps - missing; }
  LAPL_HOST_DEVICE constexpr int levels_in(int warp) const {
    return warp == warps - 1 ? levels - missing : levels;
  }
  /// Rows by which a warp's output lags behind its input.
  LAPL_HOST_DEVICE constexpr int lag() const { return lagged ? 2 * levels - 1 : levels; }
  /// Row steps of a segment before its first row leaves the last warp.
  LAPL_HOST_DEVICE constexpr int start_rows() const { return depth() + warps * lag() - missing; }
  LAPL_HOST_DEVICE constexpr int halo() const {
    return (depth() + count() - 1) / count() * count();
  }
  LAPL_HOST_DEVICE constexpr int kept() const { return width() - 2 * halo(); }
  /// Turns that the buffer between two warps holds.
  LAPL_HOST_DEVICE constexpr int ring() const { return warps > 2 ? 2 : 4; }
  /// Lanes per row in shared memory, padded: access by lane and by 16 bytes has no bank conflicts.
  LAPL_HOST_DEVICE constexpr int pitch() const { return lanes + (chunks > 1 ? 8 / chunks : 0); }
  LAPL_HOST_DEVICE constexpr int turns_ahead() const { return entering > 0 ? 2 : ahead; }
  LAPL_HOST_DEVICE constexpr int loaded() const { return entering > 0 ? entering : slots; }
  LAPL_HOST_DEVICE constexpr int passed() const { return handed > 0 ? handed : links() * slots; }
  LAPL_HOST_DEVICE constexpr int row_bytes() const { return chunks * pitch() * 16; }
  LAPL_HOST_DEVICE constexpr int links() const { return staged ? warps : warps - 1; }
  LAPL_HOST_DEVICE constexpr int shared_bytes() const {
    return ((turns_ahead() + 1) * loaded() + ring() * passed()) * turn_rows * row_bytes();
  }
};

template <class T, class Index = int>
struct StreamGrid {
  Index rows, columns, strips;
  GridIndex pitch, field_stride;
  const T *row_positions, *column_positions;  ///< coordinates, as in StageGrid
  CellIndices cells;
};

/// Sizes of the streaming kernel on three axes (kernels/cuda/run_time/volume.cuh).
struct VolumeSizes {
  int value_bytes;  ///< bytes of one value
  int slots;        ///< largest number of arrays that enter a stage
  int rows;         ///< rows of each warp
  int levels;

  static constexpr int lanes = 32, warps = 8;
  static constexpr int turn_planes = 3;  ///< planes after which each is in its old registers
  static constexpr int ahead = 2;        ///< planes being loaded from memory
  static constexpr int ring = ahead + 2;

  constexpr int count() const { return 16 / value_bytes; }
  constexpr int width() const { return lanes * count(); }
  constexpr int height() const { return rows * warps; }
  constexpr int halo_columns() const {
    return (levels + 2 * count() - 1) / (2 * count()) * 2 * count();
  }
  constexpr int kept_columns() const { return width() - 2 * halo_columns(); }
  constexpr int kept_rows() const { return height() - 2 * levels; }
  constexpr int shared_bytes() const {
    const int between = levels > 1 ? levels - 1 : 1;
    return slots * lanes * 16 * (ring * (height() + 2) + 4 * between * (warps + 1));
  }
};

template <class T>
struct VolumeGrid {
  int planes, rows, columns;
  int tiles_down, tiles_across;
  /// number of tiles that a block computes whole; number of chunks of each other tile
  int whole, chunks;
  GridIndex pitch, plane_stride, field_stride;
  const T* positions[3];  ///< coordinates, as in StageGrid
  CellIndices cells;
};

/// The form of a ghost condition, ghost = a + b * inside, as far as it is known at compile time.
enum class GhostKind : int { constant, even, scaled, affine, any, along };

}  // namespace lapl
