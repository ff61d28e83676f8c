#include "solver/model.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "kernels/error.hpp"
#include "kernels/fields/fill_value.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/outputs.hpp"

namespace lapl {
Model::Model(const RunConfig& config) : Model(config, make_system(config)) {}

Model::Model(RunConfig config, FormulaSystem of_config)
    : run(std::move(config)), system(std::move(of_config)), step(equation_stages(run, system)) {
  std::size_t place = 0;
  if (run.mask)
    for (const std::string& field : run.fields) {
      derived.push_back(value_stages(system, parse_formula(field, field), fill_value));
      ++place;
    }
  for (const std::string& name : run.output_fields) {
    const auto field = std::ranges::find(run.fields, name);
    if (field != run.fields.end()) {
      const auto index = field - run.fields.begin();
      const auto [unit, label, standard_name] = field_labels(run, name);
      outputs.push_back({name, label.empty() ? name : label, unit, standard_name, "field " + name,
                         index, std::nullopt});
      if (run.mask) outputs.back().derived = static_cast<std::size_t>(index);
      continue;
    }
    const auto given = std::ranges::find(run.derived, name, &DerivedConfig::name);
    if (given != run.derived.end()) {
      outputs.push_back(
          {name, given->formula.text(), given->unit, "", "output " + name, 0, place++});
      derived.push_back(value_stages(system, given->formula.parsed(name), fill_value));
    } else {
      const auto named = std::ranges::find(named_outputs(), name, &NamedOutput::name);
      if (named == named_outputs().end())
        throw ConfigError("output.fields: found {} (expected one of {})", name,
                          fmt::join(output_names(run), ", "));
      outputs.push_back(
          {name, named->description(run), named->unit(run), "", "the " + name, 0, place++});
      derived.push_back(named->stages(run, system, fill_value));
    }
  }
  for (const FilterConfig& filter : run.filters)
    outputs.push_back({filter.name,
                       fmt::format("{}, {} with {}", filtered_field(run, filter),
                                   enum_name(filter.kind), enum_name(filter.kernel)),
                       field_labels(run, filtered_field(run, filter)).unit, "",
                       "filter " + filter.name, 0, place++});
  for (const IntegralConfig& integral : run.integrals) {
    const Formula formula = integral.formula.parsed(integral.name);
    const CellFaces faces = faces_on(integral, run);
    integrals.push_back(integral.on == "cells" ? volume_stages(system, formula, faces.cells)
                        : faces.outward.empty()
                            ? value_stages(system, parse_formula(integral.name, "0"))
                            : face_stages(system, formula, faces));
  }
  if (run.stop) stop = value_stages(system, run.stop->when.parsed("limits.stop"));
}

}  // namespace lapl
