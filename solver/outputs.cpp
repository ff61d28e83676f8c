#include "solver/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/derived.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/ranks/rank_rows.hpp"
#include "solver/equation/complex_parts.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/side_stages.hpp"
#include "solver/make_problem.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

// On two axes with one spacing h and no conditions: the 5-point Laplacian of the first field, as a
// sum divided by h^2. Else the operator laplacian of formulas.
StepStages laplacian_stages(const RunConfig& run, const FormulaSystem& system, double outside) {
  const std::vector<double> spacing = run.spacing.given(run.shape.axes);
  if (!run.conditions.empty() || run.shape.axes != 2 || spacing.size() > 1)
    return value_stages(system,
                        parse_formula(std::string(laplacian_name),
                                      fmt::format("laplacian({})", run.fields.front())),
                        outside);
  const auto arrays = static_cast<int>(system.names.arrays.size());
  StepStages made{
      {{.tree = laplacian_tree(spacing.front() * spacing.front()), .targets = {arrays}}}, {}, {}};
  for (int array = 0; array < arrays; ++array) made.like.push_back(array);
  made.like.push_back(-1);
  return with_conditions(std::move(made), system, outside);
}

// In words of UDUNITS: "K m-2".
std::string laplacian_unit(const RunConfig& run) {
  const std::string& length = run.units.length;
  const std::string field = field_labels(run, run.fields.front()).unit;
  if (length.empty() || field.empty()) return {};
  return fmt::format("{} {}-2", field, is_plain_name(length) ? length : '(' + length + ')');
}

}  // namespace

std::span<const NamedOutput> named_outputs() {
  static constexpr NamedOutput rows[] = {
      {laplacian_name, laplacian_unit, true,
       [](const RunConfig& run) {
         return fmt::format("{}-point Laplacian of {}", 1 + 2 * run.shape.axes, run.fields.front());
       },
       laplacian_stages}};
  return rows;
}

bool is_drawn_around_zero(std::string_view name) {
  return std::ranges::any_of(named_outputs(), [&](const NamedOutput& output) {
    return output.name == name && output.drawn_around_zero;
  });
}

std::vector<std::string> output_names(const RunConfig& config) {
  std::vector<std::string> names = config.fields;
  if (config.fields.size() == 1)
    for (const NamedOutput& output : named_outputs()) names.emplace_back(output.name);
  for (const DerivedConfig& derived : config.derived) names.push_back(derived.name);
  return names;
}

FieldLabels field_labels(const RunConfig& run, const std::string& field) {
  const std::string complex = complex_parent(run, field);
  const auto given = run.labels.find(complex.empty() ? field : complex);
  if (given == run.labels.end()) return {};
  FieldLabels labels = given->second;
  if (complex.empty()) return labels;
  labels.standard_name.clear();
  if (!labels.label.empty())
    labels.label =
        (field == part_names(complex)[0] ? "real part of " : "imaginary part of ") + labels.label;
  return labels;
}

const std::string& filtered_field(const RunConfig& config, const FilterConfig& filter) {
  return filter.field.empty() ? config.fields.front() : filter.field;
}

const Interval* own_interval(const RunConfig& config, const std::string& dataset) {
  const std::string complex = complex_parent(config, dataset);
  const auto found = config.field_intervals.find(complex.empty() ? dataset : complex);
  return found == config.field_intervals.end() ? nullptr : &found->second;
}

std::vector<const OutputDataset*> due_datasets(const Model& model, std::int64_t step, double time,
                                               bool has_all) {
  std::vector<const OutputDataset*> due;
  for (const OutputDataset& dataset : model.outputs) {
    const Interval* const own = own_interval(model.run, dataset.name);
    if (has_all || !own ||
        (own->time ? is_multiple(model.run, own->time, time) : step % own->steps == 0))
      due.push_back(&dataset);
  }
  return due;
}

template <class T>
std::vector<DerivedOutput<T>> planned_outputs(const Model& model, const Problem<T>& problem,
                                              const std::vector<FilterPlan<T>>& filters) {
  std::vector<DerivedOutput<T>> plans;
  const auto add = [&](const std::vector<StepStages>& made) {
    for (const StepStages& stages : made) {
      Problem<T> derived = problem_with<T>(model.run, unread_coefficients(model.run), stages);
      derived.coefficients = problem.coefficients;
      plans.push_back(std::move(derived));
    }
  };
  add(model.derived);
  plans.insert(plans.end(), filters.begin(), filters.end());
  if (model.stop) add({*model.stop});
  add(model.integrals);
  return plans;
}
LAPL_FOR_FLOATS(planned_outputs);

template <class T>
std::vector<T> whole_state(Backend<T>& backend, std::int64_t fields) {
  const Capture<T> capture = backend.capture();
  const Captured<T> captured = capture.wait();
  std::vector<T> whole;
  for (std::int64_t field = 0; field < fields; ++field) {
    const std::vector<T> values = gather_rows(*captured.ranks, captured.field(field));
    whole.insert(whole.end(), values.begin(), values.end());
  }
  return whole;
}
LAPL_FOR_FLOATS(whole_state);

}  // namespace lapl
