// Finds where the solution of a boundary condition that is far from linear in its own field is not
// found, so that its flux is wrong.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernels/evaluation.hpp"
#include "solver/equation/stages.hpp"
#include "solver/initial_field.hpp"
#include "solver/run_config.hpp"

namespace lapl {

class ConditionWatch {
 public:
  /// Keeps a reference to `config`, whose system is given.
  ConditionWatch(const RunConfig& config, const FormulaSystem& system,
                 const CoefficientFields& coefficients);

  /// A warning about this state (every field, one after the other) at a time; empty if the
  /// solution of each condition is found, or the state has more than most_estimated_values.
  std::string check(std::span<const double> state, double time);
  /// True if conditions are solved in steps that may not suffice.
  bool is_needed() const { return rates_.has_value(); }

 private:
  const RunConfig& config_;
  std::optional<Problem<double>> rates_, marked_;
};

/// The warning about the initial state.
std::string condition_warning(const RunConfig& config, const FormulaSystem& system,
                              const CoefficientFields& coefficients, const WholeFields& whole);

}  // namespace lapl
