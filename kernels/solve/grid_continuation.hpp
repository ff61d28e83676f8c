// How an array continues beyond the sides of a grid, on the host and on a GPU.
#pragma once

#include <cstdint>

#include "kernels/grid/face.hpp"

namespace lapl {

/// The source of the values beyond one side.
template <class T>
struct SideContinuation {
  Face<T> everywhere;
  /// where the condition differs along the side; as ConditionsAlongFace has them
  const Face<T>* each = nullptr;
  std::int64_t pitch = 0;
  /// The array with the first ghosts a + b * inside, counted from the source on; 0: none.
  int ghosts = 0;
  int b = 0;
  bool at_node = false;  ///< mirrored about the value of a node that holds
};

/// The cells of a grid within an array that has `reach` more values before and behind each axis.
template <class T>
struct GridContinuation {
  std::int64_t size[3], reach[3];  ///< along planes, rows and columns
  std::int64_t stride[3];          ///< of the extended array
  bool wraps[3];
  SideContinuation<T> sides[3][2];  ///< first and last of each axis
  const double* source = nullptr;   ///< values of the cells, and the ghosts' arrays behind them
  double* first = nullptr;          ///< the first cell in the extended array

  LAPL_HOST_DEVICE std::int64_t cells() const { return size[0] * size[1] * size[2]; }
  LAPL_HOST_DEVICE std::int64_t extent(int axis) const { return size[axis] + 2 * reach[axis]; }
  /// Points to the first cell of a row, counted through all planes, in the extended array.
  LAPL_HOST_DEVICE double* row(std::int64_t index) const {
    return first + index / size[1] * stride[0] + index % size[1] * stride[1];
  }
  /// Number of elements of a table of conditions along a side.
  LAPL_HOST_DEVICE std::int64_t nodes(int axis) const {
    return (size[slower(axis)] + 2) * (size[faster(axis)] + 2);
  }
  /// The index of the first cell in the extended array.
  LAPL_HOST_DEVICE std::int64_t corner() const {
    return reach[0] * stride[0] + reach[1] * stride[1] + reach[2] * stride[2];
  }

  /// Number of lines along an axis. Columns continue first, then rows, then planes, so lines along
  /// an axis also cross what continues the faster axes.
  LAPL_HOST_DEVICE std::int64_t lines(int axis) const {
    return width(slower(axis), axis) * width(faster(axis), axis);
  }
  /// Computes the values from the `from`th to the `to`th before the first cell of a line, or behind
  /// the last.
  LAPL_HOST_DEVICE void extend(int axis, bool last, std::int64_t line, std::int64_t from,
                               std::int64_t to) const {
    const int slow_axis = slower(axis), fast_axis = faster(axis);
    const std::int64_t across = width(fast_axis, axis), length = size[axis];
    const std::int64_t slow = line / across - margin(slow_axis, axis);
    const std::int64_t fast = line % across - margin(fast_axis, axis);
    double* const edge = first + slow * stride[slow_axis] + fast * stride[fast_axis] +
                         (last ? (length - 1) * stride[axis] : 0);
    const std::int64_t inward = last ? -stride[axis] : stride[axis];
    if (wraps[axis]) {
      for (std::int64_t j = from; j <= to; ++j)
        edge[-j * inward] = edge[(length - j % length) % length * inward];
      return;
    }
    const Face<double> face = condition(axis, last, slow, fast, *edge);
    const std::int64_t mirror = sides[axis][last ? 1 : 0].at_node ? 0 : 1;
    for (std::int64_t j = from; j <= to; ++j) {
      const std::int64_t depth = j - mirror < length - 1 ? j - mirror : length - 1;
      edge[-j * inward] =
          ghost_value(face.b == 1 ? face.a * static_cast<double>(2 * j - 1) : face.a, face.b,
                      edge[depth * inward]);
    }
  }

 private:
  LAPL_HOST_DEVICE static int slower(int axis) { return axis == 0 ? 1 : 0; }
  LAPL_HOST_DEVICE static int faster(int axis) { return axis == 2 ? 1 : 2; }
  LAPL_HOST_DEVICE std::int64_t margin(int other, int axis) const {
    return other > axis ? reach[other] : 0;
  }
  LAPL_HOST_DEVICE std::int64_t width(int other, int axis) const {
    return size[other] + 2 * margin(other, axis);
  }
  LAPL_HOST_DEVICE static std::int64_t within(std::int64_t value, std::int64_t least,
                                              std::int64_t most) {
    return value < least ? least : value > most ? most : value;
  }

  // The condition of a side at indices along its other axes; `inside` is the value of its cell.
  LAPL_HOST_DEVICE Face<double> condition(int axis, bool last, std::int64_t slow, std::int64_t fast,
                                          double inside) const {
    const SideContinuation<T>& side = sides[axis][last ? 1 : 0];
    if (side.at_node) return {2 * inside, -1};
    const int slow_axis = slower(axis), fast_axis = faster(axis);
    if (side.ghosts == 0) {
      const Face<T>& face = side.each == nullptr
                                ? side.everywhere
                                : side.each[(within(slow, -1, size[slow_axis]) + 1) * side.pitch +
                                            within(fast, -1, size[fast_axis]) + 1];
      return {static_cast<double>(face.a), static_cast<double>(face.b)};
    }
    std::int64_t at[3];
    at[axis] = last ? size[axis] - 1 : 0;
    at[slow_axis] = slow;
    at[fast_axis] = fast;
    for (const int other : {slow_axis, fast_axis})
      at[other] = wraps[other] ? (at[other] % size[other] + size[other]) % size[other]
                               : within(at[other], 0, size[other] - 1);
    const std::int64_t cell = (at[0] * size[1] + at[1]) * size[2] + at[2];
    const double b = side.b;
    return {source[side.ghosts * cells() + cell] - b * source[cell], b};
  }
};

}  // namespace lapl
