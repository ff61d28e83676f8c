// What a stage of a step computes, as data: for each field of the state a tree of operations that
// makes its new value at a cell from values within one cell in every direction. The order of its
// operations is the canon: every engine keeps to it, and so has the bits of its interpreter
// (engine "reference"). Diffusion on two axes:
//
//     left  right     up  down
//        \  /           \  /
//        add            add          up     at offset (0, -1,  0): plane, row, column
//           \           /            right  at offset (0,  0, +1)
//            \         /
//        -4   add  centre
//          \   |   /
//           fma            c   centre          fma(-4, centre, sum)
//             \           |   /
//              ---------- fma                  fma(c, difference, centre): the new value
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace lapl {

enum class Operation : std::uint8_t { value, number, parameter, add, fused_multiply_add };

/// From a cell to one of those around it, or to itself.
struct Offset {
  int plane = 0, row = 0, column = 0;  ///< -1, 0 or 1
  friend constexpr bool operator==(Offset, Offset) = default;
};

/// One operation; operands are those before it in its tree.
struct StageOperation {
  Operation operation = Operation::number;
  std::array<int, 3> operands = {};  ///< add: a + b; fused_multiply_add: a b + c, one rounding
  double number = 0;                 ///< number: rounded once to the precision of the fields
  int index = 0;                     ///< value: the field; parameter: its place among them
  Offset at = {};                    ///< value: where it is read
  friend bool operator==(const StageOperation&, const StageOperation&) = default;
};

struct StageTree {
  std::vector<StageOperation> operations;
  std::vector<int> results;  ///< of each field: the operation that makes its new value

  /// Each appends one operation and returns its place.
  int value(int field, Offset at);
  int number(double number);
  int parameter(int index);
  int add(int a, int b);
  int fused_multiply_add(int a, int b, int c);

  friend bool operator==(const StageTree&, const StageTree&) = default;
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

/// The tree of DiffusionStage (kernels/diffusion.hpp) on one to three axes:
/// s = ((left + right) + (up + down)) + (front + back), difference = s - 2 axes centre,
/// new centre = centre + c difference; c is parameter 0.
StageTree diffusion_tree(int axes);

}  // namespace lapl
