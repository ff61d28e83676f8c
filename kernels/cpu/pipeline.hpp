// How a piece of the grid goes through several steps of several stages while it stays in the cache.
// Rows stream through a chain of stages. Each stage works some rows behind the stages whose results
// it reads. Each version of an array has a ring buffer (ring) with only the rows that are still to
// be read.
//
//   row t enters             version 0 of u   . . o o o        rows in its ring, newest right
//   row t - 1 is computed    version 1 of u     . . o o o      by stage 0 of the first step
//   row t - 2 is computed    version 2 of u       . . o o o    by stage 0 of the second step
//   ...                                           leaves after k steps
//
// Each stage computes a group of rows at a time (`rows_at_once`). All but the outer rows of a group
// find what they read in the level-one cache.
//
// On three axes the rows of a piece stream plane by plane. A stage that reads the planes before and
// after its own lags one plane behind. A ring holds two planes and some rows:
//
//   plane p + 1   ......|            each character is a row; the newest row is at this bar
//   plane p       ######|######      stage 0 computes the row at this bar
//   plane p - 1         |######
//
// Each step computes a version of each array. If a stage reads neighbouring cells of a version, the
// version must reach one cell further (`reach`) than the result and be one row ahead of it (`lag`).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/problem.hpp"
#include "kernels/stages/stage_code.hpp"

namespace lapl {

/// A number of rows in a stream, as planes of the piece plus rows.
struct StreamRows {
  std::int64_t planes = 0, rows = 0;

  std::int64_t of(std::int64_t rows_of_plane) const { return planes * rows_of_plane + rows; }
};

/// The plan of a pass of `steps` steps, for any piece of the grid.
struct Pipeline {
  /// The values of an array that enter, or that a stage computes in one of the steps.
  struct Version {
    int array = 0;
    StreamRows lag = {};     ///< rows by which the version is behind the rows that enter
    StreamRows rows = {};    ///< rows of its ring; 0 if it goes straight to the field
    std::int64_t reach = 0;  ///< cells needed beyond the piece, on every side
    bool goes_out = false;   ///< true for a field after the last step
  };
  /// A stage in one of the steps.
  struct Instance {
    int stage = 0;
    int step = 0;
    /// for each line that the stage reads, its version; -1 if it has none
    std::vector<int> sources;
    std::vector<int> results;  ///< the version that each target becomes
    StreamRows lag = {};
    std::int64_t reach = 0;
  };
  std::vector<Version> versions;  ///< the fields that enter come first
  std::vector<Instance> instances;
  std::int64_t halo = 0;  ///< cells that a pass reads beyond a piece, on each side
  StreamRows last_lag;    ///< largest lag of a version
  StreamRows rows;        ///< rows of all rings together

  /// Rows that a stage computes at a time. A ring read at neighbouring rows then has 8 rows.
  static constexpr std::int64_t rows_at_once = 6;

  Pipeline(const std::vector<Stage>& stages, const std::vector<StageLayout>& layouts, int fields,
           int coefficients, int arrays, int steps);
};

}  // namespace lapl
