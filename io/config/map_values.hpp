// Values of a run config that are maps: laws of an axis, parameters, initial fields, named
// formulas. Each is read, described, and written again as one line of YAML.
#pragma once

#include <string>

#include "io/config/config_value.hpp"

namespace lapl {

ValueType formula_text();  ///< the text of a formula, a plain number among them
ValueType axis_laws();     ///< {first: LAW, last: LAW}
ValueType parameter();     ///< a number, or where a field comes from
ValueType initial_map(
    int axes);  ///< of a grid, 0: any: {kind: ..., and the keys of section initial that it reads}
ValueType named_formulas();   ///< {NAME: FORMULA, ...}
ValueType derived_outputs();  ///< {NAME: {formula: FORMULA, unit: UNIT}, ...}
ValueType physical_time();    ///< {time: SECONDS}
ValueType probes();           ///< {every: STEPS, at: {NAME: [row, column], ...}}

std::string yaml_of(const ProbesConfig& probes);
std::string yaml_of(const AxisLaws& laws);
std::string yaml_of(const ParameterConfig& parameter);
std::string yaml_of(const InitialMap& initial);
std::string yaml_of(const NamedFormulas& formulas);
std::string yaml_of(const std::vector<DerivedConfig>& derived);

}  // namespace lapl
