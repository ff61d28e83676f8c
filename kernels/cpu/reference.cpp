// Engine "reference": interprets the stage tree, one operation after the other on a segment of a
// row, on one thread. It knows any tree, any number of fields and of axes, and nothing else does
// the same work another way: what it finds is what every engine must find, to the bit.
//
//   lines        for each field, plane and row that the tree reads: the segment and a cell at
//                either end; in the field itself, or a copy with ghosts by the laws of the
//                columns, then of the rows, then of the planes
//   operations   of a value: where it lies in its line; of others: as many results as cells
#include <algorithm>

#include "kernels/cpu/engine.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/rows.hpp"

namespace lapl {
namespace {

template <class T>
class ReferenceEngine final : public CpuEngine<T> {
 public:
  explicit ReferenceEngine(const Problem<T>& problem) : problem_(problem) {
    auto& operations = problem_.stage.operations;
    operands_.resize(operations.size());
    results_.resize(operations.size());
    for (std::size_t i = 0; i < operations.size(); ++i) {
      StageOperation& operation = operations[i];
      if (operation.operation == Operation::value) {
        operation.index = line_of(operation);  // from here on
        continue;
      }
      results_[i].resize(segment);
      operands_[i] = results_[i].data();
      if (operation.operation == Operation::number)
        std::ranges::fill(results_[i], static_cast<T>(operation.number));
      if (operation.operation == Operation::parameter)
        std::ranges::fill(results_[i], problem_.parameters.at(operation.index));
    }
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t steps) override {
    const Shape shape = problem_.shape;
    for (std::int64_t step = 0; step < steps; ++step) {
      for (std::int64_t plane = 0; plane < shape.planes; ++plane)
        for (std::int64_t row = 0; row < shape.rows; ++row)
          for (std::int64_t column = 0; column < shape.columns; column += segment)
            evaluate(buffers, {row, column, plane}, std::min(segment, shape.columns - column));
      buffers.swap();
    }
  }

  int threads() const override { return 1; }

 private:
  static constexpr std::int64_t segment = 512;

  struct Line {
    int field;
    Offset at;
    std::vector<T> copy;
    const T* start = nullptr;  // of the cell before the segment
  };

  // The line that a value lies in, made where no value before it does.
  int line_of(const StageOperation& value) {
    const Offset at{value.at.plane, value.at.row, 0};
    const auto known = std::ranges::find_if(
        lines_, [&](const Line& line) { return line.field == value.index && line.at == at; });
    const auto place = static_cast<int>(known - lines_.begin());
    if (known == lines_.end()) lines_.push_back({value.index, at, std::vector<T>(segment + 2)});
    return place;
  }

  // The new values of every field at `count` cells from `first` on.
  void evaluate(const DoubleBuffer<T>& buffers, Cell first, std::int64_t count) {
    for (Line& line : lines_) fill(line, buffers.current, first, count);
    const auto& operations = problem_.stage.operations;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (operations[i].operation == Operation::value)
        operands_[i] = lines_[operations[i].index].start + 1 + operations[i].at.column;
      if (operations[i].operation < Operation::add) continue;
      const auto operand = [&](std::size_t which) {
        return operands_[operations[i].operands[which]];
      };
      widest<RowLoops<T>>().operate(operations[i].operation, operand(0), operand(1), operand(2),
                                    results_[i].data(), count);
    }
    const auto& results = problem_.stage.results;
    for (std::size_t field = 0; field < results.size(); ++field)
      std::copy_n(operands_[results[field]], count,
                  buffers.next + index_of(static_cast<int>(field), first));
  }

  void fill(Line& line, const T* from, Cell first, std::int64_t count) const {
    const Shape shape = problem_.shape;
    const Faces<T>& faces = problem_.faces;
    const std::int64_t row = first.row + line.at.row, plane = first.plane + line.at.plane;
    const AxisSource in_rows = source_at(faces.rows, row, shape.rows);
    const AxisSource in_planes = source_at(faces.planes, plane, shape.planes);
    const T* const source = from + index_of(line.field, {in_rows.index, 0, in_planes.index});
    const bool inside = first.column > 0 && first.column + count < shape.columns;
    line.start =
        inside && !in_rows.ghost && !in_planes.ghost ? source + first.column - 1 : line.copy.data();
    if (line.start != line.copy.data()) return;
    std::copy_n(source + first.column, count, line.copy.begin() + 1);
    for (const std::int64_t column : {first.column - 1, first.column + count}) {
      const AxisSource end = source_at(faces.columns, column, shape.columns);
      line.copy[column - first.column + 1] =
          end.ghost ? faces.columns.at(column).ghost(source[end.index]) : source[end.index];
    }
    if (in_rows.ghost) impose(faces.rows.at(row), line.copy);
    if (in_planes.ghost) impose(faces.planes.at(plane), line.copy);
  }

  static void impose(const Face<T>& face, std::vector<T>& values) {
    for (T& value : values) value = face.ghost(value);
  }

  std::int64_t index_of(int field, Cell cell) const {
    const Shape shape = problem_.shape;
    return field * shape.cells() + (cell.plane * shape.rows + cell.row) * shape.columns +
           cell.column;
  }

  Problem<T> problem_;
  std::vector<Line> lines_;
  std::vector<std::vector<T>> results_;  // of each operation; empty for values
  std::vector<const T*> operands_;       // the values that each operation stands for
};

}  // namespace

template <class T>
std::unique_ptr<CpuEngine<T>> make_reference_engine(const Problem<T>& problem, int) {
  return std::make_unique<ReferenceEngine<T>>(problem);
}
template std::unique_ptr<CpuEngine<float>> make_reference_engine(const Problem<float>&, int);
template std::unique_ptr<CpuEngine<double>> make_reference_engine(const Problem<double>&, int);

}  // namespace lapl
