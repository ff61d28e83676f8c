#include "solver/estimated_step.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "kernels/error.hpp"
#include "kernels/evaluation.hpp"
#include "kernels/fields/pcg64.hpp"
#include "kernels/machine/available_memory.hpp"
#include "kernels/machine/size_text.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/growth.hpp"
#include "solver/initial_field.hpp"
#include "solver/largest_flow.hpp"
#include "solver/make_problem.hpp"
#include "solver/step_control.hpp"
#include "solver/value_vectors.hpp"

namespace lapl {
namespace {

using Values = std::vector<double>;  // one value per cell, field after field

// Tolerance of largest_step (solver/equation/growth.hpp): a mode that the step resolves may grow
// beyond its bound by this, as ln of the factor per step. Nonlinear terms stop growth this slow.
constexpr double close_enough = 0.01;

// Iterations of Arnoldi's method: fewer on large grids, where each takes longer.
int most_iterations(std::int64_t values) {
  constexpr std::int64_t most_work = std::int64_t{1} << 22;
  return static_cast<int>(std::clamp<std::int64_t>(most_work / values, 6, 24));
}

// Number of vectors that a RateDerivative stores, each with one value for each field and cell.
constexpr int vectors_of_derivative = 3;

// The derivative of the rates at a state along a direction, by a difference quotient.
class RateDerivative {
 public:
  RateDerivative(const RunConfig& config, const FormulaSystem& system,
                 const CoefficientFields& coefficients, const WholeFields& whole, double time)
      : time_(time),
        cells_(static_cast<std::size_t>(config.shape.cells())),
        fields_(config.fields.size()),
        rates_(rates_problem(config, system, coefficients)),
        names_time_(names_time(rates_)),
        evaluate_(rates_, static_cast<int>(fields_), config.threads),
        memory_(vectors(vectors_of_derivative)),
        state_(memory_[0]),
        rate_(memory_[1]),
        moved_(memory_[2]) {
    const auto values = initial_state<double>(config, coefficients, whole, only_rank(),
                                              RowRange::all(config.shape));
    for_each_value(std::ssize(state_), [&](std::int64_t i) { state_[i] = values[i]; });
    evaluate_(state_.data(), time_, rate_.data());
    if (const auto first = first_not_finite(rate_); first < std::ssize(rate_))
      throw RatesNotFinite(first);
    for (std::size_t f = 0; f < fields_; ++f) largest_.push_back(largest(field(state_, f)));
  }

  std::size_t fields() const { return fields_; }
  std::span<const double> state() const { return state_; }
  /// New vectors, shared by the threads that evaluate the rates.
  Vectors vectors(int count) {
    return {count, static_cast<std::int64_t>(fields_ * cells_), evaluate_.threads()};
  }
  template <class T>
  std::span<T> field(std::span<T> values, std::size_t index) const {
    return values.subspan(index * cells_, cells_);
  }

  double first_step(double longest, const Tolerance& tolerance, double order) {
    double step = names_time_ ? 0.01 * longest : longest;
    double trial = 0.01 * step;
    double change = 0;  // the largest derivative of a field, in units of its tolerance
    bool begins_at_0 = false;
    const auto scale = [&](std::size_t f) {
      return tolerance.absolute + tolerance.relative * largest_[f];
    };
    for (std::size_t f = 0; f < fields_; ++f) {
      const double rate = largest(field(rate_, f));
      if (rate == 0) continue;
      if (largest_[f] > 0) {
        step = std::min(step, 0.01 * largest_[f] / rate);
      } else if (scale(f) > 0) {
        begins_at_0 = true;
        trial = std::min(trial, scale(f) / rate);
        change = std::max(change, rate / scale(f));
      }
    }
    if (!begins_at_0 && !names_time_) return step;
    trial = std::min(trial, step);
    for_each_value(std::ssize(state_),
                   [&](std::int64_t i) { moved_[i] = state_[i] + trial * rate_[i]; });
    Vectors memory = vectors(1);
    const std::span<double> second = memory[0];
    evaluate_(moved_.data(), time_ + trial, second.data());
    const std::int64_t wrong = first_not_finite(second, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) second[i] -= rate_[i];
    });
    // Rates after the trial step are not finite, so a step of this length would be rejected.
    if (wrong < std::ssize(second)) return trial / 2;
    for (std::size_t f = 0; f < fields_; ++f)
      if (scale(f) > 0) change = std::max(change, largest(field(second, f)) / trial / scale(f));
    return change > 0 ? std::min(step, std::pow(0.01 / change, 1 / order)) : step;
  }

  double growth() const {
    double most = 0;
    for (std::size_t f = 0; f < fields_; ++f) {
      const auto state = field<const double>(state_, f);
      const double square = dot(state, state);
      if (square > 0)
        most = std::max(most, std::abs(dot(state, field<const double>(rate_, f))) / square);
    }
    return most;
  }

