#include "solver/rates_at.hpp"

#include "kernels/machine/background.hpp"
#include "solver/equation/equation.hpp"

namespace lapl {
namespace {

// So large that u + dt * f(u) has no digit of u left unless f is 0. A power of two, so that f is
// rounded once.
constexpr double huge_step = 0x1p100;

}  // namespace

Problem<double> rates_problem(const RunConfig& config, FormulaSystem system,
                              const CoefficientFields& coefficients) {
  RunConfig with_step = config;
  // time.step: auto is not a number yet; all give the same rates.
  if (!with_step.time_step) with_step.time_step = 1;
  system.names.noise->is_zero = true;
  if (system.sides)
    for (auto& [key, side] : system.sides->at)
      if (const int array = std::get<0>(key);
          side.condition.kind == ConditionKind::value_at_node && array < std::ssize(config.fields))
        side.condition.value = config.fields[array];  // held at what it is
  return problem_with<double>(with_step, coefficients,
                              step_stages(system, Scheme::euler, huge_step));
}

RatesAt::RatesAt(const RunConfig& config, const FormulaSystem& system,
                 const CoefficientFields& coefficients, int threads)
    : RatesAt(rates_problem(config, system, coefficients), threads) {}

RatesAt::RatesAt(const Problem<double>& rates, int threads)
    : names_time_(lapl::names_time(rates)),
      backend_(make_backend<double>("cpu", "interpreted", rates, threads)) {}

std::vector<double> RatesAt::operator()(std::span<const double> state, double time) {
  std::vector<double> rates(state.size());
  store(rates, state, time);
  return rates;
}

void RatesAt::store(std::span<double> rates, std::span<const double> state, double time) {
  backend_->set_state(state, 0);
  backend_->set_clock({.start = time});
  backend_->advance(1);
  // Without a capture, which would copy the state and compute its digest.
  const double* const moved = backend_->block().values;
  constexpr std::int64_t rates_for_a_thread = 1 << 16;
  in_pieces(std::ssize(rates), rates_for_a_thread, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) rates[i] = (moved[i] - state[i]) / huge_step;
  });
}

}  // namespace lapl
