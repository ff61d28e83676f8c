#include "benchmarks/plain_loop.hpp"

#include <cmath>
#include <utility>

namespace lapl {
namespace {

template <class T>
void steps_of(T* field, T* next, std::int64_t rows, std::int64_t columns, T c, std::int64_t steps) {
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma omp parallel for
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::int64_t i = row * columns + column;
        const T up = row > 0 ? field[i - columns] : T(0);
        const T down = row < rows - 1 ? field[i + columns] : T(0);
        const T left = column > 0 ? field[i - 1] : T(0);
        const T right = column < columns - 1 ? field[i + 1] : T(0);
        const T sum = (left + right) + (up + down);
        next[i] = std::fma(c, std::fma(T(-4), field[i], sum), field[i]);
      }
    std::swap(field, next);
  }
}

}  // namespace

void plain_steps(float* field, float* next, std::int64_t rows, std::int64_t columns, float c,
                 std::int64_t steps) {
  steps_of(field, next, rows, columns, c, steps);
}
void plain_steps(double* field, double* next, std::int64_t rows, std::int64_t columns, double c,
                 std::int64_t steps) {
  steps_of(field, next, rows, columns, c, steps);
}

}  // namespace lapl
