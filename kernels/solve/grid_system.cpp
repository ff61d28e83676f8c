#include "kernels/solve/grid_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/backend.hpp"
#include "kernels/error.hpp"
#include "kernels/solve/assembly.hpp"
#include "kernels/solve/krylov.hpp"
#include "kernels/solve/multigrid.hpp"

namespace lapl {
namespace {

using Values = std::vector<double>;

// True if the matrix of the left side follows from the state or the time: not if t is only in the
// values a of conditions, or in conditions of arrays that no stage reads.
bool follows_from_state(const Problem<double>& left, int unknown) {
  const auto is_read = [&](int array) {
    return std::ranges::any_of(
        left.stages, [&](const StageTree& tree) { return reads_array(tree, array); }, &Stage::tree);
  };
  const auto is_other = [&](int array) { return array < left.step_fields && array != unknown; };
  for (int array = 0; array < left.step_fields; ++array)
    if (is_other(array) && is_read(array)) return true;
  for (const Stage& stage : left.stages)
    if (names_time(stage.tree) ||
        std::ranges::any_of(stage.reductions, is_other, &GridReduction::array) ||
        std::ranges::any_of(stage.solves, [&](const GridSolve& convolution) {
          return is_other(convolution.state.front());
        }))
      return true;
  return std::ranges::any_of(varying_faces(left), [&](const VaryingFace& face) {
    StageTree factor = face.condition;
    factor.results = {factor.results.at(1)};
    return names_time(without_unused(factor)) && is_read(face.array);
  });
}

}  // namespace

GridSystem::GridSystem(const Problem<double>& left, const Problem<double>& right, int unknown,
                       SolveRules rules, int threads)
    : shape_(left.shape),
      unknown_(unknown),
      threads_(threads > 0 ? threads : useful_threads(left.shape)),
      rules_(std::move(rules)),
      varies_(follows_from_state(left, unknown)),
      constant_varies_(names_time(left)),
      reads_along_axes_(reads_along_axes(left)),
      left_problem_(left),
      right_problem_(right),
      left_(left, 1, threads_),
      right_(right, 1, threads_),
      grid_(by_axis(left.shape),
            {left.faces[unknown].planes.wrap(), left.faces[unknown].rows.wrap(),
             left.faces[unknown].columns.wrap()}) {}

double GridSystem::memory(Shape shape, int fields) {
  // seven vectors of a solve, a state, and two results
  return Multigrid::memory(shape) + 8 * static_cast<double>(shape.cells()) * (7 + fields + 2);
}

std::string GridSystem::cell_text(std::int64_t row, std::int64_t column) const {
  return place_text(cell_at(shape_, row * shape_.columns + column), shape_.axes);
}

// Finds the weights of the equations, whether the matrix is symmetric and singular, and makes the
// preconditioner.
void GridSystem::prepare() {
  StencilMatrix& matrix = *raw_;
  const std::int64_t columns = grid_.size[2];
  weights_.assign(grid_.values, 0);
  // Takes the entries for cells without an equation, whose values are given, out of the matrix.
  const Values is_given = rows_of_zeros(grid_, {&matrix}, threads_);
  given_.clear();
  if (std::ranges::count(is_given, 1) > 0)
    for_entries_at(matrix, is_given, [&](std::int64_t row, std::int64_t column, double& entry) {
      given_.push_back({row, column, std::exchange(entry, 0)});
    });
  Values& diagonal = matrix.entries[stencil_center];
  double sign = 0, first_diagonal = 1;
  grid_.for_places([&](std::int64_t place) {
    if (sign != 0 || is_given[place] != 0) return;
    sign = std::copysign(1, diagonal[place]);
    first_diagonal = std::abs(diagonal[place]);
  });
  Values is_balanced(grid_.values);  // rows whose sum is 0
  constexpr std::int64_t none = -1;
  std::vector<std::int64_t> singular(grid_.rows(), none);  // columns
  const MatrixTerms terms(matrix);
  is_finite_ = !any_index(grid_.rows(), threads_, [&](std::int64_t row) {
    double last_diagonal = first_diagonal;
    bool any_is_not_finite = false;
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t place = grid_.row_place(row) + column;
      double sum = 0, size = 0;
      for (int term = 0; term < terms.count; ++term) {
        sum += terms.entries[term][place];
        size += std::abs(terms.entries[term][place]);
      }
      any_is_not_finite = any_is_not_finite || !std::isfinite(size);
      if (is_given[place] != 0) {
        diagonal[place] = last_diagonal;  // as large as others, so that multigrid sees no jump
        continue;
      }
      if (!(sign * diagonal[place] > 0) && singular[row] == none) singular[row] = column;
      weights_[place] = sign;
      last_diagonal = std::abs(diagonal[place]);
      is_balanced[place] = std::abs(sum) <= 0x1p-46 * size ? 1 : 0;
    }
    return any_is_not_finite;
  });
  if (!is_finite_) return;
  if (const auto found = std::ranges::find_if(singular, [](auto column) { return column != none; });
      found != singular.end()) {
    const std::int64_t row = found - singular.begin();
    throw NumericalError(
        "equation.let.{}.solve: singular at {} (its own coefficient there is {:.6g}, and "
        "{:.6g} or of that sign elsewhere; expected coefficients of one sign)",
        rules_.unknown, cell_text(row, *found), diagonal[grid_.row_place(row) + *found], sign);
  }
  if (sign == 0)
    throw ConfigError("equation.let.{}.solve: does not read {}", rules_.unknown, rules_.unknown);
  // Weights that differ by more would hide residuals. Without them a constant cannot be removed.
  is_symmetric_ = weigh(1e3);
  find_regions(is_balanced);
  if (!regions_.empty() && !is_symmetric_) {
    is_symmetric_ = weigh(std::numeric_limits<double>::infinity());
    find_regions(is_balanced);
  }
  if (!regions_.empty() && !is_symmetric_)
    throw NumericalError(
        "equation.let.{}.solve: determines {} up to a constant alone, and is not symmetric "
        "(expected a side where {} has a value, or a term in {} itself)",
        rules_.unknown, rules_.unknown, rules_.unknown, rules_.unknown);
  for (Values& entries : matrix.entries)
    for_indices(std::ssize(entries), threads_, [&](std::int64_t place) {
      if (weights_[place] != 0) entries[place] *= weights_[place];
    });
  preconditioner_ =
      make_preconditioner(std::move(matrix), !regions_.empty(), rules_.method, threads_);
  if (!preconditioner_)
    throw ConfigError(
        "equation.let.{}.method: found transforms, which need constant coefficients, no mask, no "
        "advection, no axis of two cells, and conditions of some pairs (docs/solves.md; expected "
        "multigrid or auto)",
        rules_.unknown);
  raw_.reset();
}

