// Engine "interpreted": interprets the stages of any problem, operation by operation on a segment
// of a row; threads share the rows. Engines "blocked" and "threaded" use it until their code is
// compiled, and later too if stages read reductions over the grid: it then calls the compiled
// function of a stage for each segment.
//
//   lines        one for each array, plane and row that a stage reads: the segment and a cell at
//                either end. A line is in the array itself; at a face it is a copy with ghosts by
//                the conditions of the columns, then the rows, then the planes.
//   operations   reads of arrays point into lines. Other operations compute a result for each
//                cell; if the result is a target of the stage, it is written to the target's
//                array. Results that are equal in all cells are computed once.
//   scratch      memory of a thread for copies of lines and for results that differ from cell to
//                cell. All stages use the same scratch, one after the other.
#include <omp.h>

#include <algorithm>
#include <utility>

#include "kernels/cpu/compiled_stages.hpp"
#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/face_conditions.hpp"
#include "kernels/cpu/global_operations.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/row_loops.hpp"
#include "kernels/cpu/step_arrays.hpp"
#include "kernels/evaluation.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {

template <class T>
class StageRows {
 public:
  static constexpr std::int64_t segment = 512;
  // values of a line in scratch: a segment and a cell at either end
  static constexpr std::int64_t width = segment + 2;

