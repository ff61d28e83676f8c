#include "kernels/solve/implicit_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "kernels/backend.hpp"
#include "kernels/error.hpp"
#include "kernels/solve/assembly.hpp"
#include "kernels/solve/multigrid.hpp"

namespace lapl {
namespace {

constexpr int most_newton = 20;
constexpr double linear_accuracy = 1e-3;  // of a linear system, relative to its right side

}  // namespace

ImplicitSystem::ImplicitSystem(const Problem<double>& rates, ImplicitRules rules, int threads)
    : shape_(rates.shape),
      threads_(threads > 0 ? threads : useful_threads(rates.shape)),
      reads_along_axes_(reads_along_axes(rates)),
      rules_(std::move(rules)),
      rates_(rates, rates.step_fields, threads_),
      grid_(by_axis(rates.shape), {rates.faces[0].planes.wrap(), rates.faces[0].rows.wrap(),
                                   rates.faces[0].columns.wrap()}),
      weights_(rules_.fields.size(), 1),
      signs_(weights_),
      largest_diagonal_(weights_),
      free_(rules_.fields.size()),
      has_singular_block_(rules_.fields.size()) {}

double ImplicitSystem::memory(Shape shape, int fields) {
  const double entries = 2 * shape.axes + 1, cells = static_cast<double>(shape.cells());
  // Derivatives and matrix; of each field a multigrid, the directions of GMRES, 12 other arrays.
  return fields *
         (Multigrid::memory(shape) + 8 * cells * (2 * entries * fields + most_directions + 12));
}

// The rates of the unknown fields at these values of theirs.
void ImplicitSystem::find_rates(const Values& state, double time, Values& made) {
  if (rules_.unknowns.empty()) return rates_(state.data(), time, made.data());
  copy_to_whole(state, whole_);
  all_rates_.resize(whole_.size());
  rates_(whole_.data(), time, all_rates_.data());
  copy_from_whole(all_rates_, made);
}

// Both copy the unknown fields, from a state that has all to one of these alone, and back.
void ImplicitSystem::copy_from_whole(const Values& whole, Values& own) const {
  const std::int64_t cells = shape_.cells();
  for (std::size_t i = 0; i < fields(); ++i)
    std::copy_n(whole.begin() + rules_.unknowns[i] * cells, cells,
                own.begin() + static_cast<std::int64_t>(i) * cells);
}
void ImplicitSystem::copy_to_whole(const Values& own, Values& whole) const {
  const std::int64_t cells = shape_.cells();
  for (std::size_t i = 0; i < fields(); ++i)
    std::copy_n(own.begin() + static_cast<std::int64_t>(i) * cells, cells,
                whole.begin() + rules_.unknowns[i] * cells);
}

void ImplicitSystem::multiply(FieldArrays& x, FieldArrays& product) const {
  const std::size_t count = fields();
  for (Values& values : x) grid_.wrap(values, threads_);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j)
      residual(matrix_[j * count + i], x[j], j > 0 ? &product[i] : nullptr, product[i], threads_);
    negate(product[i], threads_);
    remove_mean(product[i], i);
  }
}

void ImplicitSystem::precondition(const FieldArrays& r, FieldArrays& z) const {
  const std::size_t count = fields();
  for (std::size_t i = 0; i < count; ++i) {
    Values right = r[i];
    for (std::size_t j = 0; j < i; ++j)
      residual(matrix_[j * count + i], z[j], &right, right, threads_);
    remove_mean(right, i);
    preconditioners_[i]->precondition(right, z[i]);
    remove_mean(z[i], i);
    grid_.wrap(z[i], threads_);
  }
}

double ImplicitSystem::dot(const FieldArrays& a, const FieldArrays& b) const {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += weights_[i] * weights_[i] * lapl::dot(grid_, a[i], b[i], threads_);
  return sum;
}

FieldArrays ImplicitSystem::padded(const Values& state) const {
  FieldArrays arrays;
  for (std::size_t i = 0; i < fields(); ++i)
    arrays.push_back(grid_.padded(state.data() + static_cast<std::int64_t>(i) * shape_.cells()));
  return arrays;
}

FieldArrays ImplicitSystem::wrapped(const Values& state) const {
  FieldArrays arrays = padded(state);
  for (Values& values : arrays) grid_.wrap(values, threads_);
  return arrays;
}

