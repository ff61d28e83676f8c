// Compiled once for each instruction set. Nothing here may be shared with code compiled for
// another one, so every function is in an anonymous namespace or always inlined.
#include "kernels/cpu/rows.hpp"

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/diffusion.hpp"
#include "kernels/digest.hpp"
#include "kernels/elementary_rows.hpp"

namespace lapl {
namespace {

// Applies `of(left, right, up, down, centre)` along a row. The ends are peeled off, so that the
// loop between them has no branch and vectorises.
template <class T, class Function>
inline __attribute__((always_inline)) void along_row(const T* __restrict up,
                                                     const T* __restrict centre,
                                                     const T* __restrict down, T left, T right,
                                                     T* __restrict out, std::int64_t count,
                                                     Function of) {
  const std::int64_t last = count - 1;
  out[0] = of(left, last > 0 ? centre[1] : right, up[0], down[0], centre[0]);
#pragma omp simd
  for (std::int64_t i = 1; i < last; ++i)
    out[i] = of(centre[i - 1], centre[i + 1], up[i], down[i], centre[i]);
  if (last > 0) out[last] = of(centre[last - 1], right, up[last], down[last], centre[last]);
}

template <class Stage, class T>
void step_row(const T* up, const T* centre, const T* down, T left, T right, T* out,
              std::int64_t count, const Stage& stage) {
  along_row(up, centre, down, left, right, out, count, Stage(stage));
}

template <class T>
void laplacian_row(const T* up, const T* centre, const T* down, T left, T right, T* out,
                   std::int64_t count, T spacing_squared) {
  along_row(
      up, centre, down, left, right, out, count,
      [spacing_squared](T west, T east, T north, T south, T value) __attribute__((always_inline)) {
        return laplacian(neighbour_difference(west, east, north, south, value), spacing_squared);
      });
}

template <class T>
void operate(Operation operation, const T* a, const T* b, const T* c, T* __restrict out,
             std::int64_t count) {
  with_operation<T>(
      operation, [=](auto of) __attribute__((always_inline)) {
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) out[i] = of(a[i], b[i], c[i]);
      });
}

template <class T>
std::uint64_t digest(const T* values, std::int64_t first, std::int64_t count, bool& all_finite) {
  std::uint64_t sum = 0;
  bool finite = true;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += digest_term(static_cast<std::uint64_t>(first + i), values[i]);
    finite &= values[i] - values[i] == T(0);
  }
  all_finite = all_finite && finite;
  return sum;
}

template <class T>
T arithmetic(std::int64_t count, T seed) {
  constexpr int cells = RowLoops<T>::arithmetic_cells;
  const DiffusionStage<T> stage{seed};
  T value[cells];
  for (int i = 0; i < cells; ++i) value[i] = seed * static_cast<T>(i);
  for (std::int64_t n = 0; n < count; ++n) {
#pragma GCC unroll 64
    for (int i = 0; i < cells; ++i) value[i] = stage(seed, value[i], value[i], seed, value[i]);
  }
  T sum = 0;
  for (int i = 0; i < cells; ++i) sum += value[i];
  return sum;
}

#define LAPL_TEXT_OF(name) #name
#define LAPL_TEXT(name) LAPL_TEXT_OF(name)

template <class T>
constexpr RowLoops<T> table = {LAPL_TEXT(LAPL_INSTRUCTION_SET),
                               step_row<DiffusionStage<T>, T>,
                               laplacian_row<T>,
                               operate<T>,
                               arithmetic<T>,
                               digest<T>};

}  // namespace

template <>
const RowLoops<float> Compiled<RowLoops<float>, LAPL_INSTRUCTION_SET>::loops = table<float>;
template <>
const RowLoops<double> Compiled<RowLoops<double>, LAPL_INSTRUCTION_SET>::loops = table<double>;

}  // namespace lapl
