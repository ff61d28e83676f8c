#include "kernels/ceilings.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/row_loops.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/machine/host_buffer.hpp"

namespace lapl {
namespace {

template <class Call>
double fastest(Call call) {
  double least = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count());
  }
  return least;
}

// Bytes per second, read plus written, while arrays far larger than the caches are copied. Measured
// once for each number of threads.
double copy_bandwidth(int threads) {
  static std::map<int, double> measured;
  double& bandwidth = measured[threads];
  if (bandwidth > 0) return bandwidth;
  constexpr std::int64_t size = std::int64_t{1} << 28;
  const HostBuffer<char> from(size, threads);
  HostBuffer<char> to(size, threads);
  bandwidth = 2.0 * size / fastest([&] {
#pragma omp parallel num_threads(threads)
                {
                  const std::int64_t part = size / omp_get_num_threads();
                  std::copy_n(from.data() + omp_get_thread_num() * part, part,
                              to.data() + omp_get_thread_num() * part);
                }
              });
  return bandwidth;
}

// Cell updates per second of all threads together, on values in registers.
template <class T>
double arithmetic_rate(int threads) {
  constexpr std::int64_t count = 200000;
  T sum = 0;  // keeps the compiler from dropping the calls
  const double seconds = fastest([&] {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += widest<RowLoops<T>>().arithmetic(count, static_cast<T>(1e-3));
  });
  return static_cast<double>(count) * RowLoops<T>::arithmetic_cells * threads / seconds;
}

}  // namespace

template <class T>
Ceilings host_ceilings(int threads) {
  return {.copy_bytes_per_second = copy_bandwidth(threads),
          .updates_per_second = arithmetic_rate<T>(threads)};
}
LAPL_FOR_FLOATS(host_ceilings);

}  // namespace lapl
