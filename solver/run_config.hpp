// A run as plain values: a config once it is read and checked. io/config/config_keys.cpp describes
// each key with unit, range and default.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/engines.hpp"
#include "kernels/fields/fractal.hpp"
#include "kernels/grid/boundary.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/solve/preconditioner.hpp"
#include "solver/equation/formula.hpp"
#include "solver/equation/schemes.hpp"
#include "solver/filters/filter_config.hpp"
#include "solver/filters/window_config.hpp"
#include "solver/names.hpp"
#include "solver/precision.hpp"
#include "solver/units.hpp"

namespace lapl {

template <>
inline constexpr auto name_table<Boundary> = std::to_array<Named<Boundary>>(
    {{Boundary::zero, "zero", "the nodes just outside are held at 0"},
     {Boundary::insulated, "insulated", "nothing flows through the edge"},
     {Boundary::periodic, "periodic", "the opposite edge follows"}});

/// Coordinates of the grid. The last axis, x, is r where they are not cartesian.
enum class Coordinates { cartesian, cylindrical, spherical };
template <>
inline constexpr auto name_table<Coordinates> =
    std::to_array<Named<Coordinates>>({{Coordinates::cartesian, "cartesian"},
                                       {Coordinates::cylindrical, "cylindrical"},
                                       {Coordinates::spherical, "spherical"}});

/// Selects a record of a dataset: by its number from 0 on, the last one, or the one at a time.
struct RecordChoice {
  RecordChoice(std::size_t at = 0) : index(at) {}

