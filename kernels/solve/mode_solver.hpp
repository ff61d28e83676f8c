// The inverse, but for rounding, of a matrix whose rows are alike: those of an operator with
// constant coefficients, symmetric along each axis, on a box of cells with the conditions that
// spectral_modes.hpp lists. The modes of these conditions are its eigenvectors.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/solve/preconditioner.hpp"

namespace lapl {

/// The cells that have an equation with others, and what their rows are. All but one entries of
/// other rows are 0.
struct AlikeRows {
  std::array<std::int64_t, 3> first{}, size{};  ///< of the box, by axis
  std::array<double, stencil_offsets> entries{};
  /// The value beyond each end of an axis over that at it: 0, 1 or -1. Not read on periodic axes.
  std::array<std::array<int, 2>, 3> beyond{};
};

/// None if the rows are not alike.
std::optional<AlikeRows> alike_rows(const StencilMatrix& matrix, int threads);

/// `rows` are those of `matrix`.
std::unique_ptr<Preconditioner> make_mode_solver(StencilMatrix matrix, const AlikeRows& rows,
                                                 int threads);

}  // namespace lapl
