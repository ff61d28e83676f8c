// Pieces of the grid on their way through a pass of a pipeline, with stages compiled at run time.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/cpu/face_laws.hpp"
#include "kernels/cpu/pipeline.hpp"

namespace lapl {

template <class T>
using StageFunction = void(const T* const* lines, const T* uniforms, T* const* out, long count);

inline std::int64_t wrapped(std::int64_t index, std::int64_t size) {
  return (index % size + size) % size;
}

/// Rows and columns of the grid, the last ones not among them.
struct Piece {
  std::int64_t first_row, last_row, first_column, last_column;
};

/// What pieces of a problem have in common.
template <class T>
struct CompiledStages {
  explicit CompiledStages(const Problem<T>& of_problem) : problem(of_problem) {
    for (const Stage& stage : problem.stages) {
      layouts.push_back(layout_of(stage.tree));
      by_row.push_back(std::ranges::any_of(stage.tree.operations, [](const StageOperation& node) {
        return node.operation == Operation::position && node.index < 2;
      }));
      in_time = in_time || reads_time(stage.tree);
    }
    for (const VaryingFace& face : problem.laws) in_time = in_time || reads_time(face.law);
  }

  // Coefficients and positions along the columns, as far as pieces of a pass read beyond the grid.
  void extend(std::int64_t by) {
    margin = by + 1;
    const Shape shape = problem.shape;
    const AxisFaces<T>& columns = problem.faces.front().columns;
    const auto index = [&](std::int64_t column) {
      return columns.wrap() ? wrapped(column, shape.columns)
                            : std::clamp<std::int64_t>(column, 0, shape.columns - 1);
    };
    pitch = shape.columns + 2 * margin;
    for (const std::vector<T>& given : problem.coefficients) {
      std::vector<T>& extended = coefficients.emplace_back(shape.rows * pitch);
      for (std::int64_t row = 0; row < shape.rows; ++row)
        for (std::int64_t column = -margin; column < shape.columns + margin; ++column)
          extended[row * pitch + column + margin] = given[row * shape.columns + index(column)];
    }
    for (std::int64_t column = -margin; column < shape.columns + margin; ++column)
      positions.push_back(position_at(problem, 2, {0, column, 0}));
  }

  static bool reads_time(const StageTree& tree) {
    return std::ranges::count(tree.operations, Operation::time, &StageOperation::operation) > 0;
  }

  Problem<T> problem;
  std::vector<StageLayout> layouts;
  std::vector<bool> by_row;  // of each stage: it reads positions that differ from row to row
  bool in_time = false;      // something depends on the time
  std::vector<StageFunction<T>*> functions;
  std::vector<std::vector<T>> coefficients;
  std::vector<T> positions;
  std::int64_t margin = 0, pitch = 0;
};

/// What depends on the time of each instance of a pass.
template <class T>
struct InstanceTimes {
  explicit InstanceTimes(const Problem<T>& problem) : laws(problem) {}

  int stage = -1;
  double time = 0;
  FaceLaws<T> laws;
  std::vector<T> uniforms;
};

/// The values of a stage's arguments in a row.
template <class T>
std::vector<T> uniforms_of(TreeAt<T>& tree, const StageLayout& layout, std::int64_t row,
                           double time) {
  tree.evaluate({row, 0, 0}, time, [](const StageOperation&) { return T(0); });
  std::vector<T> values;
  for (const int operation : layout.uniforms) values.push_back(tree.of_operation(operation));
  return values;
}

/// Takes pieces through a pass; for one thread.
template <class T>
class PieceRun {
 public:
  PieceRun(const CompiledStages<T>& stages, const Pipeline& pipeline)
      : stages_(stages), pipeline_(pipeline), ring_starts_(pipeline.versions.size()) {
    for (const Stage& stage : stages.problem.stages)
      trees_.emplace_back(stages.problem, stage.tree);
  }

  void run(const Piece& piece, const std::vector<InstanceTimes<T>>& times, const T* from, T* to) {
    piece_ = piece;
    from_ = from;
    to_ = to;
    start_ = piece.first_column - pipeline_.halo - pad;
    pitch_ = (piece.last_column - start_ + pipeline_.halo + 2 * pad) / pad * pad;
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < pipeline_.versions.size(); ++i) {
      ring_starts_[i] = rows * pitch_;
      rows += pipeline_.versions[i].rows;
    }
    rings_.resize(rows * pitch_);
    for (std::int64_t t = piece.first_row - pipeline_.halo;
         t < piece.last_row + pipeline_.halo + pipeline_.last_lag; ++t) {
      for (int field = 0; field < stages_.problem.fields; ++field) load(field, t);
      for (std::size_t i = 0; i < pipeline_.instances.size(); ++i)
        make(pipeline_.instances[i], times[i], t - pipeline_.instances[i].lag);
    }
  }

 private:
  static constexpr std::int64_t pad = 64 / sizeof(T);

  struct Range {
    std::int64_t first, last;
  };
  Range rows(std::int64_t reach) const {
    return within(stages_.problem.faces.front().rows, stages_.problem.shape.rows,
                  {piece_.first_row - reach, piece_.last_row + reach});
  }
  Range columns(std::int64_t reach) const {
    return within(stages_.problem.faces.front().columns, stages_.problem.shape.columns,
                  {piece_.first_column - reach, piece_.last_column + reach});
  }
  static Range within(const AxisFaces<T>& faces, std::int64_t size, Range range) {
    if (faces.wrap()) return range;
    return {std::max<std::int64_t>(range.first, 0), std::min(range.last, size)};
  }

