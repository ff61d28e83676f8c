#include "solver/estimated_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>

#include "kernels/error.hpp"
#include "kernels/fields/pcg64.hpp"
#include "kernels/machine/available_memory.hpp"
#include "kernels/machine/background.hpp"
#include "kernels/machine/memory.hpp"
#include "kernels/machine/size_text.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/growth.hpp"
#include "solver/rates_at.hpp"

namespace lapl {
namespace {

using Values = std::vector<double>;  // one value per cell, field after field

// ln of the excess growth per step that is accepted for a mode that the step resolves: nonlinear
// terms stop growth this slow.
constexpr double close_enough = 0.01;

// Fewer values are not worth a thread.
constexpr std::int64_t worth_a_thread = 1 << 16;

// Fewer iterations on large grids, where each takes longer.
int most_iterations(std::int64_t values) {
  constexpr std::int64_t most_work = std::int64_t{1} << 22;
  return static_cast<int>(std::clamp<std::int64_t>(most_work / values, 6, 24));
}

// Calls work(i) for each index of the values on several threads.
template <class Work>
void for_each_value(std::int64_t values, const Work& work) {
  in_pieces(values, worth_a_thread, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) work(i);
  });
}

// A number for each block of values, computed on several threads. The blocks do not depend on the
// number of threads, and so the results that are combined from them do not either.
template <class OfBlock>
std::vector<double> by_block(std::int64_t values, const OfBlock& of_block) {
  const std::int64_t blocks = values / worth_a_thread + 1;
  std::vector<double> results(blocks);
  in_pieces(blocks, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block)
      results[block] = of_block(values * block / blocks, values * (block + 1) / blocks);
  });
  return results;
}

