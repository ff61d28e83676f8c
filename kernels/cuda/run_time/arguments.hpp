// What kernels that are compiled at run time are given, as the host and they see it.
#pragma once

namespace lapl {

using GridIndex = long long;

/// As a kernel takes it: of a size that its text states.
template <class V, int size>
struct Values {
  V of[size];
};

/// ghost = a + b inside (kernels/grid/ghost.hpp).
template <class T>
struct GhostLaw {
  T a, b;
};

/// Of one face of one array: the same all along it, or one for each node beside it, ghosts at its
/// ends among them: each[(i + 1) pitch + j + 1], i and j along the slower and the faster axis.
template <class T>
struct FaceTable {
  GhostLaw<T> everywhere;
  const GhostLaw<T>* each;
  GridIndex pitch;
};

/// The grid; axis 0 planes, 1 rows, 2 columns.
template <class T>
struct StageGrid {
  GridIndex size[3];
  GridIndex pitch;
  int wraps[3];
  unsigned tiles[3];  ///< of tile kernels
  /// Of nodes, by index; `position_margin` nodes beyond either end have one too.
  const T* positions[3];
};

/// Of kernels that stay on the chip.
template <class T>
struct ResidentGrid {
  int rows, columns, tiles_down, tiles_across;
  int steps;
  unsigned published;  ///< how often each tile has published before
  unsigned* flags;     ///< of each tile: how often it has
  GridIndex pitch, field_stride;
  T* images[2];           ///< of the fields, where tiles publish by turns
  const T* positions[2];  ///< of rows and columns, as in StageGrid
};
inline constexpr int position_margin = 1024;

}  // namespace lapl
