// The rates of an equation at any state, in float64.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/make_problem.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The problem that RatesAt steps.
Problem<double> rates_problem(const RunConfig& config, const CoefficientFields& coefficients);

class RatesAt {
 public:
  RatesAt(const RunConfig& config, const CoefficientFields& coefficients, int threads);

  Backend<double>& backend() { return *backend_; }
  /// In 1/s times the unit of each value, at the time of a step; one after the other, as the state.
  std::vector<double> operator()(std::span<const double> state, std::int64_t step = 0);

 private:
  std::unique_ptr<Backend<double>> backend_;
};

}  // namespace lapl
