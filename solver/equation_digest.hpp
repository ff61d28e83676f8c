// A number for the computation in a run's steps: two configs share it only if they give every cell
// the same bits by the same operations (or by chance, 2^-64).
#pragma once

#include <cstdint>

#include "solver/make_problem.hpp"

namespace lapl {

/// The digest of an equation's canonical form (docs/format.md): the operations that make each field
/// with their numbers, offsets, times and laws, and the values of the coefficient fields. Names and
/// the order of stages, operations, factors and terms do not matter. `coefficients` holds every
/// parameter that is a field.
std::uint64_t equation_digest(const Model& model, const CoefficientFields& coefficients);

}  // namespace lapl
