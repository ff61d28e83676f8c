// A stage on segments of rows: interpreted operation by operation, or by its compiled function.
//
//   lines        one for each array, plane and row that a stage reads: the segment and a cell at
//                either end. A line is in the array itself, or is a copy with ghosts by the
//                conditions of the columns, then the rows, then the planes.
//   operations   a value is read from its line; other operations have one result a cell, which
//                for a target goes to its array. Results that are equal in all cells are computed
//                once.
//   scratch      copies of lines and results that differ from cell to cell, one a thread; stages
//                take turns in it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/cpu/compiled_stages.hpp"
#include "kernels/cpu/face_conditions.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/row_loops.hpp"
#include "kernels/cpu/step_arrays.hpp"
#include "kernels/stages/rare_parts.hpp"

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
        rare_(rare_parts(stage.tree)),
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
    if (compiled_ == nullptr && rare_.any())
      for (; count > piece; count -= piece, first.column += piece)
        evaluate_piece(arrays, conditions, first, piece);
    evaluate_piece(arrays, conditions, first, count);
  }

 private:
  // Cells that are computed together where few cells need rare parts.
  static constexpr std::int64_t piece = 64;

  void evaluate_piece(StepArrays<T>& arrays, const FaceConditions<T>& conditions, Cell first,
                      std::int64_t count) {
    for (Line& line : lines_) fill(line, arrays.read(line.array), conditions, first, count);
    if (compiled_ != nullptr) return call(arrays, first, count);
    const std::vector<bool>* which = &varies_;
    const StageTree* tree = &stage_.tree;
    if (rare_.any()) {
      compute(stage_.tree, rare_.deciding, arrays, first, count);
      if (!needs_rare_parts(count)) tree = &rare_.common, which = &rare_.needed;
    }
    compute(*tree, *which, arrays, first, count);
    for (std::size_t i = 0; i < stage_.targets.size(); ++i)
      if (T* const out = arrays.write(stage_.targets[i]) + array_index(first);
          operands_[tree->results[i]] != out)
        std::copy_n(operands_[tree->results[i]], count, out);
  }

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

  // Computes those of these operations that differ from cell to cell.
  void compute(const StageTree& tree, const std::vector<bool>& which, StepArrays<T>& arrays,
               Cell first, std::int64_t count) {
    const auto& operations = tree.operations;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const StageOperation& node = operations[i];
      if (!varies_[i] || !which[i]) continue;
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
        T* const out =
            target_of_[i] < 0 ? results_[i] : arrays.write(target_of_[i]) + array_index(first);
        operands_[i] = out;
        // Operands that the operation has not may not be computed.
        const int has = table_row(node.operation).operands;
        const auto operand = [&](int k) { return operands_[node.operands[k < has ? k : 0]]; };
        widest<RowLoops<T>>().operate(node.operation, operand(0), operand(1), operand(2), out,
                                      count);
      }
    }
  }

  // True if one of the cells needs a rare part, once the operations that decide so are computed.
  bool needs_rare_parts(std::int64_t count) const {
    const auto any = [&](const std::vector<int>& of, bool where) {
      return std::ranges::any_of(of, [&](int operation) {
        return std::any_of(operands_[operation], operands_[operation] + count,
                           [&](T value) { return (value != 0) == where; });
      });
    };
    return any(rare_.where_true, true) || any(rare_.where_false, false);
  }

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
  RareParts rare_;
  std::vector<bool> varies_;  // for each operation, true if it differs from cell to cell
  std::vector<Line> lines_;
  std::vector<std::size_t> line_of_;             // for each operation that is a value
  std::vector<const T*> operands_;               // where the values of each operation are
  std::vector<T*> results_;                      // in scratch, for each operation with results
  std::vector<std::vector<T>> uniform_results_;  // for each operation that does not vary
  std::vector<int> target_of_;                   // array to which an operation's results go, or -1
  Moment at_ = 0;
  bool known_ = false;
  const CompiledStages<T>* compiled_ = nullptr;  // null: the stage is interpreted
  std::size_t which_ = 0;                        // the index of the stage
  std::vector<ReadLine> read_;
  std::vector<T> arguments_;
  std::vector<const T*> sources_;  // of a call
  std::vector<T*> out_;
};

}  // namespace lapl
