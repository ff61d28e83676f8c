// A problem is everything that a step depends on. A step is a list of stages. A stage computes new
// values of some arrays in each cell from values at most one cell away.
//
//   arrays   fields of the state | coefficient fields | intermediate results of stages
//   index    0 ... fields - 1    | ...                | ... arrays - 1
//   a step   computes each field once; until then stages read its value before the step
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/error.hpp"
#include "kernels/grid/face.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/grid/part.hpp"
#include "kernels/ranks/decomposition.hpp"
#include "kernels/ranks/ranks.hpp"
#include "kernels/spectral/linear_rates.hpp"
#include "kernels/stages/diffusion.hpp"
#include "kernels/stages/grid_reduction.hpp"
#include "kernels/stages/stage_tree.hpp"

namespace lapl {

class DeviceRanks;
class GridEquations;
struct ExponentialRates;

/// A solve over the grid before a stage: arrays become the solution of a system of equations.
struct GridSolve {
  int system = 0;          ///< in Problem::systems
  std::vector<int> state;  ///< arrays of the fields that the equations read, in their order
  /// some of them: their values are the first guess, then the solution
  std::vector<int> unknowns;
  double share = 0;      ///< of dt, in the equations of an implicit step
  bool is_first = true;  ///< the first such solve of a step
  bool filters = false;  ///< SolveMoment::filters
};

struct Stage {
  StageTree tree;            ///< has a result for each target
  std::vector<int> targets;  ///< arrays to write; the stage may read them only if they are fields
  /// time of the state that the stage reads, in steps since the beginning of the step
  double time = 0;
  std::vector<GridSolve> solves = {};          ///< done before the stage, in this order
  std::vector<GridReduction> reductions = {};  ///< computed before the stage, after the solves
};

/// The moment at which a stage is evaluated.
struct Moment {
  double time = 0;        ///< time of the state that the stage reads
  std::int64_t step = 0;  ///< number of steps since the run's start, which selects the noise

  Moment(double of_state, std::int64_t steps = 0) : time(of_state), step(steps) {}
};

/// The times of steps. All other code gets times from here, so that they are rounded alike.
struct StepTimes {
  double step = 1;   ///< dt
  double start = 0;  ///< time of the state after `start_step` steps
  std::int64_t start_step = 0;
  /// If `unit` is not 0, dt is exactly unit / parts (up to 22 decimals), `start` is exactly offset
  /// / parts, and times after whole steps are rounded once.
  std::int64_t unit = 0;
  double parts = 1;  ///< an integer below 2^53 times a power of two
  std::int64_t offset = 0;

  /// The time after a number of steps and a part of one.
  double time(std::int64_t steps, double part = 0) const;
  Moment moment(std::int64_t steps, double part = 0) const { return {time(steps, part), steps}; }
};

/// Values of a coefficient field, cell by cell, which copies of a problem share. Null if they are
/// not needed.
template <class T>
using SharedValues = std::shared_ptr<const std::vector<T>>;
template <class T>
SharedValues<T> shared_values(std::vector<T> values) {
  return std::make_shared<const std::vector<T>>(std::move(values));
}

template <class T>
struct Problem {
  Shape shape;
  std::vector<Faces<T>> faces;     ///< faces of each array; arrays() of them
  std::vector<Stage> stages = {};  ///< stages of a step
  int step_fields = 1;             ///< number of fields that a step computes
  std::vector<SharedValues<T>> coefficients = {};
  /// trees that compute a, then b, at each ghost node of a face that varies with time or place
  std::vector<StageTree> conditions = {};
  std::array<double, 3> spacing = {1, 1, 1};  ///< distance of nodes along planes, rows, columns
  std::array<double, 3> middle = {0, 0, 0};   ///< Spacing::middle: where positions of trees are 0
  StepTimes clock = {};
  /// true if the last field is not part of the state, but the step's error in each cell, divided by
  /// the tolerance
  bool measures_error = false;
  std::shared_ptr<const LinearRates> linear_rates = {};  ///< for engine spectral alone; else null
  /// The rates of schemes etdrk2 and etdrk4 (kernels/spectral/exponential_rates.hpp); null for
  /// others. For them `stages` replace the fields by their rates, which shows what a step needs.
  std::shared_ptr<const ExponentialRates> exponential = {};
  /// the part of the grid whose block has this `shape`; none if `shape` is that of the whole grid
  std::optional<Part> part = {};
  Ranks* ranks = &only_rank();  ///< the ranks that step the parts of the grid
  /// the division of the grid into these parts; none if there is one
  std::optional<Decomposition> by = {};
  /// exchange between the GPUs of these ranks; null if values go through host memory
  std::shared_ptr<DeviceRanks> devices = {};
  /// values of the latest reductions, which engines set
  std::vector<T> reduced = {};
  /// the equations that stages solve (kernels/solve/grid_equations.hpp); null on all but the first
  /// of several ranks, which solves for all
  std::vector<std::shared_ptr<GridEquations>> systems = {};

