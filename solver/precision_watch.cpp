#include "solver/precision_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "kernels/error.hpp"
#include "kernels/evaluation.hpp"
#include "kernels/fields/pcg64.hpp"
#include "kernels/ranks/local_problem.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"

namespace lapl {
namespace {

// The most values examined at an output: of a whole state, and of the boxes in a larger one
// together.
constexpr std::int64_t most_watched = std::int64_t{1} << 20, most_in_boxes = most_watched / 4;
constexpr int boxes = 8;

constexpr std::size_t cells_together = 32;  // number of cells whose rates are averaged

// The sign of the mean rate of neighbouring cells; 0 within three standard errors of the mean,
// where rounding of the values can explain it.
double mean_sign(std::span<const double> rates) {
  double sum = 0, squares = 0;
  for (const double rate : rates) {
    sum += rate;
    squares += rate * rate;
  }
  const auto n = static_cast<double>(rates.size());
  const double variance = std::max(0.0, squares / n - sum / n * (sum / n));
  return std::abs(sum) > 3 * std::sqrt(variance * n) ? std::copysign(1, sum) : 0;
}

}  // namespace

std::vector<bool> keeps_means(const RunConfig& config) {
  RunConfig small = config;
  for (std::int64_t* const extent : {&small.shape.planes, &small.shape.rows, &small.shape.columns})
    *extent = std::min<std::int64_t>(*extent, 9);
  small.is_sample = true;
  const std::int64_t cells = small.shape.cells(), fields = std::ssize(config.fields);
  Pcg64 generator = numpy_generator(1);
  const auto noise = [&](std::int64_t count) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(0.25 + static_cast<double>(generator.next() >> 11) * 0x1p-54);
    return values;
  };
  CoefficientFields coefficients = unread_coefficients(small);
  for (auto& [name, values] : coefficients) values = noise(cells);
  if (config.mask)
    for (double& value : coefficients[mask_name]) value = value > 0.35 ? 1 : 0;
  Evaluation<double> rates_at(rates_problem(small, make_system(small), coefficients),
                              static_cast<int>(fields), 1);
  std::vector<bool> keeps(config.fields.size(), true);
  for (const SolveConfig& solve : config.equation.solves)  // has no rate
    keeps[std::ranges::find(config.fields, solve.field) - config.fields.begin()] = false;
  const auto replaces = [&](const std::string& field) {
    keeps[std::ranges::find(config.fields, field) - config.fields.begin()] = false;
  };
  for (const std::string& field : config.equation.maps) replaces(field);
  for (const auto& [field, formula] : config.equation.after) replaces(field);
  for (int state = 0; state < 2; ++state) {
    const std::vector<double> rates = rates_at(noise(cells * fields), 0.7 * state);  // at two times
    for (std::int64_t field = 0; field < fields; ++field) {
      double sum = 0, size = 0;
      for (std::int64_t i = field * cells; i < (field + 1) * cells; ++i) {
        sum += rates[i];
        size += std::abs(rates[i]);
      }
      keeps[field] = keeps[field] && std::abs(sum) <= 1e-10 * size;
    }
  }
  return keeps;
}

double mean_drift(const Statistics& now, const Statistics& before, Shape shape,
                  const Spacing& spacing) {
  const double volume = cell_volume(shape, spacing) * static_cast<double>(shape.cells());
  const double l2 = std::max(before.l2, now.l2);
  const double size = std::max(std::abs(before.mean), 0.1 * l2 / std::sqrt(volume));
  return size > 0 ? std::abs(now.mean - before.mean) / size : 0;
}

std::vector<Part> watched_parts(Shape shape, std::int64_t fields, RowRange rows,
                                std::int64_t reach) {
  if (rows == RowRange::all(shape) && shape.cells() * fields <= most_watched)
    return {Part::all(shape)};
  const auto whole = by_axis(shape);
  auto size = whole;
  const std::size_t cut = shape.axes > 2 ? 0 : 1;
  size[cut] = shape.axes > 2 ? rows.count / shape.rows : rows.count;
  auto own = size;
  if (size[cut] < whole[cut]) own[cut] /= 2;
  while (own[0] * own[1] * own[2] * fields > most_in_boxes / boxes)
    *std::ranges::max_element(own) /= 2;
  std::vector<Part> parts;
  for (int box = 0; box < boxes; ++box) {
    Part& part = parts.emplace_back(Part::all(shape));
    part.own = own;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (own[axis] == whole[axis]) continue;
      const std::int64_t room = size[axis] - own[axis] - 2 * reach;
      if (room < 0 || own[axis] == 0) return {};
      constexpr std::array steps = {5, 1, 3};  // no two boxes have the same place along an axis
      part.first[axis] = reach + room * (box * steps.at(axis) % boxes) / (boxes - 1);
      part.before[axis] = part.after[axis] = reach;
    }
  }
  return parts;
}

WatchedPart::WatchedPart(const RunConfig& config, const Problem<double>& rates_of_grid,
                         const Part& part, const CoefficientFields& coefficients_of_grid)
    : cells(part.cells()) {
  std::vector<SharedValues<double>> coefficients;
  for (const std::string& name : coefficient_names(config)) {
    const SharedValues<double>& values = coefficients.emplace_back(
        shared_values(values_of_block<double>(coefficients_of_grid.at(name), part)));
    if (name != mask_name) continue;
    cells = 0;
    for (std::int64_t row = 0; row < part.rows(); ++row) {
      const auto first = values->begin() + part.in_block(row);
      cells += std::count(first, first + part.own[2], 1.0);
    }
  }
  rates = local_problem(rates_of_grid, part, std::move(coefficients));
}

