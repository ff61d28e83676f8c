// The sizes of a streaming kernel, as the host and it see them.
#pragma once

#include "kernels/cuda/run_time/arguments.hpp"
#include "kernels/platform.hpp"

namespace lapl {

struct StreamSizes {
  int value_bytes;  ///< of a number
  int slots;        ///< arrays on their way together
  int chunks;       ///< of 16 bytes: a lane's columns
  int levels;       ///< stages that a warp takes
  int warps;        ///< two or more
  bool lagged;  ///< levels from last to first, each on rows made a row step ago; else from first
  bool staged = false;  ///< rows leave through shared memory: neighbouring lanes, 16 bytes each

  static constexpr int lanes = 32;
  static constexpr int turn_rows = 3;  ///< after which each row is where it was
  static constexpr int ahead = 3;      ///< turns on their way from memory

  LAPL_HOST_DEVICE constexpr int count() const { return 16 / value_bytes; }
  LAPL_HOST_DEVICE constexpr int columns() const { return chunks * count(); }
  LAPL_HOST_DEVICE constexpr int width() const { return lanes * columns(); }
  LAPL_HOST_DEVICE constexpr int depth() const { return levels * warps; }
  /// Rows between a warp's input and its output.
  LAPL_HOST_DEVICE constexpr int lag() const { return lagged ? 2 * levels - 1 : levels; }
  LAPL_HOST_DEVICE constexpr int start_rows() const { return depth() + warps * lag(); }
  LAPL_HOST_DEVICE constexpr int halo() const {
    return (depth() + count() - 1) / count() * count();
  }
  LAPL_HOST_DEVICE constexpr int kept() const { return width() - 2 * halo(); }
  /// Turns between two warps.
  LAPL_HOST_DEVICE constexpr int ring() const { return warps > 2 ? 2 : 4; }
  /// Keeps both orders of access, by lane and by 16 bytes, free of conflicts.
  LAPL_HOST_DEVICE constexpr int pitch() const { return lanes + (chunks > 1 ? 8 / chunks : 0); }
  LAPL_HOST_DEVICE constexpr int row_bytes() const { return slots * chunks * pitch() * 16; }
  LAPL_HOST_DEVICE constexpr int links() const { return staged ? warps : warps - 1; }
  LAPL_HOST_DEVICE constexpr int turns_held() const { return ahead + 1 + links() * ring(); }
  LAPL_HOST_DEVICE constexpr int shared_bytes() const {
    return turns_held() * turn_rows * row_bytes();
  }
};

template <class T, class Index = int>
struct StreamGrid {
  Index rows, columns, strips;
  GridIndex pitch, field_stride;
  const T *row_positions, *column_positions;  ///< as in StageGrid
};

/// Of the kernel that walks through volumes (kernels/cuda/run_time/volume.cuh).
struct VolumeSizes {
  int value_bytes;  ///< of a number
  int slots;        ///< arrays on their way together
  int rows;         ///< of a warp
  int levels;

  static constexpr int lanes = 32, warps = 8;
  static constexpr int turn_planes = 3;  ///< after which each plane is where it was
  static constexpr int ahead = 2;        ///< planes on their way from memory
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
  int whole, chunks;  ///< tiles taken whole; pieces of each of the others
  GridIndex pitch, plane_stride, field_stride;
  const T* positions[3];  ///< as in StageGrid
};

/// What a ghost is made of the value beside it.
enum class GhostKind : int { constant, even, scaled, affine, any };

}  // namespace lapl