double dot(std::span<const double> a, std::span<const double> b) {
  const auto sums = by_block(std::ssize(a), [&](std::int64_t first, std::int64_t last) {
    constexpr std::int64_t lanes = 16;  // independent sums, so that additions overlap
    std::array<double, lanes> partial{};
    for (; first + lanes <= last; first += lanes)
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        partial[lane] += a[first + lane] * b[first + lane];
    for (; first < last; ++first) partial[0] += a[first] * b[first];
    return std::accumulate(partial.begin(), partial.end(), 0.0);
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

double largest(std::span<const double> values) {
  return std::ranges::max(by_block(std::ssize(values), [&](std::int64_t first, std::int64_t last) {
    double most = 0;
    for (std::int64_t i = first; i < last; ++i) most = std::max(most, std::abs(values[i]));
    return most;
  }));
}

// Multiplies directions by the derivative of the rates at the initial state.
class RateDerivative {
 public:
  RateDerivative(const RunConfig& config, const FormulaSystem& system,
                 const CoefficientFields& coefficients, const WholeFields& whole)
      : cells_(static_cast<std::size_t>(config.shape.cells())),
        fields_(config.fields.size()),
        rates_at_(config, system, coefficients, config.threads) {
    Backend<double>& backend = rates_at_.backend();
    set_initial_state(backend, config, coefficients, whole);
    const double* const values = backend.block().values;
    state_.assign(values, values + fields_ * cells_);
    moved_.resize(state_.size());
    rate_.resize(state_.size());
    store_rates(rate_, state_);
  }

  std::size_t fields() const { return fields_; }
  template <class State>
  auto field(State&& values, std::size_t index) const {
    return std::span(values).subspan(index * cells_, cells_);
  }

  double change_time() const {
    double least = any_step;
    for (std::size_t f = 0; f < fields_; ++f) {
      const double state = largest(field(state_, f)), rate = largest(field(rate_, f));
      if (state > 0 && rate > 0) least = std::min(least, state / rate);
    }
    return least;
  }

  double growth() const {
    double most = 0;
    for (std::size_t f = 0; f < fields_; ++f) {
      const auto state = field(state_, f);
      const double square = dot(state, state);
      if (square > 0) most = std::max(most, std::abs(dot(state, field(rate_, f))) / square);
    }
    return most;
  }

  /// Sets the unit in which each field's part of directions and of results is measured.
  void set_units(Values units) { units_ = std::move(units); }

  /// Writes the derivative along `direction` to `change`.
  void operator()(std::span<double> change, std::span<const double> direction) {
    const double share = share_of(direction);
    for (std::size_t f = 0; f < fields_; ++f) {
      const double scale = share * unit(f);
      const std::span<const double> along = field(direction, f), from = field(state_, f);
      const auto to = field(moved_, f);
      for_each_value(std::ssize(to), [&](std::int64_t i) { to[i] = from[i] + scale * along[i]; });
    }
    store_rates(change, moved_);
    for (std::size_t f = 0; f < fields_; ++f) {
      const double scale = share * unit(f);
      const auto before = field(rate_, f);
      const auto of_field = field(change, f);
      for_each_value(std::ssize(before),
                     [&](std::int64_t i) { of_field[i] = (of_field[i] - before[i]) / scale; });
    }
  }

 private:
  double unit(std::size_t field) const { return units_.empty() ? 1 : units_[field]; }

  void store_rates(std::span<double> rates, std::span<const double> state) {
    rates_at_.store(rates, state);
    if (!std::ranges::all_of(rates, [](double value) { return std::isfinite(value); }))
      throw NumericalError(
          "the rates are not finite at the initial state, so that no step can be estimated");
  }

  // The factor of the direction that changes the state by a millionth. A field that is nearly 0
  // beside the others may change by more.
  double share_of(std::span<const double> direction) const {
    Values ratios;
    for (std::size_t f = 0; f < fields_; ++f) {
      const double of_state = largest(field(state_, f));
      const double of_direction = unit(f) * largest(field(direction, f));
      if (of_state > 0 && of_direction > 0) ratios.push_back(of_state / of_direction);
    }
    constexpr double small = 1e-6;
    if (ratios.empty()) return small / largest(direction);
    const double most = std::ranges::max(ratios);
    std::erase_if(ratios, [&](double ratio) { return ratio < small * most; });
    return small * std::ranges::min(ratios);
  }

  std::size_t cells_, fields_;
  RatesAt rates_at_;
  Values state_, rate_, units_, moved_;
};

// A mixture of all wavelengths, mostly the shortest, which usually are the fastest modes.
Values start_vector(Shape shape, std::size_t fields) {
  Pcg64 generator = numpy_generator(1);
  Values values;
  values.reserve(fields * static_cast<std::size_t>(shape.cells()));
  for (std::size_t field = 0; field < fields; ++field)
    for (std::int64_t index = 0; index < shape.cells(); ++index) {
      const Cell cell = cell_at(shape, index);
      const double noise = static_cast<double>(generator.next() >> 11) * 0x1p-53 - 0.5;
      values.push_back(((cell.plane + cell.row + cell.column) % 2 == 0 ? 0.5 : -0.5) + noise);
    }
  return values;
}

// Units in which each field changes the others as much as they change it.
Values units_of(RateDerivative& derivative, const Values& start) {
  const std::size_t fields = derivative.fields();
  SquareMatrix sizes(static_cast<int>(fields));
  Values alone(start.size()), change(start.size());
  for (std::size_t column = 0; column < fields; ++column) {
    std::ranges::fill(alone, 0);
    std::ranges::copy(derivative.field(start, column), derivative.field(alone, column).begin());
    derivative(change, alone);
    for (std::size_t row = 0; row < fields; ++row)
      sizes.at(static_cast<int>(row), static_cast<int>(column)) =
          largest(derivative.field(change, row));
  }
  return balance(sizes);
}

std::vector<Complex> modes_by_arnoldi(RateDerivative& derivative, const Values& start) {
  const std::int64_t values = std::ssize(start);
  const int most = most_iterations(values);
  // The basis, and the image of its last vector. Threads write each part first, so that the pages
  // are not made by one of them.
  const auto memory = std::make_unique_for_overwrite<double[]>((most + 1) * values);
  const auto vector = [&](int index) {
    return std::span(memory.get() + index * values, static_cast<std::size_t>(values));
  };
  const std::span<double> first = vector(0);
  for_each_value(values, [&](std::int64_t i) { first[i] = start[i]; });
  std::vector<Values> projections;  // coefficients of each image in the basis
  double scale = 0;
  int size = 0;
  while (size < most) {
    const std::span<double> newest = vector(size), next = vector(size + 1);
    const double length = std::sqrt(dot(newest, newest));
    if (!projections.empty()) {
      if (length <= 1e-9 * scale) break;
      projections.back().push_back(length);
    }
    for_each_value(values, [&](std::int64_t i) { newest[i] /= length; });
    ++size;
    derivative(next, newest);
    scale = std::max(scale, std::sqrt(dot(next, next)));
    Values& projection = projections.emplace_back();
    for (int i = 0; i < size; ++i) {
      const std::span<const double> of_basis = vector(i);
      projection.push_back(dot(of_basis, next));
      for_each_value(values,
                     [&](std::int64_t at) { next[at] -= projection.back() * of_basis[at]; });
    }
  }
  SquareMatrix projected(size);
  for (int column = 0; column < projected.size; ++column)
    for (int row = 0; row <= std::min(column + 1, projected.size - 1); ++row)
      projected.at(row, column) = projections[column][row];
  return eigenvalues(projected);
}

void require_memory(const RunConfig& config, const FormulaSystem& system) {
  const Problem<double> problem = rates_problem(config, system, unread_coefficients(config));
  constexpr int beside_basis = 5;  // the state, its rate, the start, and a moved state and its rate
  const std::int64_t values = problem.values();
  const double needed = memory_needed("cpu", problem).host +
                        8 * static_cast<double>(values * (most_iterations(values) + beside_basis));
  const auto available = static_cast<double>(available_memory());
  if (available != 0 && needed > available)
    throw DeviceError("an estimate of the largest stable step needs {}, {} are available",
                      size_text(needed), size_text(available));
}

}  // namespace

StateModes modes_at(const RunConfig& config, const CoefficientFields& coefficients,
                    const WholeFields& whole) {
  const FormulaSystem system = explicit_system_of(config);
  require_memory(config, system);
  RateDerivative derivative(config, system, coefficients, whole);
  const Values start = start_vector(config.shape, config.fields.size());
  if (derivative.fields() > 1) derivative.set_units(units_of(derivative, start));
  const double growth = derivative.growth();
  return {modes_by_arnoldi(derivative, start), growth};
}

double change_time_at(const RunConfig& config, const CoefficientFields& coefficients,
                      const WholeFields& whole) {
  return RateDerivative(config, system_of(config), coefficients, whole).change_time();
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
