#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cpu/face_conditions.hpp"
#include "kernels/cpu/row_loops.hpp"
#include "kernels/stages/stage_code.hpp"
#include "kernels/stages/tree_at.hpp"

namespace lapl {

/// A stage compiled for one row; kernels/stages/stage_code.hpp has the meaning of its arguments.
template <class T>
using StageFunction = void(const T* const* lines, const T* uniforms, T* const* out, long count);

/// The most steps that an engine of compiled stages computes in one pass over the grid.
inline constexpr int most_steps_in_pass = 12;

/// Cells by which stored rows of coefficients extend beyond the grid on either side: the `by` cells
/// that a pass reads there, and two vectors of 64 bytes.
template <class T>
constexpr std::int64_t margin_beyond(std::int64_t by) {
  return by + 2 * 64 / static_cast<std::int64_t>(sizeof(T));
}

/// The functions of a problem's stages, and the arrays that all pieces of the grid read besides the
/// state.
template <class T>
struct CompiledStages {
  explicit CompiledStages(const Problem<T>& of_problem) : problem(of_problem) {
    for (const Stage& stage : problem.stages) {
      layouts.push_back(stage_layout(stage.tree));
      most_lines = std::max(most_lines, layouts.back().lines.size());
      by_row.push_back(std::ranges::any_of(stage.tree.operations, [](const StageOperation& node) {
        return node.operation == Operation::position && node.index < 2;
      }));
      in_time = in_time || reads_time(stage.tree);
    }
    ends_in_time.resize(problem.arrays());
    for (const VaryingFace& face : varying_faces(problem)) {
      in_time = in_time || reads_time(face.condition);
      if (face.axis == 2 && reads_time(face.condition)) ends_in_time[face.array] = true;
    }
  }

  // Stores coefficients and coordinates with margins for passes that read `by` columns beyond the
  // grid.
  void extend(std::int64_t by) {
    margin = margin_beyond<T>(by);
    const Shape shape = problem.shape;
    const AxisFaces<T>& columns = problem.faces.front().columns;
    const auto index = [&](std::int64_t column) {
      return columns.wrap() ? wrapped(column, shape.columns)
                            : std::clamp<std::int64_t>(column, 0, shape.columns - 1);
    };
    pitch = shape.columns + 2 * margin;
    for (const SharedValues<T>& given : problem.coefficients) {
      const std::int64_t rows = shape.planes * shape.rows;
      std::vector<T>& extended = coefficients.emplace_back(rows * pitch);
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = -margin; column < shape.columns + margin; ++column)
          extended[row * pitch + column + margin] = (*given)[row * shape.columns + index(column)];
    }
    const bool noise = std::ranges::any_of(
        problem.stages, [](const Stage& stage) { return reads_noise(stage.tree); });
    for (std::int64_t column = -margin; column < shape.columns + margin; ++column) {
      positions.push_back(position_at(problem, 2, {0, column, 0}));
      if (!noise) continue;
      const std::uint64_t before = cells_before(problem, 2, column);
      low_words.push_back(with_word<T>(low_word(before)));
      high_words.push_back(with_word<T>(high_word(before)));
    }
  }

  Problem<T> problem;
  std::vector<StageLayout> layouts;
  // for each array: true if a boundary condition at the ends of its rows depends on time
  std::vector<bool> ends_in_time;
  // for each stage: true if it reads coordinates that differ from row to row
  std::vector<bool> by_row;
  bool in_time = false;  // true if an argument or a condition depends on time
  std::size_t most_lines = 0;
  /// Points to column 0 of a line that is no row of an array: coordinates, or words of cell
  /// indices.
  const T* along_columns(const StageLayout::Line& line) const {
    using Line = StageLayout::Line;
    const std::vector<T>& values = line.array == Line::coordinates ? positions
                                   : line.array == Line::low_words ? low_words
                                                                   : high_words;
    return values.data() + margin;
  }

  std::vector<StageFunction<T>*> functions;
  /// Steps several rows of diffusion on three axes; null for other problems.
  decltype(RowLoops<T>::diffusion_rows) diffusion_rows = nullptr;
  /// Like diffusion_rows, for rows of the last step, which are written to the field and not to a
  /// ring.
  decltype(RowLoops<T>::diffusion_rows) outgoing_rows = nullptr;
  /// True if two copies of the grid exceed the last-level cache: outgoing_rows then bypass the
  /// caches.
  bool past_caches = false;
  std::vector<std::vector<T>> coefficients;
  // of each column; the words are those of its cell index, for noise
  std::vector<T> positions, low_words, high_words;
  std::int64_t margin = 0, pitch = 0;
};

/// The time-dependent values of one stage in one step of a pass (Pipeline::Instance).
template <class T>
struct InstanceTimes {
  explicit InstanceTimes(const Problem<T>& problem) : conditions(problem) {}

  int stage = -1;
  Moment at = 0;
  FaceConditions<T> conditions;
  std::vector<T> uniforms;
};

}  // namespace lapl
