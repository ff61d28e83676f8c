// A number for what a run's steps compute: that two configs share only if every cell gets the same
// bits by the same operations (but for chance, 2^-64).
#pragma once

#include <cstdint>

#include "solver/make_problem.hpp"

namespace lapl {

/// The digest of an equation's canonical form (docs/format.md): the operations that make each field
/// from the fields, with their numbers, offsets, times and laws, and the values of the parameters
/// that are fields. Neither names nor the order in which stages and operations stand are in it, nor
/// the order of factors and terms. `coefficients` holds every parameter that is a field.
std::uint64_t equation_digest(const Model& model, const CoefficientFields& coefficients);

}  // namespace lapl
