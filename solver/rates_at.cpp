#include "solver/rates_at.hpp"

#include "kernels/machine/background.hpp"
#include "solver/equation/equation.hpp"
#include "solver/equation/formula_system.hpp"

namespace lapl {
namespace {

// So large that u + dt * f(u) has no digit of u left unless f is 0. A power of two, so that f is
// rounded once.
constexpr double huge_step = 0x1p100;

}  // namespace

Problem<double> rates_problem(const RunConfig& config, const CoefficientFields& coefficients) {
  RunConfig with_step = config;
  // time.step: auto is not a number yet; all steps give the same rates at t = 0.
  if (!with_step.time_step) with_step.time_step = 1;
  FormulaSystem system = system_of(config);
  system.names.noise->is_zero = true;
  return problem_with<double>(with_step, coefficients,
                              step_stages(system, Scheme::euler, huge_step));
}

RatesAt::RatesAt(const RunConfig& config, const CoefficientFields& coefficients, int threads)
    : backend_(make_backend<double>("cpu", "interpreted", rates_problem(config, coefficients),
                                    threads)) {}

std::vector<double> RatesAt::operator()(std::span<const double> state, std::int64_t step) {
  backend_->set_state(state, step);
  backend_->advance(1);
  std::vector<double> rates = copy_of_state(*backend_);
  constexpr std::int64_t worth_a_thread = 1 << 16;
  in_pieces(std::ssize(rates), worth_a_thread, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) rates[i] = (rates[i] - state[i]) / huge_step;
  });
  return rates;
}

}  // namespace lapl
