// The largest stable step of equations in formulas by von Neumann's analysis, which tries all waves
// on an infinite grid. If factors depend on position, it tries each cell's factors as if they held
// everywhere.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "solver/equation/rate_symbol.hpp"
#include "solver/equation/stages.hpp"
#include "solver/make_problem.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The analysis of one equation. It assumes that all sides are periodic.
class WaveStability {
 public:
  /// None unless the rates are linear with numbers as factors. Throws FormulaError.
  static std::optional<WaveStability> of(const FormulaSystem& system, const RunConfig& run);
  /// The same for linear rates with factors that depend on position or time; none for all others.
  static std::optional<WaveStability> of_cells(const FormulaSystem& system, const RunConfig& run,
                                               const CoefficientFields& coefficients,
                                               double time = 0);

  /// The largest stable step in seconds: 0 if no step is stable, infinity if all are. Stores the
  /// worst wave, so that growth() includes it.
  double largest_step(TimeScheme scheme);

  /// ln of the factor by which a step amplifies waves that the equation damps or leaves unchanged;
  /// 0 if the step is stable.
  struct Growth {
    double resolved = 0;    ///< of waves with |rate dt| <= 1, which the step resolves
    double unresolved = 0;  ///< of all other waves
  };
  Growth growth(TimeScheme scheme, double time_step);

 private:
  using Phases = std::array<double, 3>;  // between neighbouring nodes along planes, rows, columns
  struct Wave {
    Phases phases = {};
    std::size_t place = 0;
  };

  WaveStability(const StepStages& rates, const RunConfig& run);
  void set_waves(int of_turn);
  bool find_slow();
  SquareMatrix wave_rate(const Wave& wave);
  bool lowers(TimeScheme scheme, const Wave& wave, double& least);

  RateSymbol symbol_;
  std::vector<std::size_t> axes_;                // axes along which waves vary
  double distance_ = 0;                          // between neighbouring phases in waves_
  std::vector<RateSymbol::LocalValues> places_;  // empty: the same rates everywhere
  std::vector<Wave> waves_;
  double slow_ = 0;  // rounding may change the sign of a smaller rate
};

}  // namespace lapl
