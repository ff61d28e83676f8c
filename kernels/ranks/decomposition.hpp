// The division of a grid among ranks: into blocks for stepping, by cuts along up to three axes, and
// into ranges of whole rows for files and sums.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/grid/part.hpp"

namespace lapl {

/// Costs of the work of a rank in seconds, for float32 values: the constants of the model in
/// docs/scaling.md.
struct RankCosts {
  double cell = 0;     ///< a step of one cell in the cache, or on the chip
  double traffic = 0;  ///< moving one cell from memory and back, once per pass
  double byte = 0;     ///< exchanging one byte of a halo
  double message = 0;  ///< sending one message
  /// Factors on the cost of a halo across planes, rows and columns. A halo of columns costs most,
  /// because its cells are gathered from the whole block.
  std::array<double, 3> packing = {1, 1, 1};
};
/// Two processors in one machine.
inline constexpr RankCosts costs_of_cores = {1 / 1.5e9, 1 / 0.7e9, 1 / 4e9, 5e-6, {1, 1.5, 3}};
/// Two H200 in one machine, by NCCL.
inline constexpr RankCosts costs_of_gpus = {1 / 6e12, 1 / 0.6e12, 1 / 240e9, 11e-6, {1, 1.2, 2}};
/// H200 in several machines, by NCCL; the cost of the network is an estimate.
inline constexpr RankCosts costs_between_machines = {
    1 / 6e12, 1 / 0.6e12, 1 / 45e9, 15e-6, {1, 1.2, 2}};
/// H200 whose halos go through host memory.
inline constexpr RankCosts costs_through_host = {1 / 6e12, 1 / 0.6e12, 1 / 5e9, 50e-6, {1, 1, 1}};

/// A range of lines along the slowest axis, numbered like the cells of a grid of the other axes.
struct LineRange {
  std::int64_t first = 0, count = 0;
};

struct Division {
  Shape grid;
  std::array<bool, 3> endless = {};  ///< periodic axes: planes, rows, columns
  int ranks = 1;
  std::int64_t reach = 1;          ///< distance in cells from which a step of a cell reads values
  std::int64_t steps_of_pass = 1;  ///< steps that an engine runs per pass
  std::int64_t most_passes = 1;    ///< largest number of passes from one exchange to the next
  std::int64_t least_depth = 0;    ///< smallest depth of halos, which derived outputs need
  /// blocks must be slabs of whole rows, cut at even lines: a GPU transforms two lines at once
  bool pairs = false;
  RankCosts costs = costs_of_cores;
};

struct Decomposition {
  Shape grid;
  std::array<bool, 3> endless = {};
  int ranks = 1;  ///< number of all ranks; the first stepping() of them step
  std::array<int, 3> counts = {1, 1, 1};  ///< number of blocks along each axis
  std::int64_t depth = 0;                 ///< depth of the halos in cells
  bool pairs = false;  ///< cuts are at even indices, so that slices and lines stay in pairs

  int stepping() const { return counts[0] * counts[1] * counts[2]; }
  bool is_cut(std::size_t axis) const { return counts[axis] > 1; }
  /// True if every block consists of whole, consecutive rows of the grid.
  bool is_rows() const { return !is_cut(2) && (grid.axes < 3 || !is_cut(1)); }

  /// The part of a rank; empty if the rank has nothing to step.
  Part part(int rank) const;
  /// The rank whose block is `towards` blocks away along each axis; -1 if there is none.
  int neighbour(int rank, const std::array<int, 3>& towards) const;
  /// The rows that a rank stores and sums; the rows of its block if blocks are whole rows.
  RowRange rows(int rank) const;
  /// The lines along the slowest axis whose modes a rank has.
  LineRange lines(int rank) const;
};

/// The cost of a step of one of the largest blocks, by the model of docs/scaling.md.
struct ModelledStep {
  double seconds = 0;     ///< seconds per step: cells, halo and exchange
  double exchange = 0;    ///< seconds per step of the exchange
  double halo_bytes = 0;  ///< bytes received per exchange
  /// speed relative to a block without halos that takes as many steps as it can per pass
  double efficiency = 0;
};
ModelledStep modelled_step(const Decomposition& by, const Division& division,
                           std::size_t value_bytes = 4);

/// The decomposition that takes the least time by the model; slabs of the slowest axis if they take
/// at most a twentieth more. Blocks are at least as wide as the reach of a step, so some ranks may
/// get none.
Decomposition decompose(const Division& division);

}  // namespace lapl
