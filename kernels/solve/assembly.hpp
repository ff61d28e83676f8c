#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/problem.hpp"
#include "kernels/solve/stencil_matrix.hpp"

namespace lapl {

/// The matrices of functions of one field's values. Entry (i, j) is the change of the function in
/// cell i, divided by `unit`, where the value in cell j is larger by `unit`: the derivative, if
/// `unit` is small or the function linear. No two cells beside one cell change at once (A. R.
/// Curtis, M. J. D. Powell and J. K. Reid, J. Inst. Math. Appl. 13, 117, 1974).
///
/// `unknown` has the cells' values, which `evaluate` reads; it returns the values of all functions,
/// one after the other. `at_base` are these for the values as they are. If `along_axes`, functions
/// read cells along one axis alone. None if a function reads cells that are not beside its own.
std::optional<std::vector<StencilMatrix>> stencil_matrices(
    const PaddedGrid& grid, std::span<double> unknown, double unit, std::span<const double> at_base,
    const std::function<std::span<const double>()>& evaluate, bool along_axes, int threads);

/// True if the last arrays of a problem are computed from cells along one axis alone.
bool reads_along_axes(const Problem<double>& problem);

}  // namespace lapl