// Multiplies the weights so that the weighted matrix is symmetric, and returns true, if numbers
// that do so follow from cell to cell along the axes, and differ by at most `most_ratio`.
bool GridSystem::weigh(double most_ratio) {
  const StencilMatrix& matrix = *raw_;
  const auto is_symmetric = [&](const Values& weights) {
    for (int offset = stencil_center + 1; offset < stencil_offsets; ++offset) {
      const int back = stencil_offsets - 1 - offset;
      if (matrix.has(offset) != matrix.has(back)) return false;
      if (!matrix.has(offset)) continue;
      const auto by = stencil_offset(offset);
      const bool differs = any_index(grid_.rows(), threads_, [&](std::int64_t row) {
        for (std::int64_t column = 0; column < grid_.size[2]; ++column) {
          std::array<std::int64_t, 3> to = {row / grid_.size[1] + by[0],
                                            row % grid_.size[1] + by[1], column + by[2]};
          bool inside = true;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            if (grid_.periodic[axis]) to[axis] = (to[axis] + grid_.size[axis]) % grid_.size[axis];
            inside = inside && to[axis] >= 0 && to[axis] < grid_.size[axis];
          }
          if (!inside) continue;
          const std::int64_t here = grid_.row_place(row) + column, there = grid_.place(to);
          const double one = weights[here] * matrix.at(offset)[here];
          const double other = weights[there] * matrix.at(back)[there];
          if (!(std::abs(one - other) <= 1e-10 * (std::abs(one) + std::abs(other)))) return true;
        }
        return false;
      });
      if (differs) return false;
    }
    return true;
  };
  if (is_symmetric(weights_)) return true;
  Values weights(weights_.size());
  using Place = std::array<std::int64_t, 3>;
  std::vector<Place> reached;
  const auto follow = [&](Place to, std::size_t axis, int by) {
    const Place from = to;
    to[axis] += by;
    if (to[axis] < 0 || to[axis] >= grid_.size[axis]) return;
    const std::int64_t here = grid_.place(from), there = grid_.place(to);
    std::array<int, 3> offset{};
    offset[axis] = by;
    const int forth = offset_number(offset[0], offset[1], offset[2]),
              back = stencil_offsets - 1 - forth;
    const double a = matrix.has(forth) ? matrix.at(forth)[here] : 0;
    const double b = matrix.has(back) ? matrix.at(back)[there] : 0;
    if (weights[there] != 0 || !(a * b > 0)) return;
    weights[there] = weights[here] * (a / b);
    reached.push_back(to);
  };
  for (std::int64_t row = 0; row < grid_.rows(); ++row)
    for (std::int64_t column = 0; column < grid_.size[2]; ++column) {
      const Place first = {row / grid_.size[1], row % grid_.size[1], column};
      double& weight = weights[grid_.place(first)];
      if (weight != 0) continue;
      weight = 1;
      reached.assign(1, first);
      for (std::size_t next = 0; next < reached.size(); ++next)
        for (const int by : {1, -1})
          for (std::size_t axis = 0; axis < 3; ++axis) follow(reached[next], axis, by);
    }
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t place = 0; place < weights.size(); ++place) {
    if (weights_[place] != 0) {
      least = std::min(least, weights[place]);
      most = std::max(most, weights[place]);
    }
    weights[place] *= weights_[place];
  }
  if (!(most <= most_ratio * least) || !is_symmetric(weights)) return false;
  weights_ = std::move(weights);
  return true;
}

