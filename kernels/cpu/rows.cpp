// Compiled once for each instruction set. Nothing here may be shared with code compiled for
// another one, so every function is in an anonymous namespace or always inlined.
#include "kernels/cpu/rows.hpp"

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/lanes.hpp"
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

/// Lanes Shift ... of a vector and of the one after it.
template <int Shift, class T, int... J>
LAPL_INLINE Lanes<T> window(Lanes<T> a, Lanes<T> b, std::integer_sequence<int, J...>) {
  return __builtin_shufflevector(a.value, b.value, (J + Shift)...);
}

// The neighbours in the row are made of vectors that are in registers: loads across cache lines
// take twice as long.
template <class T>
void diffusion_row(const T* const* lines, const T* uniforms, T* const* out, long count) {
  constexpr int n = Lanes<T>::count;
  constexpr auto lanes = std::make_integer_sequence<int, n>();
  const DiffusionStage<T> stage{uniforms[1]};
  const DiffusionStage<Lanes<T>> stage_of_lanes{Lanes<T>(uniforms[1])};
  const T *const centre = lines[0], *const up = lines[1], *const down = lines[2];
  const T *const front = lines[3], *const back = lines[4];
  T* const to = out[0];
  Lanes<T> before = Lanes<T>::load_unaligned(centre - n), here = Lanes<T>::load_unaligned(centre);
  long i = 0;
  for (; i + n <= count; i += n) {
    const Lanes<T> after = Lanes<T>::load_unaligned(centre + i + n);
    stage_of_lanes(window<n - 1>(before, here, lanes), window<1>(here, after, lanes),
                   Lanes<T>::load_unaligned(up + i), Lanes<T>::load_unaligned(down + i),
                   Lanes<T>::load_unaligned(front + i), Lanes<T>::load_unaligned(back + i), here)
        .store_unaligned(to + i);
    before = here;
    here = after;
  }
  for (; i < count; ++i)
    to[i] = stage(centre[i - 1], centre[i + 1], up[i], down[i], front[i], back[i], centre[i]);
}

template <class T>
void copy_row(const T* from, T* to, std::int64_t count) {
  copy(from, to, count);
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
                               diffusion_row<T>,
                               copy_row<T>,
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
