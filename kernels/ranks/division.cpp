#include <algorithm>

#include "kernels/engines.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/ranks/local_problem.hpp"
#include "kernels/ranks/ranked_backend.hpp"

namespace lapl {
namespace {

// A problem on a slab like those that ranks step. Its coefficients are still those of the whole
// grid.
template <class T>
Problem<T> typical_block(const Problem<T>& problem, int ranks) {
  Problem<T> block = problem;
  Part part = Part::all(problem.shape);
  const std::size_t slowest = 3 - static_cast<std::size_t>(problem.shape.axes);
  part.own[slowest] = (part.own[slowest] + ranks - 1) / ranks;
  part.before[slowest] = part.after[slowest] = 1;
  block.shape = part.shape();
  for (Faces<T>& faces : block.faces) faces = open_faces(faces, part);
  return block;
}

}  // namespace

RankCosts costs_of_ranks(const std::string& backend, const std::string& through_host,
                         bool one_machine) {
  if (backend == "cpu") return costs_of_cores;
  if (!through_host.empty()) return costs_through_host;
  return one_machine ? costs_of_gpus : costs_between_machines;
}

template <class T>
Division problem_division(const Problem<T>& problem, const std::vector<DerivedOutput<T>>& derived,
                          const std::string& backend, const std::string& engine, int ranks,
                          const RankCosts& costs) {
  const bool by_modes = problem.exponential || engine == spectral_engine.name;
  std::int64_t least_depth = 0;
  for (const DerivedOutput<T>& plan : derived)
    if (const auto* stages = std::get_if<Problem<T>>(&plan))  // filters read whole fields
      least_depth = std::max(least_depth, stages_reach(stages->stages));
  const Faces<T>& faces = problem.faces.front();
  return {.grid = problem.shape,
          .endless = {faces.planes.wrap(), faces.rows.wrap(), faces.columns.wrap()},
          .ranks = ranks,
          .reach = std::max<std::int64_t>(stages_reach(problem.stages), 1),
          .steps_of_pass = steps_at_once(typical_block(problem, ranks), backend, engine),
          .most_passes = backend == "cpu" ? 1 : 8,
          .least_depth = least_depth,
          .pairs = by_modes,
          .costs = costs};
}
LAPL_FOR_FLOATS(problem_division);

}  // namespace lapl