  std::size_t index = 0;
  bool last = false;                ///< true: the last one
  std::optional<double> time = {};  ///< set: the one at this value of the time axis
};

/// How values between the cells of another grid are found (solver/other_grid.hpp).
enum class Interpolation { linear, cubic };
template <>
inline constexpr auto name_table<Interpolation> = std::to_array<Named<Interpolation>>(
    {{Interpolation::linear, "linear"}, {Interpolation::cubic, "cubic"}});

/// The kinds of initial fields, described in solver/initial_field.hpp.
enum class InitialKind { fractal, uniform, gaussian, checkerboard, sine, image, hdf5, formula };

/// An initial field; the comment on a member begins with the kinds that read it.
struct InitialConfig {
  InitialKind kind = InitialKind::fractal;
  FractalParameters fractal;  ///< fractal
  double value = 1;           ///< uniform
  double amplitude = 1;       ///< gaussian, checkerboard, sine
  /// gaussian: as a share of the planes, rows and columns
  std::array<double, 3> center = {0.5, 0.5, 0.5};
  /// gaussian: standard deviation as a share of the rows (of the columns where there is one row)
  double width = 0.1;
  std::int64_t tile = 8;                         ///< checkerboard: edge of a square, in cells
  std::array<std::int64_t, 3> mode = {1, 1, 1};  ///< sine: eigenmodes along planes, rows, columns
  std::string path;                              ///< image, hdf5: absolute path of the file
  std::string dataset = "/field";                ///< hdf5
  RecordChoice record;                           ///< hdf5, of a file with several
  /// hdf5: for values of another grid over the same box; unset: another shape is an error
  std::optional<Interpolation> interpolate;
  FormulaText formula;  ///< formula: of x, y, parameters and random
};

/// Initial fields that are those of another file, in datasets of their names.
struct InitialFrom {
  std::string path;
  RecordChoice record;
  std::vector<std::string> fields;
  std::optional<Interpolation> interpolate;
};

/// The kinds of conditions that a side of the grid may impose.
enum class ConditionKind {
  value,
  value_at_face,
  value_at_node,
  derivative,
  mixed,
  absorbing,
  periodic  ///< of one field on an axis where others have conditions: no ghost, the axis wraps
};
/// A condition as formulas: the ghost is (a + b u) / divisor, where u is the value on the node
/// inside. The formulas read the spacing h and the config's value and factor. An absorbing
/// condition of a field becomes a derivative with the value -(rate of the field) / speed
/// (condition_of_array). A value at a node has no ghost; stages set the node
/// (solver/equation/side_stages.hpp).
struct ConditionRow {
  ConditionKind value;
  const char* name;
  const char* form;  ///< as written in configs
  double place;      ///< where the condition applies, in spacings from the node inside
  FormulaText a, b, divisor;
  bool has_factor = false;  ///< besides a value: {value: b, factor: a}
};
template <>
inline const auto name_table<ConditionKind> = std::to_array<ConditionRow>(
    {{ConditionKind::value, "value", "{value: u}", 1, "value", "0", "1"},
     {ConditionKind::value_at_face, "value at face", "{value: u, at: face}", 0.5, "2 * value", "-1",
      "1"},
     {ConditionKind::value_at_node, "value at node", "{value: u, at: node}", 0, "value", "0", "1"},
     {ConditionKind::derivative, "derivative", "{derivative: du/dn}", 0.5, "h * value", "1", "1"},
     {ConditionKind::mixed, "mixed", "{mixed: {value: b, factor: a}}", 0.5, "value",
      "1/h - factor/2", "1/h + factor/2", true},
     {ConditionKind::absorbing, "absorbing", "{absorbing: c}", 0.5, "h * value", "1", "1"},
     {ConditionKind::periodic, "periodic", "periodic, for a field at both sides", 1, "value", "0",
      "1"}});

/// A condition on one side of the grid; it replaces RunConfig::boundaries there.
struct SideCondition {
  int axis = 0;  ///< 0 planes, 1 rows, 2 columns
  bool last = false;
  std::string array = {};  ///< a field or a quantity of equation.let; empty: all fields
  ConditionKind kind = ConditionKind::value;
  FormulaText value = "0";
  FormulaText factor = "0";  ///< for mixed conditions
  bool of_mask = false;      ///< of the mask's boundary instead of a side
};

/// A parameter of equations: a number, or a field that does not change in time.
struct ParameterConfig {
  enum class Kind { number, image, hdf5, formula };
  Kind kind = Kind::number;
  double number = 0;
  std::string path, dataset = "/field";  ///< image, hdf5: absolute path of the file
  RecordChoice record;                   ///< hdf5
  std::array<double, 2> range = {0, 1};  ///< image: the values of black and white
  FormulaText formula;
};

/// The kinds of equations, described in solver/equation/equation.hpp.
enum class EquationKind { diffusion, formula };

/// Names with their formulas, in the order of the config.
using NamedFormulas = std::vector<std::pair<std::string, FormulaText>>;

template <>
inline constexpr auto name_table<SolveMethod> =
    std::to_array<Named<SolveMethod>>({{SolveMethod::automatic, "auto"},
                                       {SolveMethod::multigrid, "multigrid"},
                                       {SolveMethod::transforms, "transforms"}});

/// A field that follows from the others: the one for which a formula that is linear in it equals
/// another one.
struct SolveConfig {
  std::string field;
  std::string name;  ///< in equation.let: that of several fields that are solved for together
  std::string unmatched = {};  ///< a field that `equals` has and `solve` has not
  FormulaText left, right;
  /// largest residual relative to the right side; unset: 1e-10 in float64, 1e-5 in float32
  std::optional<double> tolerance;
  std::int64_t most_iterations = 200;
  bool removes_mean = false;  ///< of the right side
  SolveMethod method = SolveMethod::automatic;
};

/// Section equation.
struct EquationConfig {
  EquationKind kind = EquationKind::diffusion;
  std::optional<double> coefficient;                      ///< diffusion: c = D dt / h^2
  std::optional<double> diffusivity;                      ///< diffusion: D
  std::map<std::string, FormulaText, std::less<>> rates;  ///< formula: du/dt of each field
  std::set<std::string, std::less<>>
      maps;                  ///< formula: fields whose text in `rates` is {next: ...}
  NamedFormulas after;       ///< formula: values of fields that replace those after each step
  NamedFormulas quantities;  ///< formula: equation.let
  std::vector<SolveConfig> solves;  ///< formula: equation.let
};

/// An output computed from the state by a formula.
struct DerivedConfig {
  std::string name;
  FormulaText formula;
  std::string unit = {};  ///< empty where the config names none
};

/// A column of diagnostics.csv: the integral of a formula.
struct IntegralConfig {
  std::string name;
  FormulaText formula;
  std::string on = "cells";  ///< cells: over all; a side, such as columns.last; mask: its boundary
  /// by x, y, z: the two ends of the box that the integral is limited to; without one, the grid's
  std::map<std::string, std::array<double, 2>, std::less<>> box = {};
};

/// An interval in steps, or in time where that is set.
struct Interval {
  std::int64_t steps = 1;
  std::optional<double> time;
};

/// A place whose values probes.csv records: a cell, with an index per axis, slowest first; or a
/// position x, y, z in units of length, whose value is the nearest cell's or linear between cells.
struct Probe {
  std::string name;
  std::vector<std::int64_t> cell;
  std::vector<double> position;
  bool is_linear = true;
  friend bool operator==(const Probe&, const Probe&) = default;
};
struct ProbesConfig {
  std::int64_t every = 1;      ///< steps
  std::optional<double> time;  ///< time between records, instead of every
  std::vector<Probe> at;
};

/// An interval in steps or in seconds of wall-clock time; exactly one is set.
struct Cadence {
  std::optional<std::int64_t> steps;
  std::optional<double> seconds;
};

/// A condition that completes a run: a formula that is not 0 in a cell.
struct StopConfig {
  FormulaText when;
  std::int64_t every = 1;  ///< steps between checks
};

/// Largest step number; float64 holds it exactly.
inline constexpr std::int64_t most_steps = std::int64_t{1} << 53;

/// A step and the time of its state.
struct StepAtTime {
  std::int64_t step = 0;
  double time = 0;
};

/// All values of a run's config. Times are simulated, in the unit that the config means, unless
/// they are seconds of wall-clock time.
struct RunConfig {
  Shape shape;
  bool is_sample = false;  ///< on another grid than the one asked for, to time or examine steps
  Spacing spacing;         ///< h
  Units units;
  Coordinates coordinates = Coordinates::cartesian;
  Boundaries boundaries;
  std::vector<SideCondition> conditions;
  /// where it is 0, cells are outside: their values are 0, and no cell reads them (docs/masks.md)
  std::optional<ParameterConfig> mask;
  std::vector<SideCondition> mask_conditions;  ///< at the mask's boundary; insulated without one
  std::vector<std::string> fields = {"field"};
  std::map<std::string, FieldLabels, std::less<>> labels;  ///< by field, the complex ones whole
  std::vector<std::string> complex_fields;  ///< NAME, where `fields` has its parts NAME_re, NAME_im
  std::map<std::string, ParameterConfig, std::less<>> parameters;
  std::map<std::string, WindowConfig, std::less<>> kernels;  ///< that formulas convolve with
  InitialConfig initial;                                     ///< of fields without one of their own
  NamedFormulas initial_quantities;                          ///< initial.let
  std::map<std::string, InitialConfig, std::less<>> initials;  ///< by field
  std::optional<InitialFrom> initial_from;                     ///< replaces those of some fields

