// Equations as data. What configs accept, the checks of their numbers, the stage tree that engines
// step and the time that a step stands for are all read from an equation's row.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stages/diffusion.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/stages.hpp"
#include "solver/names.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// A positive number that configs may give as equation.NAME.
struct EquationParameter {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;
};

/// What is known of a config's keys while it is checked.
struct KeysGiven {
  std::function<bool(std::string_view)> given;  ///< not null; a wrong one counts as given
  std::function<bool(std::initializer_list<const char*>)> right;  ///< whether none is wrong
};
struct KeyMistake {
  std::string key;
  std::string what;
  std::string formula = {};             ///< where it is one that is wrong: its text,
  std::optional<std::size_t> at = {};   ///< and the byte of the text
  std::string word = {};                ///< a name in it that is not known,
  std::vector<std::string> known = {};  ///< and what it may be
};

/// What is wrong with a step that lets grow what the equation does not.
struct StepProblem {
  bool refused = false;  ///< else people are warned
  std::string what;
};

struct Equation {
  EquationKind value;
  const char* name;     ///< equation.kind
  const char* summary;  ///< as a formula, for people
  std::span<const EquationParameter> parameters;
};

inline constexpr std::array<EquationParameter, 2> parameters_of_diffusion = {
    {{"coefficient", "",
      "c = D dt / h^2, stable up to 1/2 on one axis, 1/4 on two, 1/6 on three (spacings that "
      "differ: 1/h^2 is their mean), with time.scheme rkl2 further; give either this or "
      "equation.diffusivity and time.step"},
     {"diffusivity", "length^2/s", "D; needs time.step"}}};

/// Diffusion is the formula D laplacian(u), of which a config gives the number. One explicit Euler
/// step multiplies by c = D dt / h^2 as it is given (docs/numerics.md).
template <>
inline constexpr auto name_table<EquationKind> = std::to_array<Equation>(
    {{EquationKind::diffusion, "diffusion", "du/dt = D laplacian(u)", parameters_of_diffusion},
     {EquationKind::formula, "formula", "du/dt as equation.FIELD says for each field", {}}});

inline const Equation& equation_of(const RunConfig& run) { return row_of(run.equation.kind); }

/// dt in seconds.
double time_step_of(const RunConfig& run);

/// The stages of a step. It may throw FormulaError where the config is not right.
StepStages stages_of(const RunConfig& run, const FormulaSystem& system);

/// c = D dt / h^2 of diffusion, else dt: what a checkpoint keeps of the equation beside its config.
double coefficient_of(const RunConfig& run);
/// The largest stable c of diffusion, with the run's scheme.
double largest_coefficient(const RunConfig& run);

/// The largest stable step in seconds: 0 where none is stable, infinity where each is. None where
/// that depends on the state or on fields of coefficients. Of a config that is right but for its
/// step.
std::optional<double> largest_step_of(const RunConfig& run);
/// None too where `largest_step_of` knows nothing, and of diffusion, of which `equation_mistakes`
/// has it.
std::optional<StepProblem> step_problem_of(const RunConfig& run);

/// The mistakes of the equation's keys together; rules that need a key that is wrong by itself are
/// left.
std::vector<KeyMistake> equation_mistakes(const RunConfig& run, const KeysGiven& keys);

/// Seconds after a number of steps.
inline double time_of(const RunConfig& run, std::int64_t step) {
  return static_cast<double>(step) * time_step_of(run);
}

/// The first step whose time is at least this one, within rounding: a step that falls short of it
/// by 1e-9 of itself, or by a few roundings of the number of steps, counts.
inline std::int64_t first_step_at(double time, double time_step) {
  const double steps = time / time_step;
  return static_cast<std::int64_t>(
      std::min(std::ceil(steps - std::max(1e-9, 0x1p-50 * steps)), 0x1p62));
}

}  // namespace lapl
