// The largest stable step of equations in formulas, by von Neumann's analysis: of every wave that a
// grid without faces holds, and where factors depend on the place, of those that a grid would hold
// that is everywhere as it is at one of its cells.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "solver/equation/rate_symbol.hpp"
#include "solver/equation/stages.hpp"
#include "solver/make_problem.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// Faces are taken for periodic ones.
class WaveStability {
 public:
  /// None where the rates are not linear with numbers for factors. Throws FormulaError.
  static std::optional<WaveStability> of(const FormulaSystem& system, const RunConfig& run);
  /// None where the rates are not linear with factors that depend on the place or the time: of
  /// these at time 0.
  static std::optional<WaveStability> of_cells(const FormulaSystem& system, const RunConfig& run,
                                               const CoefficientFields& coefficients);

  /// In seconds, for this scheme: 0 where no step is stable, infinity where each is. The worst wave
  /// is looked at from then on.
  double largest_step(TimeScheme scheme);

  /// What a step lets grow that the equation does not: ln of the factor, 0 where there is none.
  struct Growth {
    double resolved = 0;    ///< of a wave that the step resolves, |rate dt| <= 1
    double unresolved = 0;  ///< of any other
  };
  Growth growth(TimeScheme scheme, double time_step);

 private:
  using Phases = std::array<double, 3>;  // from a node to the next along planes, rows, columns
  struct Wave {
    Phases phases = {};
    std::size_t place = 0;
  };

  WaveStability(const StepStages& rates, const RunConfig& run);
  void set_waves(int of_turn);
  bool find_slow();
  SquareMatrix rate_of(const Wave& wave);
  bool lowers(TimeScheme scheme, const Wave& wave, double& least);

  RateSymbol symbol_;
  std::vector<std::size_t> axes_;                // that have waves
  double distance_ = 0;                          // between phases that are looked at
  std::vector<RateSymbol::LocalValues> places_;  // none: the same rates everywhere
  std::vector<Wave> waves_;
  double slow_ = 0;  // rates whose sign is lost in rounding
};

}  // namespace lapl