  /// The size of each field; 1 where all are 0.
  Values sizes() const {
    Values found;
    for (std::size_t f = 0; f < fields_; ++f) found.push_back(size(f) > 0 ? size(f) : 1);
    return found;
  }
  /// Sets the unit in which each field's part of directions and of results is measured.
  void set_units(Values units) { units_ = std::move(units); }

  /// Writes the derivative along `direction` to `change`.
  void operator()(std::span<double> change, std::span<const double> direction) {
    const double share = probe_factor(direction);
    for (std::size_t f = 0; f < fields_; ++f) {
      const double scale = share * unit(f);
      const auto along = field(direction, f), from = field<const double>(state_, f);
      const auto to = field(moved_, f);
      for_each_value(std::ssize(to), [&](std::int64_t i) { to[i] = from[i] + scale * along[i]; });
    }
    evaluate_(moved_.data(), time_, change.data());
    for (std::size_t f = 0; f < fields_; ++f) {
      const double scale = share * unit(f);
      const auto before = field<const double>(rate_, f);
      const auto of_field = field(change, f);
      const auto wrong = first_not_finite(of_field, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) of_field[i] = (of_field[i] - before[i]) / scale;
      });
      if (wrong < std::ssize(of_field))
        throw NumericalError(
            "the rates of states nearby are not finite, so that no step can be estimated");
    }
  }

 private:
  double unit(std::size_t field) const { return units_.empty() ? 1 : units_[field]; }

  // The largest value of a field, or of all where rounding alone may have made those of the field,
  // such as momenta of a gas at rest.
  double size(std::size_t field) const {
    const double most = std::ranges::max(largest_);
    return largest_[field] > 1e-12 * most ? largest_[field] : most;
  }

  // The factor of the direction with which each field changes by at most a millionth of its largest
  // value. A field that is nearly 0 beside the others may change by more.
  double probe_factor(std::span<const double> direction) const {
    Values ratios;
    for (std::size_t f = 0; f < fields_; ++f) {
      const double of_direction = unit(f) * largest(field(direction, f));
      if (largest_[f] > 0 && of_direction > 0) ratios.push_back(size(f) / of_direction);
    }
    constexpr double small = 1e-6;
    if (ratios.empty()) return small / largest(direction);
    const double most = std::ranges::max(ratios);
    std::erase_if(ratios, [&](double ratio) { return ratio < small * most; });
    return small * std::ranges::min(ratios);
  }

  double time_;
  std::size_t cells_, fields_;
  Problem<double> rates_;
  bool names_time_;
  Evaluation<double> evaluate_;
  Vectors memory_;
  std::span<double> state_, rate_, moved_;
  Values largest_, units_;  // largest value and unit of each field
};

// Arnoldi's start vector: a mixture of all wavelengths, mostly the shortest, which usually are the
// fastest modes.
void set_start(std::span<double> values, Shape shape) {
  Pcg64 generator = numpy_generator(1);
  std::int64_t row = 0;
  for (auto value = values.begin(); value != values.end(); ++row)
    for (std::int64_t column = 0; column < shape.columns; ++column) {
      const bool is_even = (row % shape.rows + row / shape.rows % shape.planes + column) % 2 == 0;
      const double noise = static_cast<double>(generator.next() >> 11) * 0x1p-53 - 0.5;
      *value++ = (is_even ? 0.5 : -0.5) + noise;
    }
}

// Units of the fields in which each field changes the others as much as they change it. Overwrites
// `alone` and `change`.
Values balanced_units(RateDerivative& derivative, std::span<const double> start,
                      std::span<double> alone, std::span<double> change) {
  const std::size_t fields = derivative.fields();
  SquareMatrix sizes(static_cast<int>(fields));
  for (std::size_t column = 0; column < fields; ++column) {
    std::ranges::fill(alone, 0);
    std::ranges::copy(derivative.field(start, column), derivative.field(alone, column).begin());
    derivative(change, alone);
    for (std::size_t row = 0; row < fields; ++row)
      sizes.at(static_cast<int>(row), static_cast<int>(column)) =
          largest(derivative.field<const double>(change, row));
  }
  return balance(sizes);
}

// Subtracts the parts of `next` along the first `size` vectors of the basis, adds their lengths to
// `projection`, and returns the square of the length that is left.
double make_orthogonal(std::span<double> next, Vectors& basis, int size, Values& projection) {
  double part = 0;
  std::span<const double> along = next;
  const auto subtract_last = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; part != 0 && i < last; ++i) next[i] -= part * along[i];
  };
  for (int i = 0; i < size; ++i) {
    const double found = dot(basis[i], next, subtract_last);
    along = basis[i];
    part = found;
    projection[i] += part;
  }
  return dot(next, next, subtract_last);
}

