// Warns of frozen cells: rounding to float32 hides the changes that steps make to them.
#pragma once

#include <string>

#include "kernels/backend.hpp"
#include "solver/model.hpp"

namespace lapl {

/// A warning where at least 1% of a float32 field is frozen; else empty.
std::string frozen_warning(const Model& model, const Captured<float>& captured);
/// Always empty: no higher precision can be advised.
std::string frozen_warning(const Model& model, const Captured<double>& captured);

}  // namespace lapl
