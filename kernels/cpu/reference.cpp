// Engine "reference": interprets the stages cell by cell, on one thread. It can step every problem
// and is as plain as possible. All other engines except spectral must give its bits.
#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/global_operations.hpp"
#include "kernels/cpu/step_arrays.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/stages/tree_at.hpp"

namespace lapl {
namespace {

template <class T>
class ReferenceEngine final : public Engine<T> {
 public:
  explicit ReferenceEngine(const Problem<T>& problem) : problem_(problem), arrays_(problem_) {}

  void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) override {
    for (std::int64_t step = first_step; step < first_step + steps; ++step) {
      arrays_.start(buffers);
      for (const Stage& stage : problem_.stages) {
        const Moment at = problem_.clock.moment(step, stage.time);
        compute_global_operations(problem_, stage, arrays_, at.time, 1);
        compute_stage(stage, at);
        arrays_.finish(stage);
      }
      buffers.swap();
    }
  }

  void set_clock(const StepTimes& clock) override { problem_.clock = clock; }

 private:
  void compute_stage(const Stage& stage, const Moment& at_stage) {
    TreeAt<T> tree(problem_, stage.tree);
    const Shape shape = problem_.shape;
    for (std::int64_t index = 0; index < shape.cells(); ++index) {
      const Cell cell = cell_at(shape, index);
      tree.evaluate(cell, at_stage, [&](const StageOperation& value) {
        const Cell at = beside(cell, value.at);
        const bool inside = at.column >= 0 && at.column < shape.columns && at.row >= 0 &&
                            at.row < shape.rows && at.plane >= 0 && at.plane < shape.planes;
        return inside ? arrays_.read(value.index)[array_index(at)]
                      : ghost(value.index, at, at_stage.time);
      });
      for (std::size_t i = 0; i < stage.targets.size(); ++i)
        arrays_.write(stage.targets[i])[index] = tree.result(i);
    }
  }

  // The value of a ghost: applies the condition of the columns, then of the rows, then of the
  // planes.
  T ghost(int array, Cell at, double time) const {
    const Faces<T>& faces = problem_.faces[array];
    const AxisSource in_planes = source_at(faces.planes, at.plane, problem_.shape.planes);
    const AxisSource in_rows = source_at(faces.rows, at.row, problem_.shape.rows);
    const AxisSource in_columns = source_at(faces.columns, at.column, problem_.shape.columns);
    T found = arrays_.read(array)[array_index({in_rows.index, in_columns.index, in_planes.index})];
    Cell place{in_rows.index, at.column, in_planes.index};
    if (in_columns.ghost) found = condition(array, 2, place, time).ghost(found);
    place.row = at.row;
    if (in_rows.ghost) found = condition(array, 1, place, time).ghost(found);
    place.plane = at.plane;
    if (in_planes.ghost) found = condition(array, 0, place, time).ghost(found);
    return found;
  }

  Face<T> condition(int array, int axis, Cell place, double time) const {
    const Face<T>& face = axis_faces(problem_.faces[array], axis).at(by_axis(place)[axis]);
    if (!face.varies()) return face;
    TreeAt<T> tree(problem_, problem_.conditions[face.condition]);
    tree.evaluate(place, time, [](const StageOperation&) { return T(0); });
    return {tree.result(0), tree.result(1)};
  }

  std::int64_t array_index(Cell cell) const {
    return (cell.plane * problem_.shape.rows + cell.row) * problem_.shape.columns + cell.column;
  }

  Problem<T> problem_;
  StepArrays<T> arrays_;
};

}  // namespace

template <class T>
std::unique_ptr<Engine<T>> make_reference_engine(const Problem<T>& problem, int) {
  return std::make_unique<ReferenceEngine<T>>(problem);
}
LAPL_FOR_FLOATS(make_reference_engine);

}  // namespace lapl
