#include "solver/precision_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/error.hpp"
#include "kernels/fields/pcg64.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/rates_at.hpp"

namespace lapl {
namespace {

// Largest state, in values, that is examined during a run; a larger one takes too long.
constexpr std::int64_t most_watched = std::int64_t{1} << 20;

constexpr std::size_t cells_together = 32;  // number of cells whose rates are averaged

// The sign of the mean rate of neighbouring cells; 0 if rounding of the values can explain it.
double sign_of(std::span<const double> rates) {
  double sum = 0, squares = 0;
  for (const double rate : rates) {
    sum += rate;
    squares += rate * rate;
  }
  const auto n = static_cast<double>(rates.size());
  const double variance = std::max(0.0, squares / n - sum / n * (sum / n));
  return std::abs(sum) > 3 * std::sqrt(variance * n) ? std::copysign(1, sum) : 0;
}

// Not for diffusion without a mask, because frozen_warning finds its frozen cells.
bool can_look_for_frozen(const RunConfig& config) {
  return (!is_diffusion(config) || config.mask) &&
         config.shape.cells() * std::ssize(config.fields) <= most_watched;
}

}  // namespace

std::vector<bool> keeps_means(const RunConfig& config) {
  RunConfig small = config;
  for (std::int64_t* const extent : {&small.shape.planes, &small.shape.rows, &small.shape.columns})
    *extent = std::min<std::int64_t>(*extent, 9);
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
  RatesAt rates_at(small, system_of(small), coefficients, 1);
  std::vector<bool> keeps(config.fields.size(), true);
  for (int state = 0; state < 2; ++state) {
    const std::vector<double> rates = rates_at(noise(cells * fields));
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

double drift_of(const Statistics& now, const Statistics& before, Shape shape,
                const Spacing& spacing) {
  const double volume = cell_volume(shape, spacing) * static_cast<double>(shape.cells());
  const double l2 = std::max(before.l2, now.l2);
  const double size = std::max(std::abs(before.mean), 0.1 * l2 / std::sqrt(volume));
  return size > 0 ? std::abs(now.mean - before.mean) / size : 0;
}

std::int64_t stuck_values(const RunConfig& config, const CoefficientFields& coefficients,
                          std::span<const float> state, double time, double time_step) {
  RatesAt rates_at(config, system_of(config), coefficients, 1);
  const auto moved_by = [&](double share) {
    std::vector<double> moved(state.begin(), state.end());
    for (double& value : moved) value += share * std::abs(value);
    return rates_at(moved, time);
  };
  const std::vector<double> rates = moved_by(0), above = moved_by(1e-5), below = moved_by(-1e-5);
  std::int64_t count = 0;
  for (std::size_t first = 0; first < rates.size(); first += cells_together) {
    const std::size_t size = std::min(cells_together, rates.size() - first);
    const auto sign = [&](const std::vector<double>& of) {
      return sign_of(std::span(of).subspan(first, size));
    };
    const double here = sign(rates);
    if (here == 0 || sign(here > 0 ? above : below) != here) continue;
    for (std::size_t i = first; i < first + size; ++i)
      count += rates[i] != 0 && static_cast<float>(state[i] + time_step * rates[i]) == state[i];
  }
  return count;
}

PrecisionWatch::PrecisionWatch(const RunConfig& config, const CoefficientFields& coefficients,
                               bool frozen)
    : config_(config), looks_for_frozen_(false) {
  if (config.precision != Precision::float32 || is_spectral(config)) return;
  keeps_means_ = keeps_means(config);
  looks_for_frozen_ = frozen && !is_exponential(config) && can_look_for_frozen(config);
  if (looks_for_frozen_) coefficients_ = coefficients;
}

std::vector<std::string> PrecisionWatch::look(std::int64_t step, double time, double time_step,
                                              std::span<const Statistics> fields,
                                              std::span<const std::span<const float>> values) {
  std::vector<std::string> warnings;
  if (keeps_means_.empty()) return warnings;
  if (first_.empty()) {
    first_.assign(fields.begin(), fields.end());
    first_step_ = step;
  }
  for (std::size_t field = 0; field < fields.size(); ++field) {
    const double drift = drift_of(fields[field], first_[field], config_.shape, config_.spacing);
    if (!keeps_means_[field] || drift < large_drift) continue;
    keeps_means_[field] = false;
    warnings.push_back(
        fmt::format("the mean of {} was {:.7g} at step {} and is {:.7g}: the equation "
                    "keeps it, but float32 rounds each step (compute.precision float64 keeps it)",
                    config_.fields[field], first_[field].mean, first_step_, fields[field].mean));
  }
  // Examining a state costs as much as a few steps, so only outputs 1, 2, 4, 8, ... are examined.
  if (!looks_for_frozen_ || time_step == 0 ||
      !std::has_single_bit(static_cast<std::uint64_t>(++looks_)))
    return warnings;
  std::vector<float> state;
  for (const auto& of_field : values) state.insert(state.end(), of_field.begin(), of_field.end());
  try {
    double watched = static_cast<double>(state.size());
    if (config_.mask)
      watched *= static_cast<double>(std::ranges::count(coefficients_.at(mask_name), 1.0)) /
                 static_cast<double>(config_.shape.cells());
    const double share =
        static_cast<double>(stuck_values(config_, coefficients_, state, time, time_step)) / watched;
    if (share < 0.1) return warnings;  // so few lie where rates pass through 0
    warnings.push_back(
        fmt::format("{:.0f}% of the values stand still: float32 rounds away what a step "
                    "adds to them (compute.precision float64 keeps it)",
                    100 * share));
  } catch (const DeviceError&) {  // too little memory to examine the state
  }
  looks_for_frozen_ = false;
  return warnings;
}

std::optional<double> PrecisionWatch::good_steps(std::int64_t step,
                                                 std::span<const Statistics> fields) const {
  double largest = 0;
  for (std::size_t field = 0; field < first_.size(); ++field)
    if (keeps_means_[field])
      largest =
          std::max(largest, drift_of(fields[field], first_[field], config_.shape, config_.spacing));
  constexpr double rounding = 1e-12;  // of the sums of a field
  if (!(largest > rounding)) return std::nullopt;
  return static_cast<double>(step - first_step_) * large_drift / largest;
}

}  // namespace lapl