void ImplicitSystem::copy_cells(const FieldArrays& arrays, Values& state) const {
  for (std::size_t i = 0; i < fields(); ++i)
    grid_.copy_cells(arrays[i], state.data() + static_cast<std::int64_t>(i) * shape_.cells());
}

// The equations' lack at `state`, with the signs of the matrix.
FieldArrays ImplicitSystem::lacking(const Values& state, const Values& given,
                                    const SolveMoment& at) {
  Values made(state.size());
  find_rates(state, at.time, made);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::size_t field = i / static_cast<std::size_t>(shape_.cells());
    if (rules_.has_rate[field] && std::isfinite(at.change))
      made[i] = given[i] - state[i] + at.change * made[i];
    made[i] *= signs_[field];
  }
  FieldArrays arrays = padded(made);
  for (std::size_t field = 0; field < fields(); ++field) remove_mean(arrays[field], field);
  return arrays;
}

// Where a field is determined up to a constant, the sum of its right side must be 0.
void ImplicitSystem::require_no_sums(Values state, double time) {
  const std::int64_t cells = shape_.cells();
  Values made(state.size());
  bool any = false;
  for (std::size_t field = 0; field < fields(); ++field)
    if (!free_[field].empty() && !rules_.removes_mean[field]) {
      any = true;
      std::fill_n(state.begin() + static_cast<std::int64_t>(field) * cells, cells, 0.0);
    }
  if (!any) return;
  find_rates(state, time, made);
  FieldArrays sides = padded(made);
  for (std::size_t field = 0; field < fields(); ++field) {
    if (free_[field].empty() || rules_.removes_mean[field]) continue;
    const double sum = lapl::dot(grid_, sides[field], free_[field], threads_);
    for (double& value : sides[field]) value = std::abs(value);
    const double size = lapl::dot(grid_, sides[field], free_[field], threads_);
    if (std::abs(sum) > 100 * rules_.tolerance * size)
      throw NumericalError(
          "equation.let.{}: at t = {:.9g} the sum of the right side is {:.3g} of its magnitudes "
          "(expected 0, as {} is determined up to a constant; mean: removed subtracts the mean)",
          rules_.fields[field], time, std::abs(sum) / size, rules_.fields[field]);
  }
}

// The solution of the linear system.
FieldArrays ImplicitSystem::solved(const FieldArrays& right) {
  FieldArrays x(fields(), Values(grid_.values)), residuals = right;
  const double norm = std::sqrt(dot(right, right));
  const Iterations may{linear_accuracy * norm, report_.iterations + rules_.most_iterations,
                       threads_};
  generalized_residuals(*this, x, residuals, may, report_.iterations);
  linear_residual_ = norm > 0 ? std::sqrt(dot(residuals, residuals)) / norm : 0;
  return x;
}

// The magnitudes of the terms of a field's equations, added.
ImplicitSystem::Values ImplicitSystem::term_sizes(std::size_t field, const FieldArrays& values,
                                                  const Values& given) const {
  Values sizes(grid_.values);
  if (rules_.has_rate[field] && std::isfinite(*change_))
    grid_.for_places([&](std::int64_t place) { sizes[place] = std::abs(given[place]); });
  for (std::size_t j = 0; j < fields(); ++j) {
    const StencilMatrix& matrix = matrix_[j * fields() + field];
    for (int offset = 0; offset < stencil_offsets; ++offset)
      if (matrix.has(offset))
        grid_.for_places([&](std::int64_t place) {
          sizes[place] +=
              std::abs(matrix.at(offset)[place] * values[j][place + matrix.move(offset)]);
        });
  }
  return sizes;
}

// True if a field's equations lack no more than rounding leaves of their terms, so that nothing is
// to be gained.
bool ImplicitSystem::is_rounding(std::size_t field, const FieldArrays& values,
                                 const FieldArrays& given, const FieldArrays& lacking) const {
  const Values sizes = term_sizes(field, values, given[field]);
  bool is_small = true;
  grid_.for_places([&](std::int64_t place) {
    is_small = is_small && std::abs(lacking[field][place]) <= 0x1p-49 * sizes[place];
  });
  return is_small;
}

