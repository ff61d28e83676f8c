// The problem that a config states: stages, faces and fields of coefficients, in its precision.
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

/// Values in the precision of a run. Throws DeviceError where memory does not suffice.
template <class T>
std::vector<T> rounded_once(const std::vector<double>& values) {
  std::vector<T> rounded = host_vector<T>(std::ssize(values));
  std::ranges::transform(values, rounded.begin(),
                         [](double value) { return static_cast<T>(value); });
  return rounded;
}

/// The values of parameters that are fields: shape.cells() each, by name.
using CoefficientFields = std::map<std::string, std::vector<double>, std::less<>>;

/// Without values, for what does not read them.
CoefficientFields unread_coefficients(const RunConfig& config);

/// `coefficients` holds every parameter that is a field.
template <class T>
Problem<T> problem_of(const Model& model, const CoefficientFields& coefficients);

/// The same with other stages than those of a step.
template <class T>
Problem<T> problem_with(const RunConfig& config, const CoefficientFields& coefficients,
                        const StepStages& stages);

/// Those of coefficients and quantities: they go on evenly beyond every face that is not periodic.
template <class T>
Faces<T> quantity_faces(const Boundaries& boundaries) {
  const auto of = [](Boundary boundary) {
    return boundary == Boundary::periodic ? boundary : Boundary::insulated;
  };
  return Boundaries{of(boundaries.rows), of(boundaries.columns), of(boundaries.planes)};
}

/// The values at every node of a formula of the position, parameters and, in initial fields,
/// `random`: computed in float64. `draws` counts uses of random of the config's seed, and goes on
/// from one call to the next. Of all rows, or of those that are given. Of several `ranks` the first
/// has the values of `coefficients`; all call it. Throws FormulaError.
std::vector<double> values_of_formula(const std::string& name, const FormulaText& text,
                                      const RunConfig& config,
                                      const CoefficientFields& coefficients, Ranks& ranks,
                                      std::int64_t* draws = nullptr,
                                      std::optional<RowRange> rows = {});

}  // namespace lapl
