// Types of the arguments of CUDA kernels compiled at run time, shared by host and device.
#pragma once

namespace lapl {

using GridIndex = long long;

/// An array that a kernel gets by value, as a parameter.
template <class V, int size>
struct Values {
  V of[size];
};

/// A condition for ghost cells, ghost = a + b * inside (kernels/grid/ghost.hpp).
template <class T>
struct GhostCondition {
  T a, b;
};

/// The ghost conditions of one face of one array. If `each` is null, `everywhere` is the condition
/// of the whole face. Else the condition of node (i, j) is each[(i + 1) * pitch + j + 1], with i
/// along the slower and j along the faster axis of the face; i and j start at -1, at ghost nodes.
/// On two axes i is 0. Streaming kernels have `nodes` further conditions for each further level.
template <class T>
struct FaceTable {
  GhostCondition<T> everywhere;
  const GhostCondition<T>* each;
  GridIndex pitch, nodes;
};

/// For each axis and each index along it, the number of cells of the whole grid before that index.
/// The index of a cell, which noise depends on, is the sum over the axes. Stored like coordinates;
/// null if no stage draws noise.
struct CellIndices {
  const unsigned long long* along[3];
};

/// The grid; axis 0 is planes, 1 rows, 2 columns.
template <class T>
struct StageGrid {
  GridIndex size[3];
  GridIndex pitch;
  int wraps[3];
  unsigned tiles[3];  ///< number of tiles along each axis, for tile kernels
  /// Coordinates of each axis; the pointer is to node 0. Coordinates are stored from
  /// `position_margin` nodes before the grid to as many nodes after it.
  const T* positions[3];
  CellIndices cells;
};

/// The largest magnitude among the errors of a step (Problem::measures_error), for kernels that
/// find it while they store them.
struct LargestError {
  unsigned long long* bits;  ///< of the blocks so far, as those of a double; 0 between launches
  unsigned* blocks;          ///< the number of blocks that are done; 0 between launches
  double* on_host;           ///< the result, in page-locked memory, as of Engine::largest_error
};

/// The grid of a resident kernel.
template <class T>
struct ResidentGrid {
  int rows, columns, tiles_down, tiles_across;
  int steps;
  unsigned published;  ///< how often each tile had published its rim before this launch
  unsigned* flags;     ///< for each tile, how often it has published its rim
  GridIndex pitch, field_stride;
  T* images[2];           ///< copies of the fields in device memory, to which tiles publish in turn
  const T* positions[2];  ///< coordinates of rows and columns, as in StageGrid
};
inline constexpr int position_margin = 1024;

}  // namespace lapl
