#include "benchmarks/plain_loop.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace lapl {
namespace {

template <class T>
void plane_steps(T* field, T* next, Shape shape, T c, std::int64_t steps) {
  const std::int64_t rows = shape.rows, columns = shape.columns;
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

// The ends of a row are separate, and zeros replace the rows beyond the grid, so that the compiler
// vectorises the loop.
template <class T>
void volume_steps(T* field, T* next, Shape shape, T c, std::int64_t steps) {
  const std::int64_t planes = shape.planes, rows = shape.rows, columns = shape.columns;
  const std::vector<T> zeros(static_cast<std::size_t>(columns));
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma omp parallel for
    for (std::int64_t plane = 0; plane < planes; ++plane)
      for (std::int64_t row = 0; row < rows; ++row) {
        const T* const u = field + (plane * rows + row) * columns;
        const T* const up = row > 0 ? u - columns : zeros.data();
        const T* const down = row < rows - 1 ? u + columns : zeros.data();
        const T* const front = plane > 0 ? u - rows * columns : zeros.data();
        const T* const back = plane < planes - 1 ? u + rows * columns : zeros.data();
        T* const to = next + (u - field);
        const auto update = [&](std::int64_t i, T left, T right) {
          const T within = std::fma(T(-4), u[i], (left + right) + (up[i] + down[i]));
          return std::fma(c, within + std::fma(T(-2), u[i], front[i] + back[i]), u[i]);
        };
        to[0] = update(0, 0, columns > 1 ? u[1] : T(0));
#pragma omp simd
        for (std::int64_t i = 1; i < columns - 1; ++i) to[i] = update(i, u[i - 1], u[i + 1]);
        if (columns > 1) to[columns - 1] = update(columns - 1, u[columns - 2], 0);
      }
    std::swap(field, next);
  }
}

template <class T>
void run_plain_steps(T* field, T* next, Shape shape, T c, std::int64_t steps) {
  (shape.axes == 3 ? volume_steps<T> : plane_steps<T>)(field, next, shape, c, steps);
}

}  // namespace

void plain_steps(float* field, float* next, Shape shape, float c, std::int64_t steps) {
  run_plain_steps(field, next, shape, c, steps);
}
void plain_steps(double* field, double* next, Shape shape, double c, std::int64_t steps) {
  run_plain_steps(field, next, shape, c, steps);
}

}  // namespace lapl