std::int64_t stuck_values(const WatchedPart& in, std::span<const std::span<const float>> fields,
                          double time, double time_step) {
  const Part part = in.rates.part.value();
  Evaluation<double> rates_at(in.rates, static_cast<int>(fields.size()), 1);
  std::vector<float> block;
  for (const std::span<const float> field : fields) {
    const std::vector<float> values = values_of_block(field, part);
    block.insert(block.end(), values.begin(), values.end());
  }
  const auto own = [&]<class T>(std::vector<T> values) {
    if (part.cells() == part.shape().cells()) return values;
    std::vector<T> of_part;
    for (std::int64_t field = 0; field < std::ssize(fields); ++field)
      for (std::int64_t row = 0; row < part.rows(); ++row) {
        const auto from = values.begin() + field * part.shape().cells() + part.in_block(row);
        of_part.insert(of_part.end(), from, from + part.own[2]);
      }
    return of_part;
  };
  const auto moved_by = [&](double share) {
    std::vector<double> moved(block.begin(), block.end());
    for (double& value : moved) value += share * std::abs(value);
    return own(rates_at(moved, time));
  };
  const std::vector<float> state = own(block);
  const std::vector<double> rates = moved_by(0), above = moved_by(1e-5), below = moved_by(-1e-5);
  std::int64_t count = 0;
  for (std::size_t first = 0; first < rates.size(); first += cells_together) {
    const std::size_t size = std::min(cells_together, rates.size() - first);
    const auto sign = [&](const std::vector<double>& of) {
      return mean_sign(std::span(of).subspan(first, size));
    };
    const double here = sign(rates);
    if (here == 0 || sign(here > 0 ? above : below) != here) continue;
    for (std::size_t i = first; i < first + size; ++i)
      count += rates[i] != 0 && static_cast<float>(state[i] + time_step * rates[i]) == state[i];
  }
  return count;
}

PrecisionWatch::PrecisionWatch(const RunConfig& config, const FormulaSystem& system,
                               const CoefficientFields& coefficients, RowRange rows)
    : config_(config) {
  if (config.precision != Precision::float32 || is_spectral(config)) return;
  keeps_means_ = keeps_means(config);
  if (is_exponential(config)) return;
  const Problem<double> problem = rates_problem(config, system, unread_coefficients(config));
  for (const Part& part :
       watched_parts(config.shape, std::ssize(config.fields), rows, stages_reach(problem.stages)))
    if (part.cells() == config.shape.cells() || !has_global_operations(problem))
      parts_.emplace_back(config, problem, part, coefficients);
}

double PrecisionWatch::stuck_share(std::span<const std::span<const float>> values, double time,
                                   double time_step) const {
  std::int64_t stuck = 0, watched = 0;
  for (const WatchedPart& part : parts_) {
    stuck += stuck_values(part, values, time, time_step);
    watched += part.cells * std::ssize(values);
  }
  return watched == 0 ? 0 : static_cast<double>(stuck) / static_cast<double>(watched);
}

std::vector<std::string> PrecisionWatch::check(std::int64_t step, double time, double time_step,
                                               std::span<const Statistics> fields,
                                               std::span<const std::span<const float>> values) {
  std::vector<std::string> warnings;
  if (keeps_means_.empty()) return warnings;
  if (first_.empty()) {
    first_.assign(fields.begin(), fields.end());
    first_step_ = step;
  }
  for (std::size_t field = 0; field < fields.size(); ++field) {
    const double drift = mean_drift(fields[field], first_[field], config_.shape, config_.spacing);
    if (!keeps_means_[field] || drift < large_drift) continue;
    keeps_means_[field] = false;
    warnings.push_back(
        fmt::format("the mean of {} was {:.7g} at step {} and is {:.7g}: the equation "
                    "keeps it, but float32 rounds each step (compute.precision float64 keeps it)",
                    config_.fields[field], first_[field].mean, first_step_, fields[field].mean));
  }
  // Examining a state costs as much as a few steps, so only outputs 1, 2, 4, 8, ... are examined.
  if (parts_.empty() || values.empty() || time_step == 0 ||
      !std::has_single_bit(static_cast<std::uint64_t>(++checks_)))
    return warnings;
  try {
    const double share = stuck_share(values, time, time_step);
    if (share < 0.1) return warnings;  // a smaller share can have rates near 0
    warnings.push_back(
        fmt::format("{:.0f}% of the values stand still: float32 rounds away what a step "
                    "adds to them (compute.precision float64 keeps it)",
                    100 * share));
  } catch (const DeviceError&) {  // too little memory to examine the state
  }
  parts_.clear();
  return warnings;
}

std::optional<double> PrecisionWatch::good_steps(std::int64_t step,
                                                 std::span<const Statistics> fields) const {
  double largest = 0;
  for (std::size_t field = 0; field < first_.size(); ++field)
    if (keeps_means_[field])
      largest = std::max(largest,
                         mean_drift(fields[field], first_[field], config_.shape, config_.spacing));
  constexpr double rounding = 1e-12;  // relative, of the sum over a field
  if (!(largest > rounding)) return std::nullopt;
  return static_cast<double>(step - first_step_) * large_drift / largest;
}

}  // namespace lapl
