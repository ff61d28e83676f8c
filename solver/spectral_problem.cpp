#include "solver/spectral_problem.hpp"

#include <algorithm>
#include <utility>

#include "kernels/evaluation.hpp"
#include "kernels/for_floats.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/growth.hpp"
#include "solver/equation/rate_symbol.hpp"
#include "solver/symbol_terms.hpp"

namespace lapl {
namespace {

struct RateProblem {
  Problem<double> problem;  // its stages compute the rate in the last array
  LinearRates rates;        // without the source (rates of a field of 0)
};

// Throws Refusal if the spectral engine cannot step the run.
RateProblem make_rate_problem(const RunConfig& config, const FormulaSystem& system,
                              const CoefficientFields& coefficients) {
  const std::string& field = config.fields.front();
  if (!system.solved.empty()) throw Refusal{"equation.let has an equation for a field"};
  if (config.fields.size() > 1) throw Refusal{"it takes one field, and there are more"};
  if (config.scheme.kind == Scheme::imex)
    throw Refusal{"time.scheme imex treats some terms unlike others"};
  if (table_row(config.scheme.kind).is_implicit())
    throw Refusal{"time.scheme " + std::string(enum_name(config.scheme.kind)) +
                  " solves equations over the grid"};
  if (config.mask) throw Refusal{"the grid has a mask (grid.mask)"};
  require_plain_conditions(system);
  const StepStages made = rate_stages(system);
  if (made.used.contains("noise")) throw Refusal{"the rate of " + field + " has noise"};
  RateProblem found{problem_with<double>(config, coefficients, made), {}};
  for (const Stage& stage : made.stages) {
    if (!stage.reductions.empty())
      throw Refusal{"the rate of " + field +
                    " reads a mean, an integral or an extreme of the grid"};
    if (reads_time(stage.tree)) throw Refusal{"the rate of " + field + " depends on t"};
  }
  RateSymbol symbol(made.stages, 1, found.problem.arrays());
  if (symbol.rates() == RateSymbol::Rates::nonlinear)
    throw Refusal{"the rate of " + field + " is not linear in it"};
  if (symbol.rates() == RateSymbol::Rates::varying)
    throw Refusal{"what the rate of " + field + " multiplies it by is not the same everywhere"};
  const SymbolTerms terms(symbol, config.shape.axes, static_cast<int>(made.stages.size()),
                          config.fields);
  terms.require_mirrors(0);
  static_cast<ModeRate&>(found.rates) = terms.rate(0, 0);
  found.rates.faces = faces_with_modes(found.problem, 0);
  for (const VaryingFace& varying : varying_faces(found.problem))
    if (reads_time(varying.condition)) throw Refusal{"the condition of a face depends on t"};
  require_faces(found.problem, symbol, {found.rates.faces}, config.fields);
  found.rates.change = scheme_change(config.scheme);
  return found;
}

// True if it is certain that a field of 0 has a rate of 0, judged by the operations, not by values.
bool is_homogeneous(const Problem<double>& problem) {
  const auto adds = [](const Faces<double>& faces) {
    const auto of_axis = [](const AxisFaces<double>& axis) {
      return axis.first.a != 0 || axis.last.a != 0;
    };
    return of_axis(faces.rows) || of_axis(faces.columns) || of_axis(faces.planes);
  };
  return problem.coefficients.empty() && varying_faces(problem).empty() &&
         std::ranges::none_of(problem.faces, adds) &&
         std::ranges::all_of(problem.stages, [](const Stage& stage) {
           return stage_properties(stage.tree).homogeneous;
         });
}

std::vector<double> source_values(const RunConfig& config, const Problem<double>& problem) {
  if (is_homogeneous(problem)) return {};
  const std::vector<double> zeros(problem.shape.cells());
  return Evaluation<double>(problem, 1, config.threads)(zeros);
}

}  // namespace

std::string why_not_spectral(const RunConfig& config, const FormulaSystem& system) {
  RunConfig known = config;
  if (known.lacks_step()) known.time_step = 1;
  if (!system.next.empty() || !system.after.empty())
    return "values are replaced after a step (equation.after, or next)";
  try {
    make_rate_problem(known, system, unread_coefficients(config));
    return {};
  } catch (const Refusal& refusal) {
    return refusal.why;
  }
}

std::shared_ptr<const LinearRates> linear_rates(const RunConfig& config,
                                                const FormulaSystem& system,
                                                const CoefficientFields& coefficients,
                                                bool with_source) {
  try {
    RateProblem found = make_rate_problem(config, system, coefficients);
    if (with_source) found.rates.source = source_values(config, found.problem);
    return std::make_shared<const LinearRates>(std::move(found.rates));
  } catch (const Refusal& refusal) {
    throw ConfigError("engine spectral: {}", refusal.why);
  }
}

}  // namespace lapl