  int arrays() const { return static_cast<int>(faces.size()); }
  /// The number of fields of the state. No stage reads the error before it is computed.
  int state_fields() const { return step_fields - (measures_error ? 1 : 0); }
  /// The number of values of all fields.
  std::int64_t values() const { return step_fields * shape.cells(); }
};

/// A face that varies. Axis 0 is planes, 1 rows, 2 columns.
struct VaryingFace {
  int array = 0;
  int axis = 0;
  bool last = false;
  const StageTree& condition;  ///< its tree in Problem::conditions
};

/// The faces that vary, in order of array, axis and side.
template <class T>
std::vector<VaryingFace> varying_faces(const Problem<T>& problem) {
  std::vector<VaryingFace> found;
  for (int array = 0; array < problem.arrays(); ++array)
    for (int axis = 0; axis < 3; ++axis)
      for (const bool last : {false, true})
        if (const Face<T>& face = axis_faces(problem.faces[array], axis).side(last); face.varies())
          found.push_back({array, axis, last, problem.conditions[face.condition]});
  return found;
}

/// True if an operation over the grid comes before a stage, so that the whole grid goes through the
/// stage before.
template <class T>
bool has_global_operations(const Problem<T>& problem) {
  return !problem.reduced.empty() || !problem.systems.empty();
}

/// True if a stage or a condition reads the time itself. All ranks give the same answer, because a
/// block has the conditions of all sides of the grid, also of those that it does not touch.
template <class T>
bool names_time(const Problem<T>& problem) {
  const auto in_tree = [](const StageTree& tree) { return names_time(tree); };
  return std::ranges::any_of(problem.stages, in_tree, &Stage::tree) ||
         std::ranges::any_of(problem.conditions, in_tree);
}

/// A problem of one stage, whose results are all fields of the state.
template <class T>
Problem<T> problem_of_stage(Shape shape, const Faces<T>& faces, const StageTree& tree) {
  Problem<T> problem{.shape = shape, .faces = std::vector(tree.results.size(), faces)};
  problem.step_fields = problem.arrays();
  Stage& stage = problem.stages.emplace_back(Stage{.tree = tree, .targets = {}});
  for (int field = 0; field < problem.step_fields; ++field) stage.targets.push_back(field);
  return problem;
}

/// c = D * dt / h^2 if the step is diffusion on as many axes as the grid has; else none.
template <class T>
std::optional<T> diffusion_coefficient(const Problem<T>& problem) {
  if (problem.stages.size() != 1) return std::nullopt;
  const StageTree& tree = problem.stages.front().tree;
  for (const StageOperation& node : tree.operations)
    if (node.operation == Operation::number &&
        same_results(tree, diffusion_tree(problem.shape.axes, node.number)))
      return static_cast<T>(node.number);
  return std::nullopt;
}

/// c if engines for the step are compiled ahead, with the program: for diffusion on two axes, with
/// the same condition all along each face. Else none.
template <class T>
std::optional<T> plane_diffusion_coefficient(const Problem<T>& problem) {
  if (problem.shape.axes != 2 || !varying_faces(problem).empty()) return std::nullopt;
  return diffusion_coefficient(problem);
}
template <class T>
bool is_plane_diffusion(const Problem<T>& problem) {
  return plane_diffusion_coefficient(problem).has_value();
}

/// True for diffusion on three axes, whatever the conditions of its faces: the function that steps
/// a row of it is compiled ahead.
template <class T>
bool is_volume_diffusion(const Problem<T>& problem) {
  return problem.shape.axes == 3 && diffusion_coefficient(problem).has_value();
}

/// The stage of plane diffusion, which is compiled ahead. Throws EngineUnsuitable for other
/// problems.
template <class T>
DiffusionStage<T> plane_diffusion_stage(const Problem<T>& problem) {
  const std::optional<T> coefficient = plane_diffusion_coefficient(problem);
  if (!coefficient)
    throw EngineUnsuitable(
        "only diffusion on two axes, with the same condition all along a face, is compiled ahead "
        "(engines of backend cpu take every equation)");
  return {*coefficient};
}

/// The extension of the grid that is equivalent to the problem's faces; none if the faces or the
/// stage do not allow one.
template <class T>
std::optional<Extensions> as_extensions(const Problem<T>& problem) {
  if (problem.stages.size() != 1 || problem.arrays() != 1 || !varying_faces(problem).empty())
    return std::nullopt;
  const StageProperties properties = stage_properties(problem.stages.front().tree);
  return properties.homogeneous && properties.mirror_symmetric
             ? as_extensions(problem.faces.front())
             : std::nullopt;
}

/// True if CUDA engine `engine`, or "auto", compiles code at run time: for every equation that is
/// not compiled ahead, for engine "tile", and for diffusion with faces that cannot be replaced by
/// an extension of the grid (mixed, or with a value other than 0).
template <class T>
bool is_compiled_at_run_time(const Problem<T>& problem, std::string_view engine) {
  return !is_plane_diffusion(problem) || engine == "tile" || !as_extensions(problem);
}

}  // namespace lapl
