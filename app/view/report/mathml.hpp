// Formulas and equations as MathML Core (https://www.w3.org/TR/mathml-core/).
#pragma once

#include <string>

#include "solver/run_config.hpp"

namespace lapl {

/// A formula as the content of <math>.
std::string formula_mathml(const Formula& formula);

/// The equations of a run as HTML: rates, quantities, solves, and the values of its numeric
/// parameters.
std::string equations_html(const RunConfig& run);

/// The conditions at the sides of the grid as HTML: around a box, drawn as pictures of the run are.
std::string boundaries_html(const RunConfig& run, bool first_row_below);

}  // namespace lapl
