#include "solver/equation/stability.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <utility>

#include "solver/equation/formula_system.hpp"
#include "solver/equation/growth.hpp"

namespace lapl {
namespace {

// True for an axis with a single node whose ghost cells equal it.
bool is_without_waves(const RunConfig& run, int axis) {
  const std::array sizes = by_axis(run.shape);
  const std::array faces = by_axis(run.boundaries);
  const auto at = static_cast<std::size_t>(axis);
  const auto has_condition = [&](const SideCondition& condition) { return condition.axis == axis; };
  return axis < 3 - run.shape.axes || (sizes[at] == 1 && faces[at] != Boundary::zero &&
                                       std::ranges::none_of(run.conditions, has_condition));
}

// The stages of the rates on an infinite grid: without the mask and without the conditions that
// stages impose. The analysis ignores faces as well.
StepStages rates_inside(FormulaSystem system) {
  system.mask_boundary.reset();
  system.sides.reset();
  system.names.side_values.clear();
  system.names.mask_values.reset();
  system.names.open_sides.clear();
  system.names.open_mask = false;
  return rate_stages(system);
}

// The distinct local values of all cells inside the mask. If there are more than `most`, only those
// of `most` cells spread evenly over the grid and of cells with the extremes of each coefficient.
std::vector<RateSymbol::LocalValues> distinct_local_values(const RunConfig& run,
                                                           const std::vector<Stage>& stages,
                                                           const CoefficientFields& coefficients,
                                                           std::size_t most) {
  std::vector<const std::vector<double>*> read;
  std::array<bool, 3> reads_position{};
  std::size_t array = run.fields.size();
  const auto any = [&](auto is_it) { return std::ranges::any_of(stages, is_it, &Stage::tree); };
  for (const std::string& name : coefficient_names(run)) {
    const auto index = static_cast<int>(array++);
    const bool is_read = any([&](const StageTree& tree) { return reads_array(tree, index); });
    read.push_back(is_read ? &coefficients.at(name) : nullptr);
  }
  for (int axis = 0; axis < 3; ++axis)
    reads_position.at(static_cast<std::size_t>(axis)) = any([&](const StageTree& tree) {
      return std::ranges::any_of(tree.operations, [&](const StageOperation& node) {
        return node.operation == Operation::position && node.index == axis;
      });
    });
  const auto local_values = [&](std::int64_t index) {
    RateSymbol::LocalValues place;
    for (const auto* const values : read)
      place.coefficients.push_back(values ? (*values)[index] : 0);
    const Cell cell = cell_at(run.shape, index);
    const std::array at = {cell.plane, cell.row, cell.column};
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (reads_position[axis])
        place.position[axis] = static_cast<double>(at[axis]) * run.spacing.by_axis[axis];
    return place;
  };
  const auto* const mask = run.mask ? &coefficients.at(mask_name) : nullptr;
  const auto is_inside = [&](std::int64_t index) { return !mask || (*mask)[index] != 0; };
  std::set<RateSymbol::LocalValues> places;
  const std::int64_t cells = run.shape.cells();
  for (std::int64_t index = 0; index < cells && places.size() <= most; ++index)
    if (is_inside(index)) places.insert(local_values(index));
  if (places.size() > most) {
    places.clear();
    for (const auto* const values : read) {
      if (!values) continue;
      std::optional<std::int64_t> least, largest;
      for (std::int64_t index = 0; index < cells; ++index) {
        if (!is_inside(index)) continue;
        if (!least || (*values)[index] < (*values)[*least]) least = index;
        if (!largest || (*values)[index] >= (*values)[*largest]) largest = index;
      }
      for (const auto at : {least, largest})
        if (at) places.insert(local_values(*at));
    }
    for (std::size_t i = 0; i < most; ++i) {
      auto index = static_cast<std::int64_t>(
          static_cast<double>(cells) * (static_cast<double>(i) + 0.5) / static_cast<double>(most));
      while (index < cells && !is_inside(index)) ++index;
      if (index < cells) places.insert(local_values(index));
    }
  }
  return {places.begin(), places.end()};
}

}  // namespace

std::optional<WaveStability> WaveStability::of(const FormulaSystem& system, const RunConfig& run) {
  WaveStability stability(rates_inside(system), run);
  if (stability.symbol_.rates() != RateSymbol::Rates::constant) return std::nullopt;
  stability.set_waves(stability.axes_.size() == 3 ? 16 : 32);
  return stability.find_slow() ? std::optional(stability) : std::nullopt;
}

std::optional<WaveStability> WaveStability::of_cells(const FormulaSystem& system,
                                                     const RunConfig& run,
                                                     const CoefficientFields& coefficients,
                                                     double time) {
  const StepStages rates = rates_inside(system);
  WaveStability stability(rates, run);
  if (stability.symbol_.rates() != RateSymbol::Rates::varying) return std::nullopt;
  constexpr std::size_t most_waves = 4096;
  stability.set_waves(4);
  const std::vector<Wave> of_one = std::move(stability.waves_);
  stability.waves_.clear();
  stability.places_ =
      distinct_local_values(run, rates.stages, coefficients, most_waves / of_one.size());
  for (RateSymbol::LocalValues& place : stability.places_) place.time = time;
  for (std::size_t place = 0; place < stability.places_.size(); ++place)
    for (const Wave& wave : of_one) stability.waves_.push_back({wave.phases, place});
  return stability.find_slow() ? std::optional(stability) : std::nullopt;
}

WaveStability::WaveStability(const StepStages& rates, const RunConfig& run)
    : symbol_(rates.stages, static_cast<int>(run.fields.size()),
              static_cast<int>(rates.like.size())) {
  for (int axis = 0; axis < 3; ++axis)
    if (!is_without_waves(run, axis)) axes_.push_back(static_cast<std::size_t>(axis));
}

// Sets waves with `of_turn` phases per full turn (2 pi) along each axis.
void WaveStability::set_waves(int of_turn) {
  waves_ = {Wave()};
  distance_ = 2 * std::numbers::pi / of_turn;
  for (const std::size_t axis : axes_) {
    // Half a turn suffices along the last axis: opposite waves have the same factors.
    const int last = axis == axes_.back() ? of_turn / 2 : of_turn - 1;
    const std::vector<Wave> before = waves_;
    for (int i = 1; i <= last; ++i)
      for (Wave wave : before) {
        wave.phases[axis] = i * distance_;
        waves_.push_back(wave);
      }
  }
}

// Sets slow_ to 1e-6 of the fastest rate; returns false if a rate is not finite.
bool WaveStability::find_slow() {
  for (const Wave& wave : waves_) {
    const SquareMatrix rate = wave_rate(wave);
    if (!std::ranges::all_of(rate.values,
                             [](Complex value) { return std::isfinite(std::norm(value)); }))
      return false;
    for (const Complex value : eigenvalues(rate)) slow_ = std::max(slow_, 1e-6 * std::abs(value));
  }
  return true;
}

SquareMatrix WaveStability::wave_rate(const Wave& wave) {
  if (!places_.empty()) symbol_.set_local_values(places_[wave.place]);
  return symbol_.at(wave.phases);
}

double WaveStability::largest_step(TimeScheme given) {
  const TimeScheme scheme = equivalent_scheme(given, static_cast<std::size_t>(symbol_.fields()));
  double least = any_step;
  Wave worst;
  for (const Wave& wave : waves_)
    if (lowers(scheme, wave, least)) worst = wave;
  if (least == 0 || least == any_step) return least;
  // Refines the worst wave: moves to neighbours between the waves tried while they are worse.
  for (double away = distance_ / 2; away > 1e-4;) {
    bool found = false;
    for (const std::size_t axis : axes_)
      for (const double sign : {-1.0, 1.0}) {
        Wave beside = worst;
        beside.phases[axis] += sign * away;
        if (!lowers(scheme, beside, least)) continue;
        worst = beside;
        found = true;
      }
    if (!found) away /= 2;
  }
  waves_.push_back(worst);
  return least;
}

// True if the wave's largest step is below `least`, which is then lowered to it.
bool WaveStability::lowers(TimeScheme scheme, const Wave& wave, double& least) {
  const bool by_matrix = scheme.kind == Scheme::leapfrog;
  const SquareMatrix rate = wave_rate(wave);
  double largest = any_step;
  bool slow = true;
  for (const Complex value : eigenvalues(rate)) {
    if (std::abs(value) <= slow_) continue;
    slow = false;
    if (!by_matrix) largest = std::min(largest, lapl::largest_step(scheme, value));
  }
  if (by_matrix && !slow) largest = largest_leapfrog_step(rate, least);
  if (!(largest < least * (1 - 1e-12))) return false;
  least = largest;
  return true;
}

WaveStability::Growth WaveStability::growth(TimeScheme given, double time_step) {
  const TimeScheme scheme = equivalent_scheme(given, static_cast<std::size_t>(symbol_.fields()));
  const bool by_matrix = scheme.kind == Scheme::leapfrog;
  Growth growth;
  for (const Wave& wave : waves_) {
    const SquareMatrix rate = wave_rate(wave);
    double fastest = 0;
    for (const Complex value : eigenvalues(rate)) {
      fastest = std::max(fastest, std::abs(value));
      if (by_matrix) continue;
      double& of_its_kind = std::abs(value) * time_step <= 1 ? growth.resolved : growth.unresolved;
      of_its_kind = std::max(of_its_kind, excess(scheme, value, time_step));
    }
    if (!by_matrix) continue;
    double& of_its_kind = fastest * time_step <= 1 ? growth.resolved : growth.unresolved;
    of_its_kind = std::max(of_its_kind, leapfrog_excess(rate, time_step));
  }
  return growth;
}

}  // namespace lapl
