// Measuring an engine honestly: first the bits, then a warm-up, then repeats and their median.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/backend.hpp"

namespace lapl {

struct BenchmarkCase {
  std::string backend;
  std::string engine;  ///< a name, not auto
  Shape shape;
  Boundaries boundaries;
  int threads = 0;  ///< CPU threads; 0: as many as pay
};

struct BenchmarkResult {
  BackendDescription description;
  std::int64_t verified_steps = 0;  ///< after which the bits equalled the reference engine's
  std::int64_t steps = 0;           ///< of each timed repeat
  int repeats = 0;
  double seconds = 0;  ///< median of the repeats, stepping alone
  double fastest = 0;  ///< seconds of the fastest repeat
  double slowest = 0;
  double updates_per_second = 0;  ///< cells * steps / median
  Ceilings ceilings;
};

/// Measures one case on random data with coefficient 1/4. `steps` of 0: as many as take about a
/// fifth of a second. Throws NumericalError where the engine's bits differ from the reference
/// engine's, and what make_backend throws.
template <class T>
BenchmarkResult benchmark(const BenchmarkCase& of, std::int64_t steps, int repeats);

}  // namespace lapl
