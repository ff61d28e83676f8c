// Stages of a step as data: trees of operations that compute new values of a cell from values
// within one cell of it. The order of operations is the canon: every engine keeps it, and so gives
// the bits of engine "reference", which interprets the tree cell by cell. Diffusion on two axes:
//
//     left  right     up  down
//        \  /           \  /
//        sum            sum          up     at offset (0, -1,  0): plane, row, column
//           \           /            right  at offset (0,  0, +1)
//            \         /
//        -4   sum  centre
//          \   |   /
//           fma            c   centre          fma(-4, centre, sum)
//             \           |   /
//              ---------- fma                  fma(c, difference, centre): the new value
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "kernels/stages/operations.hpp"

namespace lapl {

/// The offset from a cell to one of its neighbours, or to itself.
struct Offset {
  int plane = 0, row = 0, column = 0;  ///< each is -1, 0 or 1
  friend constexpr bool operator==(Offset, Offset) = default;
};

/// One operation; its operands stand before it in the tree.
struct StageOperation {
  Operation operation = Operation::number;
  std::array<int, 3> operands = {};  ///< indices in the tree; unused ones are 0
  double number = 0;                 ///< of a number; rounded once to the precision of the fields
  std::uint64_t seed = 0;            ///< of a noise
  int index = 0;   ///< the array of a value, the axis of a position, a noise's use, a reduction
  Offset at = {};  ///< where a value or position is read
  auto key() const {
    return std::tuple(operation, operands, std::bit_cast<std::uint64_t>(number), seed, index,
                      at.plane, at.row, at.column);
  }
  /// Numbers are equal if their bits are: -0 is not 0.
  friend bool operator==(const StageOperation& a, const StageOperation& b) {
    return a.key() == b.key();
  }
};

struct StageTree {
  std::vector<StageOperation> operations;
  std::vector<int> results;  ///< the operations whose values are the results

  /// These functions return the index of an operation; they append it only if the tree has no equal
  /// one.
  int value(int array, Offset at);
  int position(int axis, Offset at);       ///< axis 0: planes (z), 1: rows (y), 2: columns (x)
  int noise(std::uint64_t seed, int use);  ///< of variance 1 (kernels/stages/noise.hpp)
  int number(double number);
  int time();                  ///< time of the state that the stage reads
  int time_step();             ///< dt, where it differs from step to step
  int reduced(int reduction);  ///< index in Problem::reduced (kernels/stages/grid_reduction.hpp)
  int operate(Operation operation, int a, int b = 0, int c = 0);

  friend bool operator==(const StageTree& a, const StageTree& b) {
    return a.operations == b.operations && a.results == b.results;
  }

 private:
  int find_or_add(const StageOperation& operation);

  std::map<decltype(StageOperation().key()), int> places_;  // index of each operation so far
};

/// Properties of a tree that engines make use of (docs/numerics.md).
struct StageProperties {
  int arithmetic = 0;  ///< operations a cell, without leaves; a fused multiply-add counts as one
  int radius = 0;      ///< largest distance of a read, in cells along any axis
  /// True if each result is a sum of values times factors, and of terms without values; neither
  /// factors nor terms depend on the state.
  bool linear = false;
  /// Linear without such terms, so values may be scaled by a power of two.
  bool homogeneous = false;
  /// True if the results keep their bits when any axis is reversed. A homogeneous stage may then
  /// extend the grid beyond its faces: oddly if they hold 0, evenly if they are insulated.
  bool mirror_symmetric = false;
};
StageProperties stage_properties(const StageTree& tree);

/// True if the first two operands may be swapped.
bool commutes(Operation operation);

/// True if both trees give the same bits by the same operations, in whatever order they are listed.
bool same_results(const StageTree& a, const StageTree& b);

/// True if results depend on the step other than by the values read: by time, noise or a reduction.
bool reads_time(const StageTree& tree);
/// True if the tree reads the time itself.
bool names_time(const StageTree& tree);
/// True if results depend on the place other than by the values read: by positions or noise.
bool reads_positions(const StageTree& tree);
bool reads_noise(const StageTree& tree);
/// True if the tree reads neighbours along the axis of this member of Offset.
bool reads_beside(const StageTree& tree, int Offset::*along);
/// True if the tree reads an array, in its cell or beside it.
bool reads_array(const StageTree& tree, int array);
/// The approximate number of instructions a cell.
int instruction_count(const StageTree& tree);

/// The tree without operations that no result needs.
StageTree without_unused(const StageTree& tree);

/// For each operation, true if it is one of these or one of them depends on it.
std::vector<bool> needed_by(const StageTree& tree, const std::vector<int>& these);

/// For each operation, true if `leaf` returns true for it or for one that it depends on.
std::vector<bool> depending_on(const StageTree& tree, bool (*leaf)(const StageOperation&));

/// For each operation, true if it is computed from the time, dt and numbers alone.
std::vector<bool> scalars_in(const StageTree& tree);

/// The tree of a step of diffusion (kernels/stages/diffusion.hpp) on one to three axes: new centre
/// = centre + c * difference, where c is `coefficient` and difference is the sum of the neighbours
/// minus 2 * axes * centre.
StageTree diffusion_tree(int axes, double coefficient);

}  // namespace lapl