  // The cell of column 0 in a row of a version; rows and columns may lie outside of the grid.
  T* row_of(int version, std::int64_t row) {
    const std::int64_t slot = row & (pipeline_.versions[version].rows - 1);
    return rings_.data() + ring_starts_[version] + slot * pitch_ - start_;
  }

  void load(int field, std::int64_t row) {
    const Pipeline::Version& version = pipeline_.versions[field];
    const Range needed = rows(version.reach);
    if (version.rows == 0 || row < needed.first || row >= needed.last) return;
    const Shape shape = stages_.problem.shape;
    const T* const source =
        from_ + field * shape.cells() + wrapped(row, shape.rows) * shape.columns;
    T* const to = row_of(field, row);
    const Range range = columns(version.reach);
    for (std::int64_t column = range.first; column < range.last;) {
      const std::int64_t inside = wrapped(column, shape.columns);
      const std::int64_t count = std::min(range.last - column, shape.columns - inside);
      std::copy_n(source + inside, count, to + column);
      column += count;
    }
  }

  void make(const Pipeline::Instance& instance, const InstanceTimes<T>& times, std::int64_t row) {
    const Range needed = rows(instance.reach), range = columns(instance.reach);
    if (row < needed.first || row >= needed.last) return;
    const StageLayout& layout = stages_.layouts[instance.stage];
    lines_.resize(layout.lines.size());
    ghosts_.resize(std::max(ghosts_.size(), layout.lines.size()));
    for (std::size_t i = 0; i < layout.lines.size(); ++i)
      lines_[i] = line(layout.lines[i], instance.sources[i], times.laws, row, range, ghosts_[i]) +
                  range.first;
    results_.clear();
    for (const int result : instance.results) {
      const Pipeline::Version& version = pipeline_.versions[result];
      results_.push_back((version.rows > 0 ? row_of(result, row) : row_out(version.array, row)) +
                         range.first);
    }
    stages_.functions[instance.stage](lines_.data(), uniforms(instance, times, row),
                                      results_.data(), range.last - range.first);
    for (const int result : instance.results) {
      const Pipeline::Version& version = pipeline_.versions[result];
      if (version.rows > 0 && version.goes_out && row >= piece_.first_row && row < piece_.last_row)
        std::copy(row_of(result, row) + piece_.first_column,
                  row_of(result, row) + piece_.last_column,
                  row_out(version.array, row) + piece_.first_column);
    }
  }

  T* row_out(int field, std::int64_t row) const {
    const Shape shape = stages_.problem.shape;
    return to_ + field * shape.cells() + row * shape.columns;
  }

  // Where column 0 of a line is; what a stage reads beyond the grid's faces is set.
  const T* line(const StageLayout::Line& line, int version, const FaceLaws<T>& laws,
                std::int64_t row, Range range, std::vector<T>& ghosts) {
    const Problem<T>& problem = stages_.problem;
    if (line.array < 0) return stages_.positions.data() + stages_.margin;
    const std::int64_t at = row + line.row, size = problem.shape.rows;
    const bool wraps = problem.faces.front().rows.wrap();
    const std::int64_t nearest = wraps ? at : std::clamp<std::int64_t>(at, 0, size - 1);
    if (version < 0)
      return stages_.coefficients[line.array - problem.fields].data() +
             wrapped(nearest, size) * stages_.pitch + stages_.margin;
    T* const inside = row_of(version, nearest);
    impose_columns(line.array, laws, wrapped(nearest, size), range, inside);
    if (nearest == at) return inside;
    const LawsAlongFace<T>& law = laws.of(line.array, 1, at > 0);
    ghosts.resize(pitch_);
    T* const made = ghosts.data() - start_;
    const bool around = problem.faces.front().columns.wrap();
    for (std::int64_t column = range.first - 1; column <= range.last; ++column) {
      const std::int64_t place = around ? wrapped(column, problem.shape.columns) : column;
      made[column] = law.at(0, place).ghost(inside[column]);
    }
    return made;
  }

  void impose_columns(int array, const FaceLaws<T>& laws, std::int64_t row, Range range,
                      T* values) const {
    const std::int64_t size = stages_.problem.shape.columns;
    if (stages_.problem.faces.front().columns.wrap()) return;
    if (range.first == 0) values[-1] = laws.of(array, 2, false).at(0, row).ghost(values[0]);
    if (range.last == size)
      values[size] = laws.of(array, 2, true).at(0, row).ghost(values[size - 1]);
  }

  const T* uniforms(const Pipeline::Instance& instance, const InstanceTimes<T>& times,
                    std::int64_t row) {
    if (!stages_.by_row[instance.stage]) return times.uniforms.data();
    uniforms_ =
        uniforms_of(trees_[instance.stage], stages_.layouts[instance.stage], row, times.time);
    return uniforms_.data();
  }

  const CompiledStages<T>& stages_;
  const Pipeline& pipeline_;
  std::vector<TreeAt<T>> trees_;  // of each stage
  Piece piece_{};
  const T* from_ = nullptr;
  T* to_ = nullptr;
  std::int64_t start_ = 0, pitch_ = 0;  // first column of a ring's rows, and their length
  std::vector<std::int64_t> ring_starts_;
  std::vector<T> rings_;
  std::vector<std::vector<T>> ghosts_;  // of each line
  std::vector<const T*> lines_;
  std::vector<T*> results_;
  std::vector<T> uniforms_;
};

}  // namespace lapl
