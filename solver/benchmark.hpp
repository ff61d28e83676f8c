// Measures the speed of an engine: compares its results with those of another engine, warms it up,
// and returns the median time of several repeats.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/ceilings.hpp"
#include "kernels/ranks/ranks.hpp"
#include "solver/initial_field.hpp"
#include "solver/make_problem.hpp"

namespace lapl {

/// An engine and the problem on which it is measured.
struct BenchmarkCase {
  std::string backend;
  std::string engine;  ///< a name, not auto
  Shape shape;
  Boundaries boundaries;
  int threads = 0;  ///< CPU threads; 0: as many as make the engine faster
  /// the config with the equation and the initial fields; null: diffusion of random data
  const RunConfig* config = nullptr;
  WholeFields initial = {};  ///< the config's fields from files; only on the first rank
};

/// The measured speed of an engine.
struct BenchmarkResult {
  BackendDescription description;
  /// number of steps after which the results agreed with another engine's
  std::int64_t verified_steps = 0;
  /// number of steps after which the state was not finite; 0 if it stayed finite
  std::int64_t not_finite_after = 0;
  std::int64_t steps = 0;  ///< in each timed repeat
  int repeats = 0;
  double seconds = 0;  ///< median of the repeats, stepping alone
  double fastest = 0;  ///< seconds of the fastest repeat
  double slowest = 0;
  double updates_per_second = 0;  ///< cells * steps / median
  Ceilings ceilings;
  /// bytes that one step reads and writes per cell without temporal blocking
  std::size_t bytes_a_cell = 0;
};

/// Measures the speed of one case on the shape of `of`: the equation of `of.config`, or, if there
/// is no config, diffusion of random data with the largest stable coefficient. Each repeat takes
/// `steps` steps, or if `steps` is 0 as many as take about a fifth of a second, but fewer if the
/// state would not stay finite. `coefficients` as in make_problem.
/// Collective; a repeat ends when the last rank has taken its steps. Throws NumericalError if the
/// state is not finite after one step or the results differ from those of another engine, and what
/// make_backend throws.
template <class T>
BenchmarkResult benchmark(const BenchmarkCase& of, const CoefficientFields& coefficients,
                          std::int64_t steps, int repeats, Ranks& ranks);

/// The measured time of a filter.
struct FilterBenchmark {
  std::string device;
  std::string method;
  /// number of cells that were compared with a sum computed directly in float64
  std::int64_t verified_cells = 0;
  double seconds = 0;  ///< median of the repeats, filtering alone
  double fastest = 0;
  double slowest = 0;
};

/// Measures one filter on random data of this shape on `backend`, "cpu" or "cuda". Throws
/// NumericalError if a result differs from the directly computed sum by more than rounding, and
/// what make_frame_filter throws.
template <class T>
FilterBenchmark benchmark_filter(const std::string& backend, const FilterConfig& filter,
                                 Shape shape, int repeats, int threads);

}  // namespace lapl
