// Initial fields. Where a field is given by a formula, docs/numerics.md has it too.
#pragma once

#include <span>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// rows * columns values of the kinds uniform, gaussian, checkerboard and sine.
///   gaussian      amplitude exp(-r^2 / (2 w^2)) about `center`, w = width rows, or width columns
///                 where there is one row
///   checkerboard  +amplitude and -amplitude on squares of `tile` cells; cell (0, 0) is positive
///   sine          amplitude times the product of the boundaries' eigenmodes (eigenmode below)
std::vector<double> formula_field(const RunConfig& config);

/// Value at node `index` of eigenmode `mode` of the second difference on `size` nodes:
///   zero       sin((index + 1) theta),    theta = pi mode / (size + 1)
///   insulated  cos((index + 1/2) theta),  theta = pi mode / size
///   periodic   cos(index theta),          theta = 2 pi mode / size
double eigenmode(Boundary boundary, std::int64_t mode, std::int64_t index, std::int64_t size);

/// Its eigenvalue 2 - 2 cos(theta): a step multiplies a product of modes by 1 - c (sum of the two).
double eigenvalue(Boundary boundary, std::int64_t mode, std::int64_t size);

/// Sets the backend's state to the config's initial field, rounded once from float64. `loaded`
/// holds the values of the kinds image and hdf5, which io/ reads; it is not used otherwise.
template <class T>
void set_initial_state(Backend<T>& backend, const RunConfig& config,
                       std::span<const double> loaded);

}  // namespace lapl