  EquationConfig equation;
  TimeScheme scheme;
  /// values of the fields about which etdrk2 and etdrk4 linearise the rates: one for all fields, or
  /// one for each
  std::vector<double> linear_about = {0};
  /// dt; unset where the equation's parameters imply it, and until it is found
  std::optional<double> time_step;
  double start = 0;  ///< time of the initial state
  /// since when steps of one size have `time_step`; unset: since step 0
  std::optional<StepAtTime> since;
  std::int64_t steps = 0;              ///< number of the last step
  std::optional<double> end;           ///< time; where set, `steps` follows from it
  std::vector<double> meets;           ///< ascending: times at which a step ends, where steps vary
  std::optional<double> largest_step;  ///< where steps vary
  /// a step at which the run stops as it does at a signal; verify-restart alone sets it
  std::optional<std::int64_t> stops_at;

  std::string backend = "auto";  ///< auto, cuda or cpu
  std::string engine = "auto";   ///< auto, a name from engine_table or that of spectral_engine
  Precision precision = Precision::float32;
  int threads = 0;          ///< CPU threads; 0: as many as make steps faster, at most one a core
  bool caches_code = true;  ///< compiled code is kept for later runs

  std::string directory;              ///< path of the run folder, as given
  std::int64_t output_every = 2500;   ///< steps
  std::optional<double> output_time;  ///< time between outputs, instead of output_every
  std::vector<std::string> output_fields = {"field", "laplacian"};
  /// of some output_fields, the complex ones whole: only the outputs at these multiples have them
  std::map<std::string, Interval, std::less<>> field_intervals;
  StoredForm stored;  ///< how outputs store their values
  std::vector<DerivedConfig> derived;
  std::optional<ProbesConfig> probes;
  std::vector<IntegralConfig> integrals;

