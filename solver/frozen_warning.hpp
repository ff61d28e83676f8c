// What to tell people of cells that stand still.
#pragma once

#include <string>

#include "kernels/backend.hpp"
#include "solver/model.hpp"

namespace lapl {

/// What to tell people of a field in float32 of which 1% or more is frozen; empty for any other.
std::string frozen_warning(const Model& model, const Captured<float>& captured);
/// Empty: there is no precision to advise.
std::string frozen_warning(const Model& model, const Captured<double>& captured);

}  // namespace lapl
