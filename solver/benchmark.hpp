// Measuring an engine honestly: first the bits, then a warm-up, then repeats and their median.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/ceilings.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/make_problem.hpp"

namespace lapl {

struct BenchmarkCase {
  std::string backend;
  std::string engine;  ///< a name, not auto
  Shape shape;
  Boundaries boundaries;
  int threads = 0;                    ///< CPU threads; 0: as many as pay
  const RunConfig* config = nullptr;  ///< whose equation and initial fields are taken, if any
};

struct BenchmarkResult {
  BackendDescription description;
  std::int64_t verified_steps = 0;    ///< after which the bits equalled the reference engine's
  std::int64_t not_finite_after = 0;  ///< steps, where fewer than these were taken for that; else 0
  std::int64_t steps = 0;             ///< of each timed repeat
  int repeats = 0;
  double seconds = 0;  ///< median of the repeats, stepping alone
  double fastest = 0;  ///< seconds of the fastest repeat
  double slowest = 0;
  double updates_per_second = 0;  ///< cells * steps / median
  Ceilings ceilings;
  std::size_t bytes_a_cell = 0;  ///< that a step reads and writes without blocking in time
};

/// Measures one case: diffusion of random data with the largest stable coefficient, or what its
/// config states, on its shape. `steps` of 0: as many as take about a fifth of a second. Fewer are
/// taken where the state would not stay finite. Throws NumericalError where it does not after one,
/// and where the engine's bits differ from the reference engine's, and what make_backend
/// throws. `coefficients`: see problem_of. Called by all ranks, it measures them together: on all
/// of them, until the last has done its steps.
template <class T>
BenchmarkResult benchmark(const BenchmarkCase& of, const CoefficientFields& coefficients,
                          std::int64_t steps, int repeats, Ranks& ranks);

struct FilterBenchmark {
  std::string device;
  std::string method;
  std::int64_t verified_cells = 0;  ///< compared with the sum as it stands
  double seconds = 0;               ///< median of the repeats, filtering alone
  double fastest = 0;
  double slowest = 0;
};

/// Measures one filter on random data of that shape on "cpu" or "cuda". Throws NumericalError where
/// a result differs from the sum as it stands by more than rounding, and what make_frame_filter
/// throws.
template <class T>
FilterBenchmark benchmark_filter(const std::string& backend, const FilterConfig& filter,
                                 Shape shape, int repeats, int threads);

}  // namespace lapl
