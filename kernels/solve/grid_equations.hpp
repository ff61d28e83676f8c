// Equations over the whole grid, which stages wait for (GridSolve).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernels/machine/available_memory.hpp"

namespace lapl {

/// When a solve takes place.
struct SolveMoment {
  double time = 0;  ///< of the state, in seconds
  /// share * dt, in seconds, where the equations are those of a step; infinite: to a steady state
  double change = 0;
  bool is_first = true;  ///< the first solve of a step
  bool filters = false;  ///< the arrays are errors, which the step's linear part damps
};

/// How the last solve went: of a step, if the equations are those of one.
struct SolveReport {
  int iterations = 0;
  double residual = 0;  ///< relative to the right side
  /// after each iteration, relative to the first of that run of Newton's method; empty for a
  /// GridSystem
  std::vector<double> history;
  std::set<std::string> by;  ///< names of preconditioners
  std::int64_t solves = 0;   ///< all so far
  double seconds = 0;        ///< of all so far
};

class GridEquations {
 public:
  GridEquations() { keep_freed_memory(); }
  virtual ~GridEquations() = default;

  /// `state` has all fields of the whole grid, one after the other. The values of the unknown
  /// fields are the first guess; the solution replaces them. Throws NumericalError where there is
  /// no solution or it is not found.
  virtual void solve(std::vector<double>& state, const SolveMoment& at) = 0;

  /// Bytes beside those of fields, where these are not estimated before the equations are made.
  virtual double own_memory() const { return 0; }

  const SolveReport& report() const { return report_; }
  /// Adds a solve to the report.
  void count(double seconds) {
    ++report_.solves;
    report_.seconds += seconds;
  }

 protected:
  // Begins the report of a solve.
  void begin_report() {
    report_.iterations = 0;
    report_.residual = 0;
    report_.history.clear();
  }

  SolveReport report_;
};

/// The reports of several systems in one: iterations added, and the largest residual.
inline SolveReport report_of_all(const std::vector<std::shared_ptr<GridEquations>>& systems) {
  SolveReport all;
  for (const auto& system : systems) {
    if (!system) continue;
    const SolveReport& report = system->report();
    all.iterations += report.iterations;
    all.residual = std::max(all.residual, report.residual);
    all.by.insert(report.by.begin(), report.by.end());
    all.history.insert(all.history.end(), report.history.begin(), report.history.end());
    all.solves += report.solves;
    all.seconds += report.seconds;
  }
  return all;
}

}  // namespace lapl