  StageRows(const StageRows&) = delete;  // some of its pointers point to its own vectors
  StageRows(StageRows&&) = default;
  StageRows(const Problem<T>& problem, const Stage& stage)
      : problem_(problem),
        stage_(stage),
        uniform_(problem, stage.tree),
        varies_(depending_on(stage.tree,
                             [](const StageOperation& node) {
                               return node.operation == Operation::value ||
                                      node.operation == Operation::position ||
                                      node.operation == Operation::noise;
                             })),
        operands_(stage.tree.operations.size()),
        results_(stage.tree.operations.size()),
        uniform_results_(stage.tree.operations.size()),
        target_of_(stage.tree.operations.size(), -1) {
    const auto& operations = stage.tree.operations;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      line_of_.push_back(operations[i].operation == Operation::value
                             ? line_index(operations[i].index, operations[i].at)
                             : 0);
      if (varies_[i]) continue;
      uniform_results_[i].resize(std::min(segment, problem.shape.columns));
      operands_[i] = uniform_results_[i].data();
    }
    for (std::size_t i = 0; i < stage.targets.size(); ++i)
      if (const int result = stage.tree.results[i];
          computes(operations[result].operation) && varies_[result])
        target_of_[result] = stage.targets[i];
  }

  /// The number of values of scratch that the stage needs.
  std::size_t scratch() const {
    std::size_t rows = lines_.size();
    for (std::size_t i = 0; i < varies_.size(); ++i) rows += is_made(i) ? 1 : 0;
    return rows * width;
  }
  void set_scratch(T* scratch) {
    for (Line& line : lines_) line.copy = std::exchange(scratch, scratch + width);
    for (std::size_t i = 0; i < varies_.size(); ++i)
      if (is_made(i)) operands_[i] = results_[i] = std::exchange(scratch, scratch + width);
  }

  /// Must be called before the first evaluate() at a new time.
  void set_time(const Moment& at) {
    if (known_ && !reads_time(stage_.tree)) return;
    at_ = at;
    uniform_.evaluate({}, at, [](const StageOperation&) { return T(0); });
    for (std::size_t i = 0; i < varies_.size(); ++i)
      if (!varies_[i]) std::ranges::fill(uniform_results_[i], uniform_.of_operation(i));
    known_ = true;
    if (compiled_ != nullptr) arguments_ = layout().arguments.values(uniform_, {}, at);
  }
  /// From now on calls the compiled function of the stage with index `stage`.
  void use(const CompiledStages<T>& compiled, std::size_t stage) {
    compiled_ = &compiled;
    which_ = stage;
    known_ = false;
    for (const StageLayout::Line& line : layout().lines)
      read_.push_back(
          {line.array < 0 ? 0 : line_index(line.array, {line.plane, line.row, 0}), line});
  }
  /// Must be called when the problem's clock has changed.
  void forget_time() { known_ = false; }

  /// Computes the targets at `count` cells, at most a segment, from `first` on.
  void evaluate(StepArrays<T>& arrays, const FaceConditions<T>& conditions, Cell first,
                std::int64_t count) {
    for (Line& line : lines_) fill(line, arrays.read(line.array), conditions, first, count);
    if (compiled_ != nullptr) return call(arrays, first, count);
    const std::int64_t index = array_index(first);
    const auto& operations = stage_.tree.operations;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const StageOperation& node = operations[i];
      if (!varies_[i]) continue;
      if (node.operation == Operation::value) {
        operands_[i] = lines_[line_of_[i]].start + 1 + node.at.column;
      } else if (node.operation == Operation::position) {
        for (std::int64_t j = 0; j < count; ++j)
          results_[i][j] = position_at(problem_, node.index,
                                       beside({first.row, first.column + j, first.plane}, node.at));
      } else if (node.operation == Operation::noise) {
        std::array<std::uint64_t, segment> cells;
        const std::uint64_t row = row_in_grid(problem_, first);
        for (std::int64_t j = 0; j < count; ++j)
          cells[j] = row + cells_before(problem_, 2, first.column + j);
        widest<RowLoops<T>>().draw(cells.data(), noise_words(node, at_.step), results_[i], count);
      } else {
        T* const out = target_of_[i] < 0 ? results_[i] : arrays.write(target_of_[i]) + index;
        operands_[i] = out;
        widest<RowLoops<T>>().operate(node.operation, operands_[node.operands[0]],
                                      operands_[node.operands[1]], operands_[node.operands[2]], out,
                                      count);
      }
    }
    for (std::size_t i = 0; i < stage_.targets.size(); ++i)
      if (T* const out = arrays.write(stage_.targets[i]) + index;
          operands_[stage_.tree.results[i]] != out)
        std::copy_n(operands_[stage_.tree.results[i]], count, out);
  }

 private:
  struct Line {
    int array;
    Offset at;
    T* copy = nullptr;
    const T* start = nullptr;  // points to the cell before the segment
  };
  // A line that the compiled function reads: lines_[place], or values along the columns.
  struct ReadLine {
    std::size_t place;
    StageLayout::Line line;
  };

  const StageLayout& layout() const { return compiled_->layouts[which_]; }

  void call(StepArrays<T>& arrays, Cell first, std::int64_t count) {
    sources_.clear();
    out_.clear();
    for (const ReadLine& read : read_)
      sources_.push_back(read.line.array < 0 ? compiled_->along_columns(read.line) + first.column
                                             : lines_[read.place].start + 1);
    for (const int target : stage_.targets)
      out_.push_back(arrays.write(target) + array_index(first));
    const StageArguments& of = layout().arguments;
    const Cell row{first.row, 0, first.plane};
    if (compiled_->by_row[which_]) arguments_ = of.values(uniform_, row, at_);
    compiled_->functions[which_](sources_.data(), of.set_row(arguments_.data(), problem_, row),
                                 out_.data(), count);
  }

  // True if the operation computes a result for each cell.
  bool is_made(std::size_t operation) const {
    return varies_[operation] && stage_.tree.operations[operation].operation != Operation::value;
  }

  // The index in lines_ of the line that a value is read from; adds the line if it is new.
  std::size_t line_index(int array, Offset at) {
    at.column = 0;
    const auto known = std::ranges::find_if(
        lines_, [&](const Line& line) { return line.array == array && line.at == at; });
    const auto place = static_cast<std::size_t>(known - lines_.begin());
    if (known == lines_.end()) lines_.push_back({array, at});
    return place;
  }

  void fill(Line& line, const T* from, const FaceConditions<T>& conditions, Cell first,
            std::int64_t count) const {
    const Shape shape = problem_.shape;
    const Faces<T>& faces = problem_.faces[line.array];
    const std::int64_t row = first.row + line.at.row, plane = first.plane + line.at.plane;
    const AxisSource in_rows = source_at(faces.rows, row, shape.rows);
    const AxisSource in_planes = source_at(faces.planes, plane, shape.planes);
    const T* const source = from + array_index({in_rows.index, 0, in_planes.index});
    const bool inside = first.column > 0 && first.column + count < shape.columns;
    line.start =
        inside && !in_rows.ghost && !in_planes.ghost ? source + first.column - 1 : line.copy;
    if (line.start != line.copy) return;
    std::copy_n(source + first.column, count, line.copy + 1);
    for (const std::int64_t column : {first.column - 1, first.column + count}) {
      const AxisSource end = source_at(faces.columns, column, shape.columns);
      T& value = line.copy[column - first.column + 1];
      value = source[end.index];
      if (end.ghost)
        value = conditions.of(line.array, 2, column > 0)
                    .at(in_planes.index, in_rows.index)
                    .ghost(value);
    }
    if (in_rows.ghost)
      impose(conditions.of(line.array, 1, row > 0), in_planes.index, first.column, line.copy,
             count);
    if (in_planes.ghost)
      impose(conditions.of(line.array, 0, plane > 0), row, first.column, line.copy, count);
  }

  static void impose(const ConditionsAlongFace<T>& conditions, std::int64_t slow,
                     std::int64_t first_column, T* values, std::int64_t count) {
    for (std::int64_t j = -1; j <= count; ++j)
      values[j + 1] = conditions.at(slow, first_column + j).ghost(values[j + 1]);
  }

  std::int64_t array_index(Cell cell) const {
    return (cell.plane * problem_.shape.rows + cell.row) * problem_.shape.columns + cell.column;
  }

  const Problem<T>& problem_;
  const Stage& stage_;
  TreeAt<T> uniform_;
  std::vector<bool> varies_;  // for each operation, true if its result differs from cell to cell
  std::vector<Line> lines_;
  std::vector<std::size_t> line_of_;             // index in lines_ of each operation that reads one
  std::vector<const T*> operands_;               // where the values of each operation are
  std::vector<T*> results_;                      // in scratch, for each operation with results
  std::vector<std::vector<T>> uniform_results_;  // the result of each operation that does not vary
  std::vector<int> target_of_;                   // array to which an operation's results go, or -1
  Moment at_ = 0;
  bool known_ = false;
  const CompiledStages<T>* compiled_ = nullptr;  // null if the stage is interpreted
  std::size_t which_ = 0;                        // the index of the stage
  std::vector<ReadLine> read_;
  std::vector<T> arguments_;
  std::vector<const T*> sources_;  // arguments of a call
  std::vector<T*> out_;
};

