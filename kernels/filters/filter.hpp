// Filters: convolution and correlation of a field with a small window of weights.
//
//   output[i,j] = sum over a,b of weights[a,b] * input[i + a - before_rows, j + b - before_columns]
//
// Convolutions and correlations in every mode are this sum: a convolution has its weights in
// reverse order, and the mode determines before_rows, before_columns and the output's shape
// (solver/filters/correlation.hpp). Indices outside the input are resolved as in scipy.ndimage's
// modes of the same names:
//
//   constant   k k k k | a b c d | k k k k        nearest   a a a a | a b c d | d d d d
//   reflect    d c b a | a b c d | d c b a        mirror    . d c b | a b c d | c b a .
//   wrap       a b c d | a b c d | a b c d
//
// The direct method starts from the first product, rounded once, and adds the other terms in
// row-major order of the window, each by one fma: the same bits on every backend. Weights of 0 are
// left out, as in SciPy, so a NaN under one of them does not spread.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "kernels/grid/grid.hpp"
#include "kernels/platform.hpp"

namespace lapl {

enum class Edge : std::uint8_t { constant, nearest, reflect, mirror, wrap };

/// The index in the input of the value at `index`, which may be at any distance outside 0 ... size
/// - 1; -1 if the value is the constant. The type must be able to hold 2 (|index| + size).
template <class Index>
LAPL_HOST_DEVICE Index edge_index(Edge edge, Index index, std::type_identity_t<Index> size) {
  if (index >= 0 && index < size) return index;
  switch (edge) {
    case Edge::constant: return -1;
    case Edge::nearest: return index < 0 ? 0 : size - 1;
    default: break;
  }
  if (edge == Edge::mirror && size == 1) return 0;
  const Index period = edge == Edge::wrap ? size : edge == Edge::reflect ? 2 * size : 2 * size - 2;
  Index place = index % period;
  if (place < 0) place += period;
  if (place < size) return place;
  return (edge == Edge::reflect ? 2 * size - 1 : 2 * size - 2) - place;
}

/// direct: the plain sum. separable: two passes along one axis each, for weights of rank 1. fft:
/// products of transforms, with overlap-save on large inputs.
enum class FilterMethod : std::uint8_t { direct, separable, fft };

/// True if a window of rank 1 is faster in two passes than in one (docs/performance.md).
inline bool pays_in_two_passes(Shape window, bool cuda) {
  return window.rows > 1 && window.columns > 1 && window.rows * window.columns >= (cuda ? 169 : 49);
}

/// A filter for inputs of one shape.
template <class T>
struct Correlation {
  Shape input;
  Shape output;
  Shape window;
  std::vector<T> weights;           ///< window.rows * window.columns, row-major
  std::int64_t before_rows = 0;     ///< rows of the window before the output's row
  std::int64_t before_columns = 0;  ///< columns of the window before the output's column
  Edge edge = Edge::constant;
  T constant = 0;
};

/// The weights of a convolution over the grid (kernels/solve/grid_convolution.hpp), by plane, row
/// and column; their sizes are odd.
struct ConvolutionWindow {
  Shape shape;
  std::vector<double> weights;
  bool by_fft = false;  ///< computed by transforms, with other bits

  std::int64_t reach(std::size_t axis) const { return by_axis(shape)[axis] / 2; }
};

/// A side at which stages impose the condition of a convolution's source: its first ghost is
/// g = a + b * inside, and an array has g. At a node that holds there is none.
struct ContinuedSide {
  int axis = 0;
  bool last = false, at_node = false;
  int b = 0;
  friend auto operator<=>(const ContinuedSide&, const ContinuedSide&) = default;
};

template <class T>
struct FilterPlan {
  Correlation<T> correlation;
  FilterMethod method = FilterMethod::direct;
  int field = 0;           ///< index in the state of the field that it filters, in a run
  bool skips_nan = false;  ///< of frames (make_frame_filter); fields of a run have no NaN
};

/// The factors of a window of rank 1: weights[a,b] = rows[a] * columns[b] to within 4 eps *
/// max|weights|.
template <class T>
struct SeparableWeights {
  std::vector<T> rows, columns;
};

/// The factors of the window's weights, computed in double precision and rounded to T. None if the
/// weights are not of rank 1, or if a weight is 0 but neither of its factors is: a NaN under that
/// weight would spread.
template <class T>
std::optional<SeparableWeights<T>> separate(const Correlation<T>& correlation);

}  // namespace lapl
