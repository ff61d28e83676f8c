#include "solver/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/derived.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/outputs.hpp"

namespace lapl {
namespace {

// On two axes with one spacing the Laplacian of the first field is the 5-point sum divided by h^2;
// with other spacings, axes or laws it is the operator of formulas.
StepStages laplacian_stages(const Model& model) {
  const RunConfig& run = model.run;
  const std::vector<double> spacing = run.spacing.given(run.shape.axes);
  if (!run.laws.empty() || run.shape.axes != 2 || spacing.size() > 1)
    return value_stages(model.system,
                        parse_formula(std::string(laplacian_name),
                                      fmt::format("laplacian({})", run.fields.front())));
  const auto arrays = static_cast<int>(model.system.names.arrays.size());
  StepStages made{
      {{.tree = laplacian_tree(spacing.front() * spacing.front()), .targets = {arrays}}}, {}, {}};
  for (int array = 0; array < arrays; ++array) made.like.push_back(array);
  made.like.push_back(-1);
  return made;
}

}  // namespace

Model::Model(RunConfig config)
    : run(std::move(config)), system(system_of(run)), step(stages_of(run, system)) {
  std::size_t place = 0;
  for (const std::string& name : run.output_fields) {
    const auto field = std::ranges::find(run.fields, name);
    if (field != run.fields.end()) {
      outputs.push_back({name, name, "1", "", field - run.fields.begin(), std::nullopt});
      continue;
    }
    const auto given = std::ranges::find(run.derived, name, &DerivedConfig::name);
    if (given != run.derived.end()) {
      outputs.push_back({name, given->formula.text(), given->unit, "output " + name, 0, place++});
      derived.push_back(value_stages(system, given->formula.parsed(name)));
    } else {
      outputs.push_back(
          {name,
           fmt::format("{}-point Laplacian of {}", 1 + 2 * run.shape.axes, run.fields.front()),
           "m-2", "the " + name, 0, place++});
      derived.push_back(laplacian_stages(*this));
    }
  }
  for (const FilterConfig& filter : run.filters)
    outputs.push_back({filter.name,
                       fmt::format("{}, {} with {}", filtered_field(run, filter),
                                   name_of(filter.kind), name_of(filter.kernel)),
                       "1", "filter " + filter.name, 0, place++});
  for (const auto& [name, formula] : run.integrals)
    integrals.push_back(value_stages(system, formula.parsed(name)));
}

}  // namespace lapl
