// Warns of frozen cells, whose changes in a step are lost by rounding to float32.
#pragma once

#include <string>

#include "kernels/backend.hpp"
#include "solver/model.hpp"

namespace lapl {

/// A warning if at least 1% of a float32 field is frozen; else empty.
std::string frozen_warning(const Model& model, const Captured<float>& captured);
/// Always empty, because there is no higher precision.
std::string frozen_warning(const Model& model, const Captured<double>& captured);

}  // namespace lapl
