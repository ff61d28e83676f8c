// Makes the problem of a config: stages, faces and coefficient fields in the run's precision.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/fields/host_vector.hpp"
#include "kernels/problem.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/equation/stages.hpp"
#include "solver/model.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The values rounded to T. Throws DeviceError where memory does not suffice.
template <class T>
std::vector<T> rounded_once(const std::vector<double>& values) {
  std::vector<T> rounded = host_vector<T>(std::ssize(values));
  std::ranges::transform(values, rounded.begin(),
                         [](double value) { return static_cast<T>(value); });
  return rounded;
}

/// The values of the coefficient fields, by name (coefficient_names); shape.cells() values each.
using CoefficientFields = std::map<std::string, std::vector<double>, std::less<>>;

/// The names of the coefficient fields without values, for callers that do not read values.
CoefficientFields unread_coefficients(const RunConfig& config);

/// The problem that an engine computes with these stages; `coefficients` has every parameter that
/// is a field.
template <class T>
Problem<T> problem_with(const RunConfig& config, const CoefficientFields& coefficients,
                        const StepStages& stages);

/// The problem whose stages compute the rates of the fields, without noise, into its last arrays,
/// in the unit of each field per second.
Problem<double> rates_problem(const RunConfig& config, const FormulaSystem& system,
                              const CoefficientFields& coefficients);

/// The equations of solved fields, in their order.
std::vector<std::shared_ptr<GridEquations>> grid_systems(const RunConfig& config,
                                                         const FormulaSystem& system,
                                                         const CoefficientFields& coefficients);

/// The problem of one step, with the rates that engine spectral or the scheme needs. Throws
/// FormulaError, and ConfigError if that engine or scheme cannot step the run. Without
/// `with_source`, as on all but the first of several ranks, no values of coefficients are read.
template <class T>
Problem<T> make_problem(const Model& model, const CoefficientFields& coefficients,
                        bool with_source = true);

/// The faces of coefficients and quantities: periodic where the grid is, else insulated.
template <class T>
Faces<T> quantity_faces(const Boundaries& boundaries) {
  const auto of = [](Boundary boundary) {
    return boundary == Boundary::periodic ? boundary : Boundary::insulated;
  };
  return Boundaries{of(boundaries.rows), of(boundaries.columns), of(boundaries.planes)};
}

/// The values of a formula of position, parameters and (in initial fields) `random` at every node,
/// in float64; `rows` selects some rows. `draws` counts the uses of `random` with the config's seed
/// and continues from call to call. Collective: with several `ranks` the first has the values of
/// `coefficients`, and each has the values in its `rows` of other initial parts, `others`. Throws
/// FormulaError.
std::vector<double> values_of_formula(const std::string& name, const FormulaText& text,
                                      const RunConfig& config,
                                      const CoefficientFields& coefficients, Ranks& ranks,
                                      std::int64_t* draws = nullptr,
                                      std::optional<RowRange> rows = {},
                                      const CoefficientFields& others = {});

}  // namespace lapl
