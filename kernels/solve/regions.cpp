// The parts of a grid in which the equations of a GridSystem determine its unknown up to a
// constant.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "kernels/error.hpp"
#include "kernels/solve/grid_system.hpp"

namespace lapl {

// True if each cell has an equation, and an entry for the next cell along each axis.
bool GridSystem::is_connected() const {
  return !any_index(grid_.rows(), threads_, [&](std::int64_t row) {
    for (std::int64_t column = 0; column < grid_.size[2]; ++column) {
      const std::array at = {row / grid_.size[1], row % grid_.size[1], column};
      const std::int64_t place = grid_.place(at);
      if (weights_[place] == 0) return true;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (at[axis] + 1 == grid_.size[axis]) continue;
        std::array<int, 3> by{};
        by[axis] = 1;
        const int next = offset_number(by[0], by[1], by[2]);
        if (!raw_->has(next) || raw_->at(next)[place] == 0) return true;
      }
    }
    return false;
  });
}

// Finds the regions of cells that no entry connects with others and in which only differences of
// the unknown count.
void GridSystem::find_regions(const Values& is_balanced) {
  regions_.clear();
  if (is_connected()) {  // the search below is serial
    bool is_singular = true;
    grid_.for_places(
        [&](std::int64_t place) { is_singular = is_singular && is_balanced[place] != 0; });
    if (is_singular)
      regions_.push_back({{}, sum_over({}, [&](auto place) { return std::abs(weights_[place]); })});
    return;
  }
  const MatrixTerms terms(*raw_);
  std::vector<std::uint8_t> is_known(grid_.values);
  // The place of a cell that lies beyond a periodic edge.
  const auto inside = [&](std::int64_t place) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!grid_.periodic[axis]) continue;
      const std::int64_t length = grid_.size[axis] + 2 * grid_.pad[axis];
      const std::int64_t at = place / grid_.stride[axis] % length;
      if (at == 0) place += grid_.size[axis] * grid_.stride[axis];
      if (at == length - 1) place -= grid_.size[axis] * grid_.stride[axis];
    }
    return place;
  };
  for (std::int64_t first = 0; first < grid_.values; ++first) {
    if (weights_[first] == 0 || is_known[first] != 0) continue;
    Region region;
    bool is_singular = true;
    is_known[first] = 1;
    region.places.push_back(first);
    for (std::size_t next = 0; next < region.places.size(); ++next) {
      const std::int64_t place = region.places[next];
      is_singular = is_singular && is_balanced[place] != 0;
      region.size += std::abs(weights_[place]);
      for (int term = 0; term < terms.count; ++term) {
        if (terms.entries[term][place] == 0) continue;
        const std::int64_t beside = inside(place + terms.moves[term]);
        if (weights_[beside] == 0 || is_known[beside] != 0) continue;
        is_known[beside] = 1;
        region.places.push_back(beside);
      }
    }
    if (!is_singular) continue;
    std::ranges::sort(region.places);
    regions_.push_back(std::move(region));
  }
}

template <class Term>
double GridSystem::sum_over(const Region& region, const Term& term) const {
  if (region.places.empty()) return sum_over_cells(grid_, threads_, term);
  double sum = 0;
  for (const std::int64_t place : region.places) sum += term(place);
  return sum;
}

// Makes the sum over each such region 0: of what is weighted already, or of values times weights.
void GridSystem::remove_means(Values& of, bool weighted) const {
  for (const Region& region : regions_) {
    const double sum = sum_over(region, [&](std::int64_t place) {
      return weighted ? of[place] : of[place] * std::abs(weights_[place]);
    });
    const double mean = sum / region.size;
    const auto change = [&](std::int64_t place) {
      of[place] -= weighted ? mean * std::abs(weights_[place]) : mean;
    };
    if (region.places.empty())
      for_indices(grid_.rows(), threads_, [&](std::int64_t row) {
        const std::int64_t first = grid_.row_place(row);
        for (std::int64_t column = 0; column < grid_.size[2]; ++column) change(first + column);
      });
    else
      std::ranges::for_each(region.places, change);
  }
}

// The sum of the right side over each region where only differences of the unknown count must be 0.
void GridSystem::require_balance(const Values& f, double time) const {
  for (const Region& region : regions_) {
    const double sum = sum_over(region, [&](std::int64_t place) { return f[place]; });
    const double sizes = sum_over(region, [&](std::int64_t place) { return std::abs(f[place]); });
    if (std::abs(sum) <= rules_.rounding * sizes) continue;
    const bool is_whole = region.places.empty();
    const std::int64_t first = is_whole ? grid_.row_place(0) : region.places.front();
    const std::int64_t row_length = grid_.stride[1];
    const std::int64_t row = first / row_length, rows = grid_.size[1] + 2 * grid_.pad[1];
    throw NumericalError(
        "equation.let.{}: has no solution at t = {:.9g}: no condition gives {} a value in the {} "
        "cells connected with {}, and the sum of the right side there is {:.2g} of that of its "
        "magnitudes (expected 0, or mean: removed)",
        rules_.unknown, time, rules_.unknown, is_whole ? grid_.cells() : std::ssize(region.places),
        cell_text((row / rows - grid_.pad[0]) * grid_.size[1] + row % rows - grid_.pad[1],
                  first % row_length - grid_.pad[2]),
        std::abs(sum) / sizes);
  }
}

}  // namespace lapl
