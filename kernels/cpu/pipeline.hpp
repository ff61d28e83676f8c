// How a piece of the grid goes through several steps of several stages while it stays in the cache.
// Rows stream through a chain of stages, each some rows behind those that it reads, and each array
// keeps only the rows that are still to be read.
//
//   row t comes in      version 0 of u   . . o o o        rows of a ring each, the newest right
//   row t - 1 is made   version 1 of u     . . o o o      by stage 0 of the first step
//   row t - 2 is made   version 2 of u       . . o o o    by stage 0 of the second
//   ...                                      goes out: k steps on
//
// Each stage makes a group of rows at a time (`rows_at_once`). All but the outer rows of a group
// find what they read in the level-one cache.
//
// On three axes the rows of a piece stream plane by plane, and a stage that reads the planes before
// and after its own is a plane behind. A ring holds two planes and some rows:
//
//   plane p + 1   ......|            what comes in ends here
//   plane p       ######|######      each a row of the piece: stage 0 is at this bar
//   plane p - 1         |######
//
// A step makes a version of each array. A version whose neighbouring cells a stage reads must reach
// one cell further (`reach`) than the result of the stage, and is made one row earlier (`lag`).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/problem.hpp"
#include "kernels/stages/stage_code.hpp"

namespace lapl {

/// A number of rows in a stream: planes of the piece, and rows.
struct StreamRows {
  std::int64_t planes = 0, rows = 0;

  std::int64_t of(std::int64_t rows_of_plane) const { return planes * rows_of_plane + rows; }
};

/// The plan of a pass of `steps` steps, for any piece of the grid.
struct Pipeline {
  struct Version {
    int array = 0;
    StreamRows lag = {};     ///< rows behind those that enter
    StreamRows rows = {};    ///< of its ring; none if nobody reads it
    std::int64_t reach = 0;  ///< cells needed beyond the piece, on every side
    bool goes_out = false;   ///< it is the state after the last step
  };
  struct Instance {
    int stage = 0;
    int step = 0;
    std::vector<int> sources;  ///< version that each line of the layout reads; -1 if it is none
    std::vector<int> results;  ///< version that each target makes
    StreamRows lag = {};
    std::int64_t reach = 0;
  };
  std::vector<Version> versions;  ///< first the ones that enter, in the order of the fields
  std::vector<Instance> instances;
  std::int64_t halo = 0;  ///< cells that a piece reads beyond its own
  StreamRows last_lag;    ///< lag of the last version
  StreamRows rows;        ///< rows of all rings together

  /// If a ring is read at neighbouring rows, it then has 8 rows.
  static constexpr std::int64_t rows_at_once = 6;

  Pipeline(const std::vector<Stage>& stages, const std::vector<StageLayout>& layouts, int fields,
           int coefficients, int arrays, int steps);
};

}  // namespace lapl