  std::vector<FilterConfig> filters;  ///< their results are outputs, too

  Cadence checkpoint_every = {.steps = 2500, .seconds = std::nullopt};
  std::int64_t checkpoints_kept = 3;

  std::optional<double> wall_time;  ///< seconds of wall-clock time
  double smallest_step = 0;         ///< below it a run with time.tolerance ends
  std::int64_t check_finite_every = 500;
  std::optional<std::int64_t> check_stability_every;  ///< steps
  bool refuses_unstable = true;  ///< true: an unstable step is an error; false: a warning
  /// scheme steady: the largest estimated error of the state, relative to each field's largest
  /// value, as both parts; unset: that of implicit steps
  std::optional<Tolerance> steady_tolerance;
  std::optional<double>
      steady;  ///< change per unit of time at which a run is complete; unset: never
  std::optional<StopConfig> stop;
  std::optional<std::int64_t> verify_every;  ///< steps; unset: never (solver/verification.hpp)

  /// The state from which steps of one size are counted.
  StepAtTime counted_from() const { return since.value_or(StepAtTime{0, start}); }

  /// True until the number for time.step: auto is found.
  bool lacks_step() const { return !time_step && !equation.coefficient; }

  /// True until the number for time.stages: auto is found.
  bool lacks_stages() const { return scheme.kind == Scheme::rkl2 && !scheme.stages; }
  /// The scheme by which a config is checked. Until the number for time.stages: auto is found, it
  /// has the most stages that are allowed.
  TimeScheme checked_scheme() const {
    TimeScheme checked = scheme;
    if (lacks_stages()) checked.stages = most_stages;
    return checked;
  }

  /// True for rkl2 with a tolerance. `scheme.stages` is then the largest number of a step.
  bool chooses_stages() const { return scheme.tolerance && scheme.kind == Scheme::rkl2; }

  /// The scheme whose largest stable step is estimated while a run goes on. If the run chooses
  /// stages, the largest step of another number of stages follows from this one.
  TimeScheme estimated_scheme() const {
    TimeScheme estimated = scheme;
    if (chooses_stages()) estimated.stages = std::min(*scheme.stages, 13);
    return estimated;
  }

  /// Number of steps between estimates of the largest stable step; none: never. Before the first
  /// multiple, estimates are also made at powers of two. A step of rkl2 counts once for each stage.
  /// With a tolerance, rejected steps also cause estimates, so that few others are needed.
  std::optional<std::int64_t> stability_checks() const {
    if (scheme.tolerance && !chooses_stages()) return std::nullopt;
    if (chooses_stages() && !check_stability_every) return most_steps;
    if (check_stability_every || !scheme.varies) return check_stability_every;
    const std::int64_t stages = scheme.stages.value_or(1);
    return std::max<std::int64_t>(check_finite_every / stages, 1);
  }

  /// True where steps vary and the number of the last one is known only once it is taken; `steps`
  /// is a guess then.
  bool ends_by_time() const { return scheme.varies && end.has_value(); }
};

/// True for etdrk2 and etdrk4, whose steps engine spectral runs one by one.
inline bool is_exponential(const RunConfig& config) {
  return table_row(config.scheme.kind).is_exponential();
}

/// True if steps solve equations over the grid.
inline bool has_solves(const RunConfig& config) {
  return !config.equation.solves.empty() || table_row(config.scheme.kind).is_implicit();
}

/// True if steps of the scheme that are too long are unstable, however exact.
inline bool has_stable_limit(const RunConfig& config) {
  return table_row(config.scheme.kind).has_stable_limit();
}

/// True if the spectral engine runs any number of steps at once: from one stored or checked step to
/// the next. The result's bits depend on where these are.
inline bool is_spectral(const RunConfig& config) {
  return config.engine == spectral_engine.name && !is_exponential(config);
}

inline bool is_diffusion(const RunConfig& config) {
  return config.equation.kind == EquationKind::diffusion;
}

}  // namespace lapl
