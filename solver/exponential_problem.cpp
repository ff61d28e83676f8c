#include "solver/exponential_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/error.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/symbol_terms.hpp"

namespace lapl {
namespace {

bool is_zero(const ModeRate& rate) { return rate.of_mean == 0 && rate.terms.empty(); }

// Throws Refusal where a term damps short waves most, as diffusion does, and has a factor that
// varies in space or time: the scheme would treat it explicitly, so it would limit the step.
void require_constant(const RunConfig& config, RateSymbol& symbol) {
  const int fields = symbol.fields();
  symbol.at({});
  const SquareMatrix of_mean = symbol.varying_at();
  symbol.at({0.9, 1, 1.1});
  for (int row = 0; row < fields; ++row) {
    const auto leaf = symbol.varying_leaf(row);
    for (int column = 0; leaf && column < fields; ++column) {
      const Complex of_wave = symbol.varying_at().at(row, column);
      const double change = of_wave.real() - of_mean.at(row, column).real();
      if (std::abs(change) <= 1e-10 * std::abs(of_wave)) continue;
      constexpr std::array axes = {"z", "y", "x"};
      const std::string name =
          leaf->operation == Operation::time ? "t"
          : leaf->operation == Operation::position
              ? axes.at(static_cast<std::size_t>(leaf->index))
              : coefficient_names(config).at(static_cast<std::size_t>(leaf->index - fields));
      throw Refusal{
          fmt::format("the rate of {} multiplies {} and its neighbours by a factor that depends on "
                      "{}, which is "
                      "not the same everywhere (rkl2, bs23 and dopri5 take such factors)",
                      config.fields[row], config.fields[column], name)};
    }
  }
}

// Groups the fields that the linear part couples.
std::vector<ExponentialRates::Group> coupled_groups(const SymbolTerms& terms,
                                                    const std::vector<Faces<double>>& faces) {
  const std::size_t fields = faces.size();
  std::vector<ModeRate> rates;
  for (std::size_t row = 0; row < fields; ++row)
    for (std::size_t column = 0; column < fields; ++column)
      rates.push_back(terms.rate(static_cast<int>(row), static_cast<int>(column)));
  std::vector<std::size_t> group(fields);
  std::iota(group.begin(), group.end(), 0);
  const auto couple = [&](std::size_t a, std::size_t b) {
    const auto size = std::ranges::count_if(
        group, [&](std::size_t of) { return of == group[a] || of == group[b]; });
    if (size <= most_coupled) std::ranges::replace(group, group[b], group[a]);
  };
  for (std::size_t row = 0; row < fields; ++row)
    for (std::size_t column = 0; column < fields; ++column)
      if (row != column && faces[row] == faces[column] && !is_zero(rates[row * fields + column]))
        couple(std::min(row, column), std::max(row, column));
  std::vector<ExponentialRates::Group> groups;
  for (std::size_t first = 0; first < fields; ++first) {
    if (std::ranges::find(group, group[first]) != group.begin() + first) continue;
    ExponentialRates::Group& made = groups.emplace_back();
    made.faces = faces[first];
    for (std::size_t field = first; field < fields; ++field)
      if (group[field] == group[first]) made.fields.push_back(static_cast<int>(field));
    for (const int row : made.fields)
      for (const int column : made.fields) made.linear.push_back(rates[row * fields + column]);
  }
  return groups;
}

// Throws Refusal if the scheme cannot step the run.
ExponentialRates make_exponential_rates(RunConfig config, const FormulaSystem& system,
                                        const CoefficientFields& coefficients) {
  if (config.mask) throw Refusal{"the grid has a mask (grid.mask)"};
  if (!system.solved.empty()) throw Refusal{"equation.let has an equation for a field"};
  if (config.scheme.tolerance || !config.time_step) config.time_step = 1;  // any value will do
  ExponentialRates found{.order = table_row(config.scheme.kind).order, .rates = {}, .groups = {}};
  const auto tolerance = config.scheme.tolerance.value_or(Tolerance());
  found.relative = tolerance.relative;
  found.absolute = tolerance.absolute;
  config.scheme.tolerance.reset();
  require_plain_conditions(system);
  const StepStages made = step_stages(system, config.scheme, 1);
  if (made.used.contains("noise")) throw Refusal{"a rate has noise (euler and heun take it)"};
  found.rates = problem_with<double>(config, coefficients, made);
  std::vector<double> about = config.linear_about;
  about.resize(config.fields.size(), about.front());
  RateSymbol symbol(made.stages, found.rates.step_fields, found.rates.arrays(), about);
  require_constant(config, symbol);
  std::vector<Faces<double>> faces;
  for (int field = 0; field < found.rates.step_fields; ++field)
    faces.push_back(faces_with_modes(found.rates, field));
  require_faces(found.rates, symbol, faces, config.fields);
  const SymbolTerms terms(symbol, config.shape.axes, static_cast<int>(made.stages.size()),
                          config.fields);
  found.groups = coupled_groups(terms, faces);
  return found;
}

}  // namespace

std::string why_not_exponential(const RunConfig& config, const FormulaSystem& system) {
  if (is_diffusion(config)) return "it steps formulas (expected equation.kind: formula)";
  if (!system.after.empty()) return "equation.after replaces values after a step";
  try {
    make_exponential_rates(config, system, unread_coefficients(config));
    return {};
  } catch (const Refusal& refusal) {
    return refusal.why;
  }
}

std::shared_ptr<const ExponentialRates> exponential_rates(const RunConfig& config,
                                                          const FormulaSystem& system,
                                                          const CoefficientFields& coefficients) {
  try {
    return std::make_shared<const ExponentialRates>(
        make_exponential_rates(config, system, coefficients));
  } catch (const Refusal& refusal) {
    throw ConfigError("time.scheme {}: {}", enum_name(config.scheme.kind), refusal.why);
  }
}

}  // namespace lapl
