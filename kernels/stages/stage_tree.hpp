// What a stage of a step computes, as data: trees of operations that make new values at a cell from
// values within one cell in every direction. The order of their operations is the canon: every
// engine keeps to it, and so has the bits of engine "reference", which interprets it cell by cell.
// Diffusion on two axes:
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

/// From a cell to one of those around it, or to itself.
struct Offset {
  int plane = 0, row = 0, column = 0;  ///< -1, 0 or 1
  friend constexpr bool operator==(Offset, Offset) = default;
};

/// One operation; operands are those before it in its tree.
struct StageOperation {
  Operation operation = Operation::number;
  std::array<int, 3> operands = {};  ///< as many as its row has, the rest 0
  double number = 0;                 ///< number: rounded once to the precision of the fields
  int index = 0;                     ///< value: the array; position: the axis
  Offset at = {};                    ///< value, position: where it is read
  auto key() const {
    return std::tuple(operation, operands, std::bit_cast<std::uint64_t>(number), index, at.plane,
                      at.row, at.column);
  }
  /// Numbers are equal where their bits are: -0 is not 0.
  friend bool operator==(const StageOperation& a, const StageOperation& b) {
    return a.key() == b.key();
  }
};

struct StageTree {
  std::vector<StageOperation> operations;
  std::vector<int> results;  ///< the operations that make what the stage is for

  /// Each returns the place of an operation, which it appends where there is no equal one yet.
  int value(int array, Offset at);
  int position(int axis, Offset at);  ///< axis: 0 along planes (z), 1 rows (y), 2 columns (x)
  int number(double number);
  int time();  ///< of the state that the stage reads
  int operate(Operation operation, int a, int b = 0, int c = 0);

  friend bool operator==(const StageTree& a, const StageTree& b) {
    return a.operations == b.operations && a.results == b.results;
  }

 private:
  int place_of(const StageOperation& operation);

  std::map<decltype(StageOperation().key()), int> places_;  // of the operations so far
};

/// What follows from a tree, and what engines may make use of (docs/numerics.md).
struct StageProperties {
  int arithmetic = 0;  ///< operations a cell that compute, a fused multiply-add as one
  int radius = 0;      ///< cells that it reads beyond its own, along any axis
  /// A sum of values times factors that do not depend on the state, and of terms that do not.
  bool linear = false;
  /// Linear without such terms: values may be scaled by a power of two.
  bool homogeneous = false;
  /// The same bits when an axis is turned round: a homogeneous stage may extend the grid beyond its
  /// faces, oddly where they hold 0, evenly where they are insulated.
  bool mirror_symmetric = false;
};
StageProperties properties_of(const StageTree& tree);

/// Whether the first two operands may change places.
bool commutes(Operation operation);

/// Whether two trees make the same bits by the same operations, in whatever order they stand.
bool same_results(const StageTree& a, const StageTree& b);

bool reads_time(const StageTree& tree);
bool reads_positions(const StageTree& tree);
/// True where the tree reads values beside the cell along that axis.
bool reads_beside(const StageTree& tree, int Offset::*along);
/// The instructions that a cell takes, roughly.
int work_of(const StageTree& tree);

/// The tree without operations that no result is made of.
StageTree without_unused(const StageTree& tree);

/// Of each operation: whether it is such a leaf, or made of one.
std::vector<bool> made_of(const StageTree& tree, bool (*leaf)(const StageOperation&));

/// The tree of DiffusionStage (kernels/stages/diffusion.hpp) on one to three axes:
/// s = ((left + right) + (up + down)) + (front + back), difference = s - 2 axes centre,
/// new centre = centre + c difference.
StageTree diffusion_tree(int axes, double coefficient);

}  // namespace lapl
