// Computes the rates of an equation for any state, in float64.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/equation/stages.hpp"
#include "solver/make_problem.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The problem that RatesAt steps: one huge step, whose result gives the rates of the system
/// without its noise.
Problem<double> rates_problem(const RunConfig& config, FormulaSystem system,
                              const CoefficientFields& coefficients);

/// Computes the rates of a system on the CPU with the interpreted engine.
class RatesAt {
 public:
  RatesAt(const RunConfig& config, const FormulaSystem& system,
          const CoefficientFields& coefficients, int threads);
  /// `rates` is a rates_problem, or one on a part of the grid (local_problem): states and rates are
  /// then those of its block, and right in its own cells if its halo is as deep as the stages
  /// reach.
  RatesAt(const Problem<double>& rates, int threads);

  Backend<double>& backend() { return *backend_; }
  /// True if the rates read the time itself.
  bool names_time() const { return names_time_; }
  /// The rates at a time, in the unit of each field per second, field after field as in the state.
  std::vector<double> operator()(std::span<const double> state, double time = 0);
  /// Writes the rates to `rates`, which may hold anything before.
  void store(std::span<double> rates, std::span<const double> state, double time = 0);

 private:
  bool names_time_;
  std::unique_ptr<Backend<double>> backend_;
};

}  // namespace lapl