template <class T>
class StageInterpreter {
 public:
  StageInterpreter(const Problem<T>& problem, int threads, int lent = 0)
      : problem_(problem), arrays_(problem_, lent), conditions_(problem_), threads_(threads) {
    divide(false);
    for (const Stage& stage : problem_.stages) {
      auto& of_thread = stages_.emplace_back();
      for (int thread = 0; thread < threads; ++thread) of_thread.emplace_back(problem_, stage);
    }
    std::size_t most = 0;
    for (const auto& of_thread : stages_) most = std::max(most, of_thread.front().scratch());
    for (int thread = 0; thread < threads; ++thread) {
      scratch_.emplace_back(most);
      for (auto& of_thread : stages_) of_thread[thread].set_scratch(scratch_.back().data());
    }
  }
  StageInterpreter(const StageInterpreter&) = delete;
  StageInterpreter& operator=(const StageInterpreter&) = delete;

  Shape shape() const { return problem_.shape; }

  void set_clock(const StepTimes& clock) {
    problem_.clock = clock;
    for (auto& of_thread : stages_)
      for (StageRows<T>& stage : of_thread) stage.forget_time();
  }

  /// From now on calls compiled functions. The first and last cell of a row become segments of
  /// their own, because segments at a face copy their lines.
  void use(const CompiledStages<T>& compiled) {
    divide(true);
    for (std::size_t i = 0; i < stages_.size(); ++i)
      for (StageRows<T>& of_thread : stages_[i]) of_thread.use(compiled, i);
  }

