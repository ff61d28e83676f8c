// Pieces of the grid on their way through a pass of a pipeline, with stages compiled at run time.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/cpu/face_laws.hpp"
#include "kernels/cpu/pipeline.hpp"

namespace lapl {

template <class T>
using StageFunction = void(const T* const* lines, const T* uniforms, T* const* out, long count);

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
      most_lines = std::max(most_lines, layouts.back().lines.size());
      by_row.push_back(std::ranges::any_of(stage.tree.operations, [](const StageOperation& node) {
        return node.operation == Operation::position && node.index < 2;
      }));
      in_time = in_time || reads_time(stage.tree);
    }
    for (const VaryingFace& face : problem.laws) in_time = in_time || reads_time(face.law);
  }

  // Coefficients and positions along the columns, as far as pieces of a pass read beyond the grid.
  void extend(std::int64_t by) {
    margin = by + 2 * 64 / static_cast<std::int64_t>(sizeof(T));  // whole vectors beyond
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

  Problem<T> problem;
  std::vector<StageLayout> layouts;
  std::vector<bool> by_row;  // of each stage: it reads positions that differ from row to row
  bool in_time = false;      // something depends on the time
  std::size_t most_lines = 0;
  std::vector<StageFunction<T>*> functions;
  void (*copy_row)(const T* from, T* to, long count) = nullptr;
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
      : stages_(stages),
        pipeline_(pipeline),
        around_(stages.problem.faces.front().columns.wrap()),
        ring_starts_(pipeline.versions.size()) {
    for (const Stage& stage : stages.problem.stages)
      trees_.emplace_back(stages.problem, stage.tree);
  }

  void run(const Piece& piece, const std::vector<InstanceTimes<T>>& times, const T* from, T* to) {
    piece_ = piece;
    from_ = from;
    to_ = to;
    // Whole vectors begin at most one before the halo, and read a cell more.
    start_ = piece.first_column - (pipeline_.halo / pad + 2) * pad;
    pitch_ = (piece.last_column - start_ + pipeline_.halo + 2 * pad) / pad * pad;
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < pipeline_.versions.size(); ++i) {
      ring_starts_[i] = rows * pitch_;
      rows += pipeline_.versions[i].rows;
    }
    const std::size_t lines = stages_.most_lines;
    memory_.resize((rows + static_cast<std::int64_t>(lines)) * pitch_ + pad);
    void* aligned = memory_.data();
    std::size_t space = memory_.size() * sizeof(T);
    rings_ = static_cast<T*>(std::align(64, 1, aligned, space));
    ghosts_ = rings_ + rows * pitch_;
    ranges_.clear();
    for (const Pipeline::Instance& instance : pipeline_.instances)
      ranges_.push_back(ranges_of(instance));
    for (std::int64_t t = piece.first_row - pipeline_.halo;
         t < piece.last_row + pipeline_.halo + pipeline_.last_lag; t += Pipeline::rows_at_once) {
      for (int field = 0; field < stages_.problem.fields; ++field)
        for (std::int64_t row = t; row < t + Pipeline::rows_at_once; ++row) load(field, row);
      for (std::size_t i = 0; i < pipeline_.instances.size(); ++i) {
        const std::int64_t first = t - pipeline_.instances[i].lag;
        const std::int64_t last = std::min(first + Pipeline::rows_at_once, ranges_[i].rows.last);
        for (std::int64_t row = std::max(first, ranges_[i].rows.first); row < last; ++row)
          make(pipeline_.instances[i], ranges_[i], times[i], row);
        fetch(t + Pipeline::rows_at_once, static_cast<std::int64_t>(i));
      }
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
    return rings_ + ring_starts_[version] + slot * pitch_ - start_;
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
      stages_.copy_row(source + inside, to + column, count);
      column += count;
    }
  }

  // Fetches one instance's share of what comes in and goes out in the next rows at once, while
  // there is something to compute.
  void fetch(std::int64_t next, std::int64_t instance) const {
    const auto instances = std::ssize(pipeline_.instances);
    const Shape shape = stages_.problem.shape;
    const std::int64_t width = piece_.last_column - piece_.first_column;
    const std::int64_t first = piece_.first_column + width * instance / instances / pad * pad;
    const std::int64_t last = piece_.first_column + width * (instance + 1) / instances;
    for (int field = 0; field < stages_.problem.fields; ++field)
      for (std::int64_t row = next; row < next + Pipeline::rows_at_once; ++row)
        for (std::int64_t column = first; column < last; column += pad) {
          if (row >= 0 && row < shape.rows)
            __builtin_prefetch(from_ + field * shape.cells() + row * shape.columns + column, 0, 2);
          const std::int64_t out = row - pipeline_.last_lag;
          if (out >= piece_.first_row && out < piece_.last_row)
            __builtin_prefetch(row_out(field, out) + column, 1, 2);
        }
  }

  // What an instance makes: these rows, these columns of them; `stored` are whole vectors where
  // there is room for what nobody reads, since aligned ones are twice as fast.
  struct Ranges {
    Range rows, columns, stored;
  };
  Ranges ranges_of(const Pipeline::Instance& instance) const {
    Ranges ranges{rows(instance.reach), columns(instance.reach), columns(instance.reach)};
    for (const int result : instance.results)
      if (pipeline_.versions[result].rows == 0) return ranges;
    ranges.stored.first = start_ + (ranges.columns.first - start_) / pad * pad;
    ranges.stored.last = start_ + (ranges.columns.last - start_ + pad - 1) / pad * pad;
    return ranges;
  }

  void make(const Pipeline::Instance& instance, const Ranges& ranges, const InstanceTimes<T>& times,
            std::int64_t row) {
    const std::vector<StageLayout::Line>& lines = stages_.layouts[instance.stage].lines;
    lines_.clear();
    for (std::size_t i = 0; i < lines.size(); ++i)
      lines_.push_back(line(lines[i], instance.sources[i], times.laws, row, ranges.columns,
                            ghosts_ + static_cast<std::int64_t>(i) * pitch_ - start_) +
                       ranges.stored.first);
    results_.clear();
    for (const int result : instance.results) {
      const Pipeline::Version& version = pipeline_.versions[result];
      results_.push_back((version.rows > 0 ? row_of(result, row) : row_out(version.array, row)) +
                         ranges.stored.first);
    }
    stages_.functions[instance.stage](lines_.data(), uniforms(instance, times, row),
                                      results_.data(), ranges.stored.last - ranges.stored.first);
    for (const int result : instance.results) {
      const Pipeline::Version& version = pipeline_.versions[result];
      if (version.rows > 0 && version.goes_out && row >= piece_.first_row && row < piece_.last_row)
        stages_.copy_row(row_of(result, row) + piece_.first_column,
                         row_out(version.array, row) + piece_.first_column,
                         piece_.last_column - piece_.first_column);
    }
  }

  T* row_out(int field, std::int64_t row) const {
    const Shape shape = stages_.problem.shape;
    return to_ + field * shape.cells() + row * shape.columns;
  }

  // Where column 0 of a line is; what a stage reads beyond the grid's faces is set.
  const T* line(const StageLayout::Line& line, int version, const FaceLaws<T>& laws,
                std::int64_t row, Range range, T* ghosts) {
    const Problem<T>& problem = stages_.problem;
    if (line.array < 0) return stages_.positions.data() + stages_.margin;
    const std::int64_t at = row + line.row, size = problem.shape.rows;
    const bool wraps = problem.faces.front().rows.wrap();
    const std::int64_t nearest = wraps ? at : std::clamp<std::int64_t>(at, 0, size - 1);
    if (version < 0)
      return stages_.coefficients[line.array - problem.fields].data() +
             wrapped(nearest, size) * stages_.pitch + stages_.margin;
    T* const inside = row_of(version, nearest);
    if (!around_) impose_columns(line.array, laws, wrapped(nearest, size), range, inside);
    if (nearest == at) return inside;
    const LawsAlongFace<T>& law = laws.of(line.array, 1, at > 0);
    for (std::int64_t column = range.first - 1; column <= range.last; ++column) {
      const std::int64_t place = around_ ? wrapped(column, problem.shape.columns) : column;
      ghosts[column] = law.at(0, place).ghost(inside[column]);
    }
    return ghosts;
  }

  void impose_columns(int array, const FaceLaws<T>& laws, std::int64_t row, Range range,
                      T* values) const {
    const std::int64_t size = stages_.problem.shape.columns;
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
  bool around_;                   // the columns are periodic
  std::vector<TreeAt<T>> trees_;  // of each stage
  Piece piece_{};
  const T* from_ = nullptr;
  T* to_ = nullptr;
  std::int64_t start_ = 0, pitch_ = 0;  // first column of a ring's rows, and their length
  std::vector<std::int64_t> ring_starts_;
  std::vector<T> memory_;
  T* rings_ = nullptr;
  T* ghosts_ = nullptr;         // a row for each line
  std::vector<Ranges> ranges_;  // of each instance
  std::vector<const T*> lines_;
  std::vector<T*> results_;
  std::vector<T> uniforms_;
};

}  // namespace lapl
