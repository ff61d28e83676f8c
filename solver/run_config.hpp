// A run as plain values: what a config file says once it is read and checked.
// io/config/config_keys.cpp describes each entry (unit, range, default); the defaults here are
// those of the design.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/engines.hpp"
#include "kernels/fields/fractal.hpp"
#include "kernels/grid/boundary.hpp"
#include "kernels/grid/grid.hpp"
#include "solver/equation/formula.hpp"
#include "solver/equation/schemes.hpp"
#include "solver/filters/filter_config.hpp"
#include "solver/names.hpp"
#include "solver/precision.hpp"

namespace lapl {

template <>
inline constexpr auto name_table<Boundary> = std::to_array<Named<Boundary>>(
    {{Boundary::zero, "zero", "the nodes just outside are held at 0"},
     {Boundary::insulated, "insulated", "nothing flows through the edge"},
     {Boundary::periodic, "periodic", "the opposite edge follows"}});

/// solver/initial_field.hpp says what each is.
enum class InitialKind { fractal, uniform, gaussian, checkerboard, sine, image, hdf5, formula };

struct InitialConfig {
  InitialKind kind = InitialKind::fractal;
  FractalParameters fractal;  ///< fractal
  double value = 1;           ///< uniform
  double amplitude = 1;       ///< gaussian, checkerboard, sine
  /// gaussian: of the number of planes, rows, columns
  std::array<double, 3> center = {0.5, 0.5, 0.5};
  double width = 0.1;     ///< gaussian: standard deviation, of the number of rows (columns where 1)
  std::int64_t tile = 8;  ///< checkerboard: edge of a square, in cells
  std::array<std::int64_t, 3> mode = {1, 1, 1};  ///< sine: eigenmodes along planes, rows, columns
  std::string path;                              ///< image, hdf5: absolute path of the file
  std::string dataset = "/field";                ///< hdf5
  FormulaText formula;                           ///< formula: of x, y, parameters and random
};

/// What one side of the grid holds, as a formula of the time, the position and parameters.
enum class LawKind { value, derivative, mixed };
/// u on the node just outside is (a + b u) / divisor, of u on the node inside: formulas of h, the
/// spacing, and of value and factor, which a config gives.
struct LawRow {
  LawKind value;
  const char* name;
  const char* form;  ///< as configs have it
  double place;      ///< where it holds, in spacings from the node inside
  FormulaText a, b, divisor;
  std::string keeps = "";  ///< the relation of value and factor, where it takes both

  bool takes_factor() const { return !keeps.empty(); }
};
template <>
inline const auto name_table<LawKind> = std::to_array<LawRow>(
    {{LawKind::value, "value", "{value: u}", 1, "value", "0", "1"},
     {LawKind::derivative, "derivative", "{derivative: du/dn}", 0.5, "h * value", "1", "1"},
     {LawKind::mixed, "mixed", "{mixed: {value: b, factor: a}}", 0.5, "value", "1/h - factor/2",
      "1/h + factor/2", "du/dn + {factor} u = {value}"}});

/// A law in place of what RunConfig::boundaries says of the axis.
struct SideLaw {
  int axis = 0;  ///< 0 planes, 1 rows, 2 columns
  bool last = false;
  std::string array;  ///< a field or a quantity of equation.let; empty: every field
  LawKind kind = LawKind::value;
  FormulaText value = "0";
  FormulaText factor = "0";  ///< where its row takes one
};

/// A number, or a field that does not change.
struct ParameterConfig {
  enum class Kind { number, image, hdf5, formula };
  Kind kind = Kind::number;
  double number = 0;
  std::string path, dataset = "/field";  ///< image, hdf5: absolute path of the file
  std::array<double, 2> range = {0, 1};  ///< image: what black and white stand for
  FormulaText formula;
};

/// solver/equation/equation.hpp says what each is.
enum class EquationKind { diffusion, formula };

/// Names with their formulas, in the order of the config.
using NamedFormulas = std::vector<std::pair<std::string, FormulaText>>;

struct EquationConfig {
  EquationKind kind = EquationKind::diffusion;
  std::map<std::string, double, std::less<>> parameters;  ///< those that are given
  std::map<std::string, FormulaText, std::less<>> rates;  ///< formula: du/dt of each field
  NamedFormulas quantities;                               ///< formula: equation.let

  std::optional<double> number(std::string_view parameter) const {
    const auto at = parameters.find(parameter);
    return at == parameters.end() ? std::nullopt : std::optional(at->second);
  }
};

/// An output that follows from the state.
struct DerivedConfig {
  std::string name;
  FormulaText formula;
  std::string unit = "1";
};

/// Cells whose values go into a table on the way.
struct ProbesConfig {
  std::int64_t every = 1;  ///< steps
  /// An index for each axis of the grid, the slowest first.
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> at;
};

/// Every so many steps, or every so many seconds of wall-clock time; exactly one is set.
struct Cadence {
  std::optional<std::int64_t> steps;
  std::optional<double> seconds;
};

struct RunConfig {
  Shape shape;
  Spacing spacing;  ///< h
  Boundaries boundaries;
  std::vector<SideLaw> laws;
  std::vector<std::string> fields = {"field"};
  std::map<std::string, ParameterConfig, std::less<>> parameters;
  InitialConfig initial;  ///< of fields without one of their own
  std::map<std::string, InitialConfig, std::less<>> initials;  ///< by field

  EquationConfig equation;
  TimeScheme scheme;
  bool stages_are_auto = false;     ///< until they are found; as many as there may be, until then
  std::optional<double> time_step;  ///< dt; unset where the equation's parameters imply it
  bool step_is_auto = false;        ///< until time_step is found (io/config/config.hpp)
  std::int64_t steps = 0;           ///< number of the last step
  std::optional<double> end;        ///< s; from which `steps` follows, where it is set

  std::string backend = "auto";  ///< auto, cuda or cpu
  std::string engine = "auto";   ///< auto, a name from engine_table or that of spectral_engine
  Precision precision = Precision::float32;
  int threads = 0;  ///< CPU threads; 0: as many as pay, at most one a core

  std::string directory;              ///< of the run folder, as given
  std::int64_t output_every = 2500;   ///< steps
  std::optional<double> output_time;  ///< s between outputs, in place of output_every
  std::vector<std::string> output_fields = {"field", "laplacian"};
  std::vector<DerivedConfig> derived;
  std::optional<ProbesConfig> probes;
  NamedFormulas integrals;  ///< columns of diagnostics.csv: sums over cells times a cell's volume

  std::vector<FilterConfig> filters;  ///< of the field; their results are outputs too

  Cadence checkpoint_every = {.steps = 2500, .seconds = std::nullopt};
  std::int64_t checkpoints_kept = 3;

  std::optional<double> wall_time;  ///< seconds
  std::int64_t check_finite_every = 500;
  std::optional<double> steady;  ///< change per second at which a run is complete; unset: never
  std::optional<std::int64_t> verify_every;  ///< steps; unset: never (solver/verification.hpp)
};

/// Whether it takes any number of steps at once, with bits that depend on which: the steps from
/// where something is stored or looked at to where something is next.
inline bool is_spectral(const RunConfig& config) { return config.engine == spectral_engine.name; }

inline bool is_diffusion(const RunConfig& config) {
  return config.equation.kind == EquationKind::diffusion;
}

}  // namespace lapl
