// How a piece of the grid goes through several steps of several stages while it stays in the cache:
// rows stream through a chain of stages, each some rows behind those that it reads, and each array
// keeps only the rows that are still to be read.
//
//   row t comes in      version 0 of u   . . o o o        rows of a ring each, the newest right
//   row t - 1 is made   version 1 of u     . . o o o      by stage 0 of the first step
//   row t - 2 is made   version 2 of u       . . o o o    by stage 0 of the second
//   ...                                      goes out: k steps on
//
// Each stage makes some rows at a time (`rows_at_once`), of which all but the outer ones find what
// they read in the level-one cache.
//
// On three axes the rows of a piece stream plane by plane, and a stage that reads the planes before
// and after its own is a plane behind. A ring holds two planes and some rows:
//
//   plane p + 1   ......|            what comes in ends here
//   plane p       ######|######      each a row of the piece: stage 0 is at this bar
//   plane p - 1         |######
//
// A step makes a version of each array; a version that a stage reads beside the cell has to reach
// one cell further (`reach`) than what the stage makes, and is made one row earlier (`lag`).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/problem.hpp"
#include "kernels/stages/stage_code.hpp"

namespace lapl {

/// Rows of a stream, counted in planes of the piece and in rows.
struct StreamRows {
  std::int64_t planes = 0, rows = 0;

  std::int64_t of(std::int64_t rows_of_plane) const { return planes * rows_of_plane + rows; }
};

/// The plan of a pass of `steps` steps, for any piece of the grid.
struct Pipeline {
  struct Version {
    int array = 0;
    StreamRows lag = {};     ///< behind those that come in
    StreamRows rows = {};    ///< of the ring; none: nobody reads it
    std::int64_t reach = 0;  ///< cells beyond the piece that are needed, on every side
    bool goes_out = false;   ///< the state after the last step
  };
  struct Instance {
    int stage = 0;
    int step = 0;
    std::vector<int> sources;  ///< of each line of its layout: the version; -1: not one
    std::vector<int> results;  ///< of each target: the version
    StreamRows lag = {};
    std::int64_t reach = 0;
  };
  std::vector<Version> versions;  ///< those that come in first, in the order of the fields
  std::vector<Instance> instances;
  std::int64_t halo = 0;  ///< cells that a piece reads beyond its own
  StreamRows last_lag;    ///< that the last one is behind
  StreamRows rows;        ///< of all rings

  /// With rings of 8 rows for what the next stage reads beside the cell.
  static constexpr std::int64_t rows_at_once = 6;

  Pipeline(const std::vector<Stage>& stages, const std::vector<StageLayout>& layouts, int fields,
           int coefficients, int arrays, int steps);
};

}  // namespace lapl
