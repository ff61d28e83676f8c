// How a grid is divided among ranks: into blocks, a Cartesian product of cuts along up to three
// axes, and, for whatever is stored or summed up, into ranges of whole rows.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/grid/part.hpp"

namespace lapl {

/// Seconds that a rank takes, of float32 values: the constants of the model in docs/scaling.md.
struct RankCosts {
  double cell = 0;     ///< in the cache, or on the chip
  double traffic = 0;  ///< a cell to and from memory, once a pass
  double byte = 0;     ///< of a halo
  double message = 0;
  /// Times as long as planes take rows and columns, which are gathered from all over a block.
  std::array<double, 3> packing = {1, 1, 1};
};
/// Of two processors of one machine.
inline constexpr RankCosts costs_of_cores = {1 / 1.5e9, 1 / 0.7e9, 1 / 4e9, 5e-6, {1, 1.5, 3}};
/// Of two H200 of one machine, by NCCL.
inline constexpr RankCosts costs_of_gpus = {1 / 6e12, 1 / 0.6e12, 1 / 240e9, 11e-6, {1, 1.2, 2}};
/// Of H200 of several machines, by NCCL; the network estimated.
inline constexpr RankCosts costs_between_machines = {
    1 / 6e12, 1 / 0.6e12, 1 / 45e9, 15e-6, {1, 1.2, 2}};
/// Of H200 whose halos go through host memory.
inline constexpr RankCosts costs_through_host = {1 / 6e12, 1 / 0.6e12, 1 / 5e9, 50e-6, {1, 1, 1}};

/// What a decomposition depends on.
struct Division {
  Shape grid;
  std::array<bool, 3> endless = {};  ///< periodic axes: planes, rows, columns
  int ranks = 1;
  std::int64_t reach = 1;  ///< cells that a step reads beyond its own, through all of its stages
  std::int64_t steps_of_pass = 1;  ///< that an engine takes at once
  std::int64_t most_passes = 1;    ///< between exchanges
  std::int64_t least_depth = 0;    ///< of halos, for what outputs derive from the state
  RankCosts costs = costs_of_cores;
};

struct Decomposition {
  Shape grid;
  std::array<bool, 3> endless = {};
  int ranks = 1;                          ///< those that step are the first of them
  std::array<int, 3> counts = {1, 1, 1};  ///< of blocks along each axis
  std::int64_t depth = 0;                 ///< of the halos, in cells

  int stepping() const { return counts[0] * counts[1] * counts[2]; }
  bool is_cut(std::size_t axis) const { return counts[axis] > 1; }
  /// Whether every block is whole rows of the grid, one after the other.
  bool is_rows() const { return !is_cut(2) && (grid.axes < 3 || !is_cut(1)); }

  /// Of a rank; an empty one where it has nothing to step.
  Part part(int rank) const;
  /// The rank beside another, so many blocks on along each axis; -1 where there is none.
  int neighbour(int rank, const std::array<int, 3>& towards) const;
  /// The rows that a rank hands out and takes: those of its block where blocks are rows.
  RowRange rows(int rank) const;
};

/// Of one of the largest blocks, by the model of docs/scaling.md.
struct ModelledStep {
  double seconds = 0;     ///< a step: its cells, those of its halos, and the exchange
  double exchange = 0;    ///< seconds a step of that
  double halo_bytes = 0;  ///< that it gets in an exchange
  double efficiency = 0;  ///< to a block without halos that takes the most steps at once
};
ModelledStep modelled_step(const Decomposition& by, const Division& division,
                           std::size_t value_bytes = 4);

/// The division that takes the least by that model; slabs of the slowest axis where they are within
/// a twentieth of it. Blocks are as wide as a step reaches, so that ranks may be left without one.
Decomposition decompose(const Division& division);

}  // namespace lapl