// Rates (1/s) of the fastest modes. basis[0] is the start vector; the basis has most + 1 vectors.
std::vector<Complex> modes_by_arnoldi(RateDerivative& derivative, Vectors& basis, int most) {
  std::vector<Values> projections;  // coefficients of each image in the basis
  double scale = 0, square = dot(basis[0], basis[0]);
  int size = 0;
  while (size < most) {
    const std::span<double> newest = basis[size], next = basis[size + 1];
    const double length = std::sqrt(square);
    if (!projections.empty()) {
      if (length <= 1e-9 * scale) break;
      projections.back().push_back(length);
    }
    for_each_value(std::ssize(newest), [&](std::int64_t i) { newest[i] /= length; });
    ++size;
    derivative(next, newest);
    const double of_image = std::sqrt(dot(next, next));
    scale = std::max(scale, of_image);
    Values& projection = projections.emplace_back(size);
    square = make_orthogonal(next, basis, size, projection);
    // If little is left, rounding is a large part of the rest and not orthogonal to the basis, so
    // the rest is made orthogonal again (Giraud, Langou and Rozloznik, Comput. Math. Appl. 50
    // (2005): twice is enough).
    if (std::sqrt(square) < 0.1 * of_image) square = make_orthogonal(next, basis, size, projection);
  }
  SquareMatrix projected(size);
  for (int column = 0; column < projected.size; ++column)
    for (int row = 0; row <= std::min(column + 1, projected.size - 1); ++row)
      projected.at(row, column) = projections[column][row];
  return eigenvalues(projected);
}

double memory_with(const RunConfig& config, const FormulaSystem& system, bool basis) {
  const Problem<double> problem = rates_problem(config, system, unread_coefficients(config));
  const std::int64_t values = problem.values();
  // In vectors of one value per field and cell: those of RateDerivative, and Arnoldi's basis or,
  // without it, the rates after the trial step of first_step. `given`: number of values of
  // coefficient fields.
  const int vectors = vectors_of_derivative + (basis ? most_iterations(values) + 1 : 1);
  const auto given = std::ssize(problem.coefficients) * problem.shape.cells();
  return Evaluation<double>::memory(problem, problem.step_fields) +
         8.0 * static_cast<double>(vectors * values + given);
}

void require(double needed, const char* what) {
  const auto available = static_cast<double>(available_memory());
  if (available != 0 && needed > available)
    throw DeviceError("an estimate of {} needs {}, {} are available", what, size_text(needed),
                      size_text(available));
}

}  // namespace

double memory_of_modes(const RunConfig& config, const FormulaSystem& system) {
  return memory_with(config, system, true);
}

void require_memory_of_modes(const RunConfig& config, const FormulaSystem& system) {
  require(memory_of_modes(config, system), "the largest stable step");
}

StateModes modes_at(const RunConfig& config, const FormulaSystem& system,
                    const CoefficientFields& coefficients, const WholeFields& whole, double time) {
  require_memory_of_modes(config, system);
  RateDerivative derivative(config, system, coefficients, whole, time);
  const int most = most_iterations(config.shape.cells() * std::ssize(config.fields));
  Vectors basis = derivative.vectors(most + 1);
  const auto modes = [&](bool balanced) {
    set_start(basis[0], config.shape);
    if (derivative.fields() > 1)
      derivative.set_units(balanced ? balanced_units(derivative, basis[0], basis[1], basis[2])
                                    : derivative.sizes());
    return modes_by_arnoldi(derivative, basis, most);
  };
  const double growth = derivative.growth();
  const bool is_automatic = !config.scheme.tolerance && (config.scheme.varies || !config.time_step);
  const double flow =
      is_automatic ? largest_flow(config, system, coefficients, derivative.state(), time) : 0;
  try {
    return {modes(true), growth, flow};
  } catch (const NumericalError&) {  // balanced units may be so far apart that a field changes much
    return {modes(false), growth, flow};
  }
}

double first_step_by_rates(const RunConfig& config, const FormulaSystem& system,
                           const CoefficientFields& coefficients, const WholeFields& whole,
                           double longest) {
  require(memory_with(config, system, false), "the first step");
  return RateDerivative(config, system, coefficients, whole, config.start)
      .first_step(longest, *config.scheme.tolerance, error_order(config.scheme.kind));
}

double largest_step_of_modes(TimeScheme scheme, const std::vector<Complex>& modes) {
  double fastest = 0, least = any_step;
  for (const Complex rate : modes) fastest = std::max(fastest, std::abs(rate));
  for (const Complex rate : modes)
    if (std::abs(rate) > 1e-4 * fastest)
      least = std::min(least, largest_step(scheme, rate, close_enough));
  return least;
}

}  // namespace lapl