// The largest change of a field by a step, or by what its equation still lacks if that is more,
// relative to its largest value, and where it is. Fields at rounding do not count.
ImplicitSystem::Change ImplicitSystem::significant_change(const FieldArrays& step,
                                                          const FieldArrays& values,
                                                          const FieldArrays& given,
                                                          const FieldArrays& lacking) const {
  Change found;
  for (std::size_t i = 0; i < fields(); ++i) {
    double value = smallest_scale, change = 0;
    std::int64_t at = 0;
    grid_.for_places([&](std::int64_t place) {
      const double by =
          std::max(std::abs(step[i][place]), std::abs(lacking[i][place]) / largest_diagonal_[i]);
      value = std::max(value, std::abs(values[i][place]));
      if (!(by <= change)) change = by, at = place;
    });
    const double size = change / std::max(value, change);
    if (!(size <= found.size) && !is_rounding(i, values, given, lacking)) found = {size, i, at};
  }
  return found;
}

// True if a step is small beside the terms of the equations.
bool ImplicitSystem::leaves_little(const FieldArrays& step, const FieldArrays& values,
                                   const FieldArrays& given) {
  constexpr double most_error = 1e-6;
  for (std::size_t field = 0; field < fields(); ++field) {
    const double size =
        std::ranges::max(term_sizes(field, values, given[field])) / largest_diagonal_[field];
    double change = 0;
    grid_.for_places(
        [&](std::int64_t place) { change = std::max(change, std::abs(step[field][place])); });
    if (!(change > most_error * size)) continue;
    reason_ = fmt::format("rounding leaves errors of {:.2g} in {}", change, rules_.fields[field]);
    return false;
  }
  return true;
}

bool ImplicitSystem::newton(Values& state, const Values& given, const SolveMoment& at) {
  if (derivatives_.empty() || (at.is_first && !rules_.is_linear)) differentiate(state, at.time);
  build(at.change);
  const FieldArrays before_step = wrapped(given);
  for (std::size_t i = 0; i < fields(); ++i) {
    double value = 0;
    for (const double each : before_step[i]) value = std::max(value, std::abs(each));
    const double most = std::ranges::max(term_sizes(i, before_step, before_step[i]));
    const double scale = std::max(value * largest_diagonal_[i], 0x1p-7 * most);
    weights_[i] = 1 / (scale > 0 ? std::max(scale, smallest_scale * largest_diagonal_[i])
                                 : largest_diagonal_[i]);
  }
  reason_.clear();
  double before = std::numeric_limits<double>::infinity(), first_norm = 0;
  const double residual_before = at.is_first ? 0 : report_.residual;
  FieldArrays right = lacking(state, given, at);
  for (int round = 0; round < most_newton; ++round) {
    // Rounding in one field must not hide what others lack. Where it is all that is left, the step
    // shows what rounding leaves.
    const FieldArrays values = wrapped(state);
    std::vector<bool> rounding;
    for (std::size_t field = 0; field < fields(); ++field)
      rounding.push_back(is_rounding(field, values, before_step, right));
    const bool only_rounding = std::ranges::count(rounding, false) == 0;
    for (std::size_t field = 0; field < fields() && !only_rounding; ++field)
      if (rounding[field]) std::ranges::fill(right[field], 0.0);
    const double norm = std::sqrt(dot(right, right));
    if (!std::isfinite(norm)) {
      reason_ = "the rates are not finite";
      return false;
    }
    if (norm <= 1e-30) return true;
    if (only_rounding && hides_little_) return true;
    const FieldArrays step = solved(right);
    if (only_rounding) return hides_little_ = leaves_little(step, values, before_step);
    if (!(linear_residual_ <= 0.5)) {
      reason_ = fmt::format("{} iterations of GMRES leave {:.2g} of a linear system",
                            rules_.most_iterations, linear_residual_);
      return false;
    }
    Values change(state.size()), next(state.size());
    copy_cells(step, change);
    double factor = 1;
    for (;; factor /= 2) {
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = state[i] + factor * change[i];
      right = lacking(next, given, at);
      if (std::sqrt(dot(right, right)) <= norm || factor < 0.02) break;
    }
    last_change_ = significant_change(step, wrapped(next), before_step, right);
    if (first_norm == 0) first_norm = norm;
    report_.history.push_back(std::sqrt(dot(right, right)) / first_norm);
    report_.residual = std::max(residual_before, report_.history.back());
    state = std::move(next);
    if (last_change_.size == 0) continue;  // only rounding is left
    const double rate = last_change_.size / before;
    const double error = rules_.is_linear && round == 0
                             ? std::max(linear_accuracy, linear_residual_) * last_change_.size
                         : round > 0 && rate < 1 ? last_change_.size * rate / (1 - rate)
                                                 : last_change_.size;
    if (error <= rules_.tolerance) return true;
    before = last_change_.size;
    if (!rules_.is_linear && (std::isinf(at.change) || rate > 0.1 || factor < 1)) {
      differentiate(state, at.time);
      build(at.change);
    }
  }
  return false;
}

