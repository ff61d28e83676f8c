#include "solver/equation/stability.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solver/equation/growth.hpp"

namespace lapl {
namespace {

// Whether an axis of one node has nothing beside it but what is equal to it.
bool is_without_waves(const RunConfig& run, int axis) {
  const std::array sizes = by_axis(run.shape);
  const std::array faces = {run.boundaries.planes, run.boundaries.rows, run.boundaries.columns};
  const auto at = static_cast<std::size_t>(axis);
  const auto has_law = [&](const SideLaw& law) { return law.axis == axis; };
  return axis < 3 - run.shape.axes ||
         (sizes[at] == 1 && faces[at] != Boundary::zero && std::ranges::none_of(run.laws, has_law));
}

}  // namespace

std::optional<WaveStability> WaveStability::of(const FormulaSystem& system, const RunConfig& run) {
  WaveStability stability(rate_stages(system), run);
  if (stability.symbol_.rates() != RateSymbol::Rates::constant) return std::nullopt;
  for (const Phases& phases : stability.waves_)
    for (const Complex rate : stability.symbol_.at(phases).values)
      if (!std::isfinite(std::norm(rate))) return std::nullopt;
  for (const Phases& phases : stability.waves_)
    for (const Complex rate : eigenvalues(stability.symbol_.at(phases)))
      stability.slow_ = std::max(stability.slow_, 1e-6 * std::abs(rate));
  return stability;
}

WaveStability::WaveStability(const StepStages& rates, const RunConfig& run)
    : symbol_(rates.stages, static_cast<int>(run.fields.size()),
              static_cast<int>(rates.like.size())),
      waves_{{0, 0, 0}} {
  for (int axis = 0; axis < 3; ++axis)
    if (!is_without_waves(run, axis)) axes_.push_back(static_cast<std::size_t>(axis));
  const int of_turn = axes_.size() == 3 ? 16 : 32;
  distance_ = 2 * std::numbers::pi / of_turn;
  for (const std::size_t axis : axes_) {
    // Waves that run the other way have the same factors.
    const int last = axis == axes_.back() ? of_turn / 2 : of_turn - 1;
    const std::vector<Phases> before = waves_;
    for (int i = 1; i <= last; ++i)
      for (Phases phases : before) {
        phases[axis] = i * distance_;
        waves_.push_back(phases);
      }
  }
}

double WaveStability::largest_step(TimeScheme given) {
  const TimeScheme scheme = scheme_of(given, static_cast<std::size_t>(symbol_.fields()));
  double least = any_step;
  Phases worst = {};
  for (const Phases& phases : waves_)
    if (lowers(scheme, phases, least)) worst = phases;
  if (least == 0 || least == any_step) return least;
  // On to waves between those, beside the worst one, while they are worse.
  for (double away = distance_ / 2; away > 1e-4;) {
    bool found = false;
    for (const std::size_t axis : axes_)
      for (const double sign : {-1.0, 1.0}) {
        Phases beside = worst;
        beside[axis] += sign * away;
        if (!lowers(scheme, beside, least)) continue;
        worst = beside;
        found = true;
      }
    if (!found) away /= 2;
  }
  waves_.push_back(worst);
  return least;
}

// Whether a wave's largest step is below the least so far, which it becomes.
bool WaveStability::lowers(TimeScheme scheme, const Phases& phases, double& least) {
  const bool by_matrix = scheme.kind == Scheme::leapfrog;
  const SquareMatrix rate = symbol_.at(phases);
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
  const TimeScheme scheme = scheme_of(given, static_cast<std::size_t>(symbol_.fields()));
  const bool by_matrix = scheme.kind == Scheme::leapfrog;
  Growth growth;
  for (const Phases& phases : waves_) {
    const SquareMatrix rate = symbol_.at(phases);
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