void GridSystem::multiply(Values& x, Values& product) const {
  grid_.wrap(x, threads_);
  lapl::residual(raw_ ? *raw_ : preconditioner_->matrix(), x, nullptr, product, threads_);
  negate(product, threads_);
}

void GridSystem::residual(Values& x, const Values& f, Values& out) const {
  grid_.wrap(x, threads_);
  lapl::residual(preconditioner_->matrix(), x, &f, out, threads_);
  for_indices(grid_.values, threads_, [&](std::int64_t place) {
    if (weights_[place] == 0) out[place] = 0;
  });
}

double GridSystem::size(const Values& x) const {
  Values sizes = x;
  const Values& diagonal = preconditioner_->matrix().at(stencil_center);
  for_indices(std::ssize(x), threads_,
              [&](std::int64_t place) { sizes[place] *= diagonal[place]; });
  return std::sqrt(dot(sizes, sizes));
}

void GridSystem::find_matrix(const Values& state, double time) {
  ++matrices_;
  // a constant one at a time that does not depend on when a run restarts
  if (!varies_) assemble(state, 0);
  varies_ = varies_ || !is_finite_;
  if (varies_) assemble(state, time);
}

void GridSystem::fail(double time, double residual) const {
  throw NumericalError(
      "equation.let.{}: at t = {:.9g} the residual is {:.2g} of the right side after {} "
      "iterations (expected at most the tolerance, {:.2g}; a larger tolerance or most_iterations "
      "may help)",
      rules_.unknown, time, residual, report_.iterations, rules_.tolerance);
}

