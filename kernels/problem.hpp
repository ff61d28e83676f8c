// A problem: everything that a step depends on. A step is a list of stages; each makes new values
// of some arrays from those of others within one cell.
//
//   arrays   fields of the state | coefficient fields | what stages make for later ones
//   index    0 ... fields - 1    | ...                | ... arrays - 1
//   a step   each field is made once, and read as it was before until then
#pragma once

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
#include "kernels/spectral/linear_rates.hpp"
#include "kernels/stages/diffusion.hpp"
#include "kernels/stages/stage_tree.hpp"

namespace lapl {

struct Stage {
  StageTree tree;            ///< a result for each target
  std::vector<int> targets;  ///< arrays, none of which the stage reads but fields
  double time = 0;  ///< of the state that it reads, in steps after the beginning of the step
};

/// A law that depends on the time or on the place along its face: `law` makes a, then b, at each
/// ghost node; axis: 0 planes, 1 rows, 2 columns.
struct VaryingFace {
  int array = 0;
  int axis = 0;
  bool last = false;
  StageTree law;
};

template <class T>
struct Problem {
  Shape shape;
  std::vector<Faces<T>> faces;                    ///< of each array
  std::vector<Stage> stages = {};                 ///< of a step
  int fields = 1;                                 ///< of the state
  std::vector<std::vector<T>> coefficients = {};  ///< fields that are given, cell by cell
  std::vector<VaryingFace> laws = {};             ///< in place of what `faces` says of a face
  std::array<double, 3> spacing = {1, 1, 1};      ///< of planes, rows, columns
  double time_step = 1;
  std::shared_ptr<const LinearRates> linear_rates = {};  ///< for engine spectral alone
  std::optional<Part> part = {};  ///< of a grid of which `shape` is a block; none: all of it

  int arrays() const { return static_cast<int>(faces.size()); }
  /// Of the whole state: one field after the other, each of shape.cells() values.
  std::int64_t values() const { return fields * shape.cells(); }
};

/// The same without the values of its coefficients.
template <class T>
Problem<T> without_values(const Problem<T>& problem) {
  return {.shape = problem.shape,
          .faces = problem.faces,
          .stages = problem.stages,
          .fields = problem.fields,
          .coefficients = std::vector<std::vector<T>>(problem.coefficients.size()),
          .laws = problem.laws,
          .spacing = problem.spacing,
          .time_step = problem.time_step,
          .linear_rates = problem.linear_rates,
          .part = problem.part};
}

/// One stage that makes every field of the state anew.
template <class T>
Problem<T> problem_of_stage(Shape shape, const Faces<T>& faces, const StageTree& tree) {
  Problem<T> problem{.shape = shape, .faces = std::vector(tree.results.size(), faces)};
  problem.fields = problem.arrays();
  Stage& stage = problem.stages.emplace_back(Stage{.tree = tree, .targets = {}});
  for (int field = 0; field < problem.fields; ++field) stage.targets.push_back(field);
  return problem;
}

/// c of a step that is diffusion on as many axes as the grid has; none for every other.
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

/// That of a step that the engines of two axes have been compiled for: c is the same in every cell,
/// and the law all along a face.
template <class T>
std::optional<T> compiled_coefficient(const Problem<T>& problem) {
  if (problem.shape.axes != 2 || !problem.laws.empty()) return std::nullopt;
  return diffusion_coefficient(problem);
}
template <class T>
bool is_compiled_ahead(const Problem<T>& problem) {
  return compiled_coefficient(problem).has_value();
}

/// Whether there is a function of a row that steps it, whatever its laws are.
template <class T>
bool rows_are_compiled(const Problem<T>& problem) {
  return problem.shape.axes == 3 && diffusion_coefficient(problem).has_value();
}

/// The stage of a problem that is compiled ahead. Throws EngineUnsuitable for any other.
template <class T>
DiffusionStage<T> compiled_stage(const Problem<T>& problem) {
  const std::optional<T> coefficient = compiled_coefficient(problem);
  if (!coefficient)
    throw EngineUnsuitable(
        "only diffusion on two axes, with the same law all along a face, is compiled ahead "
        "(engines of backend cpu take every equation)");
  return {*coefficient};
}

/// The extension of the grid that keeps to a problem's faces; none where they or the stage allow
/// none.
template <class T>
std::optional<Extensions> extensions_of(const Problem<T>& problem) {
  if (problem.stages.size() != 1 || problem.arrays() != 1 || !problem.laws.empty())
    return std::nullopt;
  const StageProperties properties = properties_of(problem.stages.front().tree);
  return properties.homogeneous && properties.mirror_symmetric
             ? extensions_of(problem.faces.front())
             : std::nullopt;
}

/// True where an engine of the CUDA backend, or "auto", steps it by code that is compiled at run
/// time: what is not compiled ahead, engine "tile", and diffusion with faces that extend no grid
/// (held at a value but 0, mixed).
template <class T>
bool is_compiled_at_run_time(const Problem<T>& problem, std::string_view engine) {
  return !is_compiled_ahead(problem) || engine == "tile" || !extensions_of(problem);
}

}  // namespace lapl
