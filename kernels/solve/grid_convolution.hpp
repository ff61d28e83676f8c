// A convolution over the whole grid. A stage waits for it as for a solve: its "equations" give the
// last array of their state from the first.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/cpu/face_conditions.hpp"
#include "kernels/filters/cpu/cpu_filter.hpp"
#include "kernels/solve/grid_continuation.hpp"
#include "kernels/solve/grid_equations.hpp"

namespace lapl {

/// result(i) = sum over k of weights(k) * source(i - k), where k runs from -reach to reach along
/// each axis. It is computed in float64: by the filter of a plane of weights (kernels/filters) for
/// each plane of the source, then the sum over planes, from the first one on.
///
/// Beyond a face, source(-j) is what the face's condition gives from source(j - 1), its mirror
/// image: a + b * source(j - 1), and for a slope (b = 1) (2 j - 1) a + source(j - 1). Columns
/// continue first, then rows, then planes. At a side of `sides`, a follows from the ghost g that
/// stages computed, a = g - b * source(0); beyond a node that holds, source(-j) is
/// 2 source(0) - source(j).
template <class T>
class GridConvolution final : public GridEquations {
 public:
  /// `problem` gives the shape of the whole grid, and array `source` of it the faces.
  GridConvolution(const Problem<T>& problem, int source, ConvolutionWindow window,
                  std::vector<ContinuedSide> sides, int threads);

  /// `state` has the source's values, those of the ghosts of `sides`, in their cells inside, then
  /// those of the result.
  void solve(std::vector<double>& state, const SolveMoment& at) override;

  const ConvolutionWindow& window() const { return window_; }
  const std::vector<ContinuedSide>& sides() const { return sides_; }
  double own_memory() const override;

  /// The continuation at a time, without source and array. Valid until the next call.
  GridContinuation<T> continuation(double time);
  /// For a window that only moves values: how far, in the extended array.
  std::optional<std::int64_t> moved() const { return moved_; }
  /// The filter of each plane of weights, which reads planes of the extended array; none for a
  /// plane of zeros.
  std::vector<std::optional<FilterPlan<double>>> plans() const;

 private:
  bool by_volume() const { return window_.by_fft && window_.shape.planes > 1; }

  Problem<T> faces_;  // of one array
  ConvolutionWindow window_;
  std::vector<ContinuedSide> sides_;
  int threads_;
  FaceConditions<T> conditions_;
  GridContinuation<T> grid_{};
  std::vector<double> extended_;
  std::optional<std::int64_t> moved_;
  std::vector<std::unique_ptr<CpuFilter<double>>> filters_;  // of each plane of weights; null: 0
  std::unique_ptr<CpuFilter<double>> volume_;  // instead; the rank that convolves makes it
};

}  // namespace lapl
