// The matrix of an ImplicitSystem and its preconditioner.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include "kernels/error.hpp"
#include "kernels/solve/assembly.hpp"
#include "kernels/solve/implicit_system.hpp"

namespace lapl {

void ImplicitSystem::differentiate(Values state, double time) {
  const std::int64_t cells = shape_.cells();
  Values at_base(state.size()), made(state.size());
  if (rules_.is_linear) std::ranges::fill(state, 0.0);
  find_rates(state, time, at_base);
  derivatives_.clear();
  change_.reset();
  double most_at_base = 1;  // of sources
  for (const double rate : at_base)
    if (std::isfinite(rate)) most_at_base = std::max(most_at_base, std::abs(rate));
  const auto evaluate = [&]() -> std::span<const double> {
    find_rates(state, time, made);
    return made;
  };
  for (std::size_t field = 0; field < fields(); ++field) {
    const std::span values(state.begin() + static_cast<std::int64_t>(field) * cells, cells);
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    if (largest > 0) largest = std::max(largest, smallest_scale);
    // a power of two, so that the change of a value is not rounded
    const double unit = rules_.is_linear ? std::scalbn(0x1p30, std::ilogb(most_at_base))
                        : largest > 0    ? std::scalbn(1.0, std::ilogb(largest) - 25)
                                         : 0x1p-26;
    auto of_field =
        stencil_matrices(grid_, values, unit, at_base, evaluate, reads_along_axes_, threads_);
    if (!of_field)
      throw ConfigError(
          "{}: the equations or a condition read {} further than one cell away (expected "
          "derivatives of up to the second order)",
          rules_.key, rules_.fields[field]);
    std::ranges::move(*of_field, std::back_inserter(derivatives_));
  }
  find_free(state, at_base, evaluate);
}

// The cells in which the equation of a field reads nothing, as 1 in a padded array: outside a mask,
// and at nodes that conditions hold.
ImplicitSystem::Values ImplicitSystem::without_equation(
    std::size_t field, const std::vector<StencilMatrix>& matrices) const {
  std::vector<const StencilMatrix*> of_field;
  for (std::size_t j = 0; j < fields(); ++j) of_field.push_back(&matrices[j * fields() + field]);
  return rows_of_zeros(grid_, of_field, threads_);
}

// Finds the fields without a rate that the equations without a rate determine up to a constant.
// Their mean is 0. Where only its own equation leaves a constant open, a field has a singular
// block.
void ImplicitSystem::find_free(Values& state, const Values& at_base,
                               const std::function<std::span<const double>()>& evaluate) {
  const std::int64_t cells = shape_.cells();
  for (std::size_t field = 0; field < fields(); ++field) {
    free_[field].clear();
    has_singular_block_[field] = false;
    if (rules_.has_rate[field]) continue;
    const Values is_given = without_equation(field, derivatives_);
    Values inside(grid_.values), more(cells);
    grid_.for_places([&](std::int64_t place) { inside[place] = 1 - is_given[place]; });
    grid_.copy_cells(inside, more.data());
    const auto first = static_cast<std::int64_t>(field) * cells;
    const Values before(state.begin() + first, state.begin() + first + cells);
    double largest = 1;
    for (const double value : before) largest = std::max(largest, std::abs(value));
    const double constant = std::scalbn(1.0, std::ilogb(largest) + 20);
    for (std::int64_t cell = 0; cell < cells; ++cell)
      state[first + cell] = before[cell] + constant * more[cell];
    const std::span<const double> made = evaluate();
    const auto leaves = [&](std::size_t equation) {
      double most = 0;
      for (const Values& entries : derivatives_[field * fields() + equation].entries)
        for (const double entry : entries) most = std::max(most, std::abs(entry));
      const std::int64_t start = static_cast<std::int64_t>(equation) * cells;
      for (std::int64_t i = start; i < start + cells; ++i)
        if (!(std::abs(made[i] - at_base[i]) <= 0x1p-45 * most * constant)) return false;
      return true;
    };
    has_singular_block_[field] = leaves(field);
    bool is_free = has_singular_block_[field];
    for (std::size_t other = 0; other < fields(); ++other)
      is_free = is_free && (rules_.has_rate[other] || leaves(other));
    std::ranges::copy(before, state.begin() + first);
    if (!is_free) continue;
    if (std::ranges::count(more, 0) > 0)
      throw ConfigError(
          "equation.let.{}: determined up to a constant on a grid with a mask, for which implicit "
          "steps do not solve (expected a side or a mask boundary where {} has a value, or another "
          "time.scheme)",
          rules_.fields[field], rules_.fields[field]);
    free_[field] = std::move(inside);
  }
}

void ImplicitSystem::build(double change) {
  if (change_ == change) return;
  const std::size_t count = fields();
  matrix_ = derivatives_;
  for (std::size_t i = 0; i < count; ++i) {
    const bool has_change = rules_.has_rate[i] && std::isfinite(change);
    const double factor = has_change ? change : 1;
    double trace = 0;
    for (std::size_t j = 0; j < count; ++j)
      for (Values& entries : matrix_[j * count + i].entries)
        for (double& entry : entries) entry *= -factor;
    Values& diagonal = matrix_[i * count + i].make(stencil_center);
    grid_.for_places([&](std::int64_t place) {
      if (has_change) diagonal[place] += 1;
      trace += diagonal[place];
    });
    signs_[i] = trace < 0 ? -1 : 1;
    if (trace < 0)
      for (std::size_t j = 0; j < count; ++j)
        for (Values& entries : matrix_[j * count + i].entries)
          for (double& entry : entries) entry = -entry;
  }
  separate_given(change);
  preconditioners_.clear();
  report_.by.clear();
  for (std::size_t i = 0; i < count; ++i) {
    StencilMatrix own = matrix_[i * count + i];
    // A preconditioner may differ: its diagonal is positive.
    Values sizes(grid_.values);
    for (int offset = 0; offset < stencil_offsets; ++offset)
      if (own.has(offset) && offset != stencil_center)
        for (std::size_t place = 0; place < sizes.size(); ++place)
          sizes[place] += std::abs(own.at(offset)[place]);
    largest_diagonal_[i] = 0;
    grid_.for_places([&](std::int64_t place) {
      double& diagonal = own.entries[stencil_center][place];
      if (!(diagonal > 1e-3 * sizes[place])) diagonal = sizes[place] > 0 ? sizes[place] : 1;
      // Other equations determine the constant, for which this one has no inverse.
      if (has_singular_block_[i] && free_[i].empty()) diagonal *= 1 + 1e-5;
      largest_diagonal_[i] = std::max(largest_diagonal_[i], diagonal);
    });
    preconditioners_.push_back(
        make_preconditioner(std::move(own), !free_[i].empty(), rules_.methods[i], threads_));
    report_.by.insert(preconditioners_.back()->name());
  }
  change_ = change;
  hides_little_ = false;
}

// Cells without an equation keep their values.
void ImplicitSystem::separate_given(double change) {
  const std::size_t count = fields();
  for (std::size_t i = 0; i < count; ++i) {
    if (rules_.has_rate[i] && std::isfinite(change)) continue;
    const Values is_given = without_equation(i, matrix_);
    for (std::size_t k = 0; k < count; ++k)
      for_entries_at(matrix_[i * count + k], is_given,
                     [](std::int64_t, std::int64_t, double& entry) { entry = 0; });
    Values& diagonal = matrix_[i * count + i].entries[stencil_center];
    grid_.for_places([&](std::int64_t place) {
      if (is_given[place] != 0) diagonal[place] = 1;
    });
  }
}

// Subtracts the mean over the cells that have an equation, if the field is determined up to a
// constant.
void ImplicitSystem::remove_mean(Values& of, std::size_t field) const {
  const Values& inside = free_[field];
  if (inside.empty()) return;
  const double mean =
      lapl::dot(grid_, of, inside, threads_) / lapl::dot(grid_, inside, inside, threads_);
  grid_.for_places([&](std::int64_t place) { of[place] -= mean * inside[place]; });
}

}  // namespace lapl
