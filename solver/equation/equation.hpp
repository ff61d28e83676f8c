// The table of equations, with the checks of their numbers, the stages of a step and its time step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stages/diffusion.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/stages.hpp"
#include "solver/names.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// A mistake in a key of the config.
struct KeyMistake {
  std::string key;
  std::string what;
  std::string formula = {};             ///< text of the wrong formula, if any
  std::optional<std::size_t> at = {};   ///< byte of the text with the mistake
  std::string word = {};                ///< the unknown name, if any
  std::vector<std::string> known = {};  ///< the names that are known at its place
};

/// Why a step is unstable: it amplifies a wave that the equation damps or leaves unchanged.
struct StepProblem {
  bool refused = false;  ///< false: a warning is enough
  std::string what;
  std::string key = "time.step";
};

/// An equation: a row of the table.
struct Equation {
  EquationKind value;
  const char* name;     ///< equation.kind
  const char* summary;  ///< as a formula, for people
};

/// The equations of equation.kind. Diffusion is the formula D laplacian(u); its explicit Euler step
/// multiplies by c = D dt / h^2, exactly as given (docs/numerics.md).
template <>
inline constexpr auto name_table<EquationKind> = std::to_array<Equation>(
    {{EquationKind::diffusion, "diffusion", "du/dt = D laplacian(u)"},
     {EquationKind::formula, "formula", "du/dt as equation.FIELD says for each field"}});

inline const Equation& equation_row(const RunConfig& run) { return table_row(run.equation.kind); }

/// The time step dt in seconds.
double step_seconds(const RunConfig& run);

/// The stages of one step. Throws FormulaError if a formula is wrong.
StepStages equation_stages(const RunConfig& run, const FormulaSystem& system);

/// The number that checkpoints store for the equation: c = D dt / h^2 for diffusion, else dt.
double stored_coefficient(const RunConfig& run);
/// The largest stable c = D dt / h^2 of diffusion with the run's scheme.
double largest_coefficient(const RunConfig& run);

/// The largest stable step in seconds: 0 if no step is stable, infinity if all are, none if it
/// depends on the state or on coefficient fields. The config must have no mistake except in its
/// step; `system` is that of the config.
std::optional<double> stable_limit(const RunConfig& run, const FormulaSystem& system);
/// The problem of the run's own step; none if it is stable, or if stable_limit returns none.
std::optional<StepProblem> find_step_problem(const RunConfig& run, const FormulaSystem& system);
/// find_step_problem() for diffusion.
std::optional<StepProblem> unstable_diffusion(const RunConfig& run);

/// The first step at or after a time in seconds. A step that is early only by rounding counts: by
/// at most 1e-9 steps, or 2^-50 of its own number if that is more.
inline std::int64_t first_step_at(double time, double time_step) {
  const double steps = time / time_step;
  return static_cast<std::int64_t>(
      std::min(std::ceil(steps - std::max(1e-9, 0x1p-50 * steps)), 0x1p62));
}

}  // namespace lapl