  /// Reads the state after `step` steps in buffers.current and writes the fields to buffers.next.
  /// `lent` is memory for the last arrays (StepArrays).
  void compute(const DoubleBuffer<T>& buffers, std::int64_t step, T* lent = nullptr) {
    arrays_.start(buffers, lent);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const Stage& stage = problem_.stages[i];
      const Moment at = problem_.clock.moment(step, stage.time);
      compute_global_operations(problem_, stage, arrays_, at.time, threads_);
      compute(stages_[i], at);
      arrays_.finish(stage);
    }
  }

 private:
  void compute(std::vector<StageRows<T>>& of_thread, const Moment& at) {
    const Shape shape = problem_.shape;
    conditions_.set_time(at.time);
#pragma omp parallel num_threads(threads_)
    {
      StageRows<T>& stage = of_thread[omp_get_thread_num()];
      stage.set_time(at);
#pragma omp for schedule(static)
      for (std::int64_t row = 0; row < shape.planes * shape.rows; ++row)
        for (std::size_t i = 1; i < ends_.size(); ++i)
          stage.evaluate(arrays_, conditions_, {row % shape.rows, ends_[i - 1], row / shape.rows},
                         ends_[i] - ends_[i - 1]);
    }
  }

  // Divides rows into segments; if `apart`, their first and last cells are segments of their own.
  void divide(bool apart) {
    const std::int64_t columns = problem_.shape.columns, edge = apart && columns > 2 ? 1 : 0;
    ends_ = {0};
    for (std::int64_t end = edge; end < columns - edge; end += StageRows<T>::segment)
      if (end > 0) ends_.push_back(end);
    for (const std::int64_t end : {columns - edge, columns})
      if (end > ends_.back()) ends_.push_back(end);
  }

  Problem<T> problem_;
  StepArrays<T> arrays_;
  FaceConditions<T> conditions_;
  std::vector<std::vector<StageRows<T>>> stages_;  // indices: stage, thread
  std::vector<std::vector<T>> scratch_;
  std::vector<std::int64_t> ends_;  // 0, then the column after each segment of a row
  int threads_;
};

namespace {

template <class T>
class InterpretedEngine final : public StageEngine<T> {
 public:
  InterpretedEngine(const Problem<T>& problem, int threads)
      : stages_(problem, threads), threads_(threads) {}

  void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) override {
    for (std::int64_t step = first_step; step < first_step + steps; ++step) {
      stages_.compute(buffers, step);
      buffers.swap();
    }
  }

  void set_clock(const StepTimes& clock) override { stages_.set_clock(clock); }
  void use(const CompiledStages<T>& compiled) override { stages_.use(compiled); }

  int threads() const override { return threads_; }

 private:
  StageInterpreter<T> stages_;
  int threads_;
};

}  // namespace

template <class T>
std::unique_ptr<StageEngine<T>> make_interpreted_engine(const Problem<T>& problem, int threads) {
  return std::make_unique<InterpretedEngine<T>>(problem, threads);
}
LAPL_FOR_FLOATS(make_interpreted_engine);

template <class T>
Evaluation<T>::Evaluation(const Problem<T>& problem, int results, int threads)
    : results_(results),
      threads_(threads > 0 ? threads : useful_threads(problem)),
      stages_(std::make_unique<StageInterpreter<T>>(problem, threads_, results)) {}

template <class T>
Evaluation<T>::~Evaluation() = default;

template <class T>
void Evaluation<T>::operator()(const T* state, double time, T* results) {
  stages_->set_clock({.start = time});
  stages_->compute({const_cast<T*>(state), nullptr}, 0, results);
}

template <class T>
std::vector<T> Evaluation<T>::operator()(std::span<const T> state, double time) {
  std::vector<T> results(results_ * stages_->shape().cells());
  (*this)(state.data(), time, results.data());
  return results;
}

template <class T>
double Evaluation<T>::memory(const Problem<T>& problem, int results) {
  const std::int64_t made =
      problem.arrays() - problem.step_fields - std::ssize(problem.coefficients) - results;
  return static_cast<double>(made * problem.shape.cells()) * sizeof(T);
}

template class Evaluation<float>;
template class Evaluation<double>;

}  // namespace lapl