void ImplicitSystem::solve(Values& state, const SolveMoment& at) {
  if (rules_.unknowns.empty()) return solve_own(state, at);
  Values own(fields() * shape_.cells(), std::numeric_limits<double>::quiet_NaN());
  whole_ = state;
  if (std::ranges::all_of(state, [](double value) { return std::isfinite(value); })) {
    copy_from_whole(state, own);
    solve_own(own, {.time = at.time, .change = 1});
  }
  copy_to_whole(own, state);
}

void ImplicitSystem::solve_own(Values& state, const SolveMoment& at) {
  if (at.is_first) begin_report();
  const Values given = state;
  const auto give_up = [&] { std::ranges::fill(state, std::numeric_limits<double>::quiet_NaN()); };
  if (at.filters) {
    FieldArrays errors = padded(state);
    for (std::size_t field = 0; field < fields(); ++field)
      for (double& error : errors[field]) error *= signs_[field];
    copy_cells(solved(errors), state);
    if (!(linear_residual_ <= 0.1)) give_up();
    return;
  }
  const bool to_steady = std::isinf(at.change);
  if (to_steady) require_unique(state, at.time);
  if (newton(state, given, at) || (to_steady && relax(state, given, at))) {
    require_no_sums(state, at.time);
    FieldArrays arrays = padded(state);
    for (std::size_t field = 0; field < fields(); ++field) remove_mean(arrays[field], field);
    copy_cells(arrays, state);
  } else if (rules_.rejects ||
             !std::ranges::all_of(given, [](double value) { return std::isfinite(value); })) {
    give_up();
  } else {
    fail(state, at);
  }
}

void ImplicitSystem::fail(const Values& state, const SolveMoment& at) {
  const std::int64_t cells = shape_.cells();
  const auto at_cell = [&](std::int64_t cell) {
    return place_text(cell_at(shape_, cell), shape_.axes);
  };
  std::int64_t changed = 0, cell = 0;
  grid_.for_places([&](std::int64_t place) {
    if (place == last_change_.place) changed = cell;
    ++cell;
  });
  if (std::isinf(at.change)) {
    Values made(state.size());
    find_rates(state, at.time, made);
    const std::int64_t worst =
        std::ranges::max_element(made, {}, [](double rate) { return std::abs(rate); }) -
        made.begin();
    throw NumericalError(
        "time.scheme steady: found no state in which all rates are 0: in the last one, {} changes "
        "by {:.3g} per second at {}{}{} (an initial state that is nearer, or scheme sdirk2 with "
        "time.tolerance, may help)",
        rules_.fields[worst / cells], made[worst], at_cell(worst % cells),
        reason_.empty() ? "" : "; ", reason_);
  }
  if (!reason_.empty())
    throw NumericalError("{}: at t = {:.9g} Newton's method finds no new values: {} ({} may help)",
                         rules_.key, at.time, reason_,
                         rules_.unknowns.empty()
                             ? "a shorter step"
                             : "most_iterations, or a condition or term that determines what is "
                               "determined up to a constant,");
  throw NumericalError(
      "{}: at t = {:.9g} Newton's method finds no new values in {} iterations: {} at {} still "
      "changes by {:.2g} of its largest value (expected at most {:.2g}; a shorter step may "
      "help, but not where a rate or a condition jumps)",
      rules_.key, at.time, most_newton, rules_.fields[last_change_.field], at_cell(changed),
      last_change_.size, rules_.tolerance);
}

}  // namespace lapl