void GridSystem::solve(Values& state, const SolveMoment& at) {
  constexpr double not_finite = std::numeric_limits<double>::quiet_NaN();
  const double time = at.time;
  const std::int64_t cells = shape_.cells(), columns = grid_.size[2];
  double* const unknown = state.data() + unknown_ * cells;
  begin_report();
  if (needs_matrix()) find_matrix(state, time);
  if (constant_varies_ && !varies_) find_constant(state, time);
  if (!is_finite_) {  // the check for such values then names a cell
    std::fill_n(unknown, cells, not_finite);
    return;
  }
  report_.by = {preconditioner_->name()};
  Values right(cells);
  right_(state.data(), time, right.data());
  for_indices(cells, threads_, [&](std::int64_t cell) { right[cell] -= constant_[cell]; });
  Values f = grid_.padded(right.data()), x = grid_.padded(unknown);
  grid_.wrap(x, threads_);
  for (const GivenEntry& given : given_) f[given.row] -= given.entry * x[given.column];
  for_indices(grid_.values, threads_, [&](std::int64_t place) { f[place] *= weights_[place]; });
  double norm = std::sqrt(dot(f, f));
  if (!std::isfinite(norm)) {
    std::fill_n(unknown, cells, not_finite);
    return;
  }
  for_indices(grid_.values, threads_, [&](std::int64_t place) {
    if (weights_[place] == 0 || !std::isfinite(x[place])) x[place] = 0;
  });
  if (!regions_.empty()) {
    if (!rules_.removes_mean) require_balance(f, time);
    const double with_means = norm;
    remove_means(f, true);
    remove_means(x, false);
    norm = std::sqrt(dot(f, f));
    if (norm <= 0x1p-46 * with_means) norm = 0;  // only rounding is left
  }
  if (norm == 0)
    std::ranges::fill(x, 0.0);
  else if (!solve_linear(*this, x, f, goal(norm), report_.iterations, report_.residual))
    fail(time, report_.residual);
  remove_means(x, false);
  for_indices(cells, threads_, [&](std::int64_t cell) {
    const std::int64_t place = grid_.row_place(cell / columns) + cell % columns;
    if (weights_[place] != 0) unknown[cell] = x[place];
  });
  check_solution(state, time, right, norm);
}

// Evaluates both sides at the solution, which finds what the matrix does not know: a left side that
// is not linear there, or a right side that depends on the unknown through a condition.
void GridSystem::check_solution(const Values& state, double time, Values& right, double norm) {
  const std::int64_t cells = shape_.cells(), columns = grid_.size[2];
  Values left(cells), size(cells);
  left_(state.data(), time, left.data());
  right_(state.data(), time, right.data());
  Values difference(cells);
  for_indices(cells, threads_, [&](std::int64_t cell) {
    const std::int64_t place = grid_.row_place(cell / columns) + cell % columns;
    const double diagonal = preconditioner_->matrix().at(stencil_center)[place];
    const double weight = weights_[place] == 0 ? 1 : weights_[place];
    difference[cell] = weight * (left[cell] - right[cell]);
    size[cell] = std::abs(diagonal * state[unknown_ * cells + cell]) +
                 std::abs(weight * constant_[cell]) + std::abs(weight * right[cell]);
  });
  Values error = grid_.padded(difference.data());
  const Values sizes = grid_.padded(size.data());
  remove_means(error, true);
  const double found = std::sqrt(dot(error, error));
  const double rounding = 0x1p-46 * std::sqrt(dot(sizes, sizes));
  if (found <= 2 * rules_.tolerance * norm + rounding) return;
  const auto worst =
      std::ranges::max_element(difference, {}, [](double value) { return std::abs(value); }) -
      difference.begin();
  throw NumericalError(
      "equation.let.{}: at t = {:.9g} the solution does not solve the equation: at {} the left "
      "side is {:.6g} and the right side {:.6g} (expected a left side that is linear in {} for all "
      "its values and reads it in every cell, and a right side that does not depend on it)",
      rules_.unknown, time, cell_text(worst / columns, worst % columns), left[worst], right[worst],
      rules_.unknown);
}

}  // namespace lapl
