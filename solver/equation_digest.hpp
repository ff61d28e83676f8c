// A number that identifies the computation in a run's steps. Two configs share it only if they
// compute the same bits in every cell by the same operations (or by chance, 2^-64).
#pragma once

#include <cstdint>

#include "solver/make_problem.hpp"

namespace lapl {

/// The digest of an equation's canonical form (docs/format.md): the operations that compute each
/// field with their numbers, offsets, times and conditions, and the values of the coefficient
/// fields. Names and the order of stages, operations, factors and terms have no effect.
/// `coefficients` has every parameter that is a field.
std::uint64_t equation_digest(const Model& model, const CoefficientFields& coefficients);

}  // namespace lapl
