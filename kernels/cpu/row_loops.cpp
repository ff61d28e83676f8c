// The loops of row_loops.hpp, compiled once for each instruction set. The linker must not merge
// functions of different sets, so every function is in an anonymous namespace or always inlined.
#include "kernels/cpu/row_loops.hpp"

#include <bit>
#include <limits>
#include <type_traits>

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/lanes.hpp"
#include "kernels/fields/digest.hpp"
#include "kernels/stages/diffusion.hpp"

namespace lapl {
namespace {

/// A vector with the lanes of `a` from lane Shift on, then the first lanes of `b`.
template <int Shift, class T, int... J>
LAPL_INLINE Lanes<T> window(Lanes<T> a, Lanes<T> b, std::integer_sequence<int, J...>) {
  return __builtin_shufflevector(a.value, b.value, (J + Shift)...);
}

// The vectors of a row, each with the vectors that start one cell before and after it. With AVX-512
// they are combined in registers, because a load across a cache line takes twice as long. Otherwise
// they are loaded, because AVX2 needs two instructions for the combination.
template <class T>
class RowLanes {
 public:
  RowLanes() = default;
  LAPL_INLINE explicit RowLanes(const T* row) : row_(row) {
    if constexpr (in_registers) here_ = at(-n), after_ = at(0);
  }

  /// Must be called for i = 0, n, 2 n ... in order.
  LAPL_INLINE void go_to(long i) {
    if constexpr (in_registers) {
      before_ = here_, here_ = after_, after_ = at(i + n);
    } else {
      before_ = at(i - 1), here_ = at(i), after_ = at(i + 1);
    }
  }
  LAPL_INLINE Lanes<T> left() const {
    if constexpr (in_registers) return window<n - 1>(before_, here_, lanes);
    return before_;
  }
  LAPL_INLINE Lanes<T> right() const {
    if constexpr (in_registers) return window<1>(here_, after_, lanes);
    return after_;
  }
  LAPL_INLINE Lanes<T> here() const { return here_; }

 private:
  static constexpr int n = Lanes<T>::count;
  static constexpr bool in_registers = vector_bytes == 64;
  static constexpr auto lanes = std::make_integer_sequence<int, n>();

  LAPL_INLINE Lanes<T> at(long i) const { return Lanes<T>::load_unaligned(row_ + i); }

  const T* row_;
  Lanes<T> before_, here_, after_;
};

// Steps several consecutive rows of diffusion on three axes; each row stays in registers for the
// rows above and below it.
template <int Rows, bool Streamed, class T>
LAPL_INLINE void some_rows(const DiffusionRows<T>& of, long first, long count) {
  constexpr int n = Lanes<T>::count;
  const DiffusionStage<T> stage{of.coefficient};
  const DiffusionStage<Lanes<T>> stage_of_lanes{Lanes<T>(of.coefficient)};
  const auto at = [](const T* row, long i) __attribute__((always_inline)) {
    return Lanes<T>::load_unaligned(row + i);
  };
  const auto put = [](Lanes<T> values, T * goal) __attribute__((always_inline)) {
    if constexpr (Streamed)
      values.stream(goal);
    else
      values.store_unaligned(goal);
  };
  const T* const up = of.lines[1] + first * of.step;
  const T* const down = of.lines[2] + (first + Rows - 1) * of.step;
  const T *centre[Rows], *front[Rows], *back[Rows];
  T* to[Rows];
  RowLanes<T> rows[Rows];
#pragma GCC unroll 2
  for (int k = 0; k < Rows; ++k) {
    const long lines = (first + k) * of.step;
    centre[k] = of.lines[0] + lines, front[k] = of.lines[3] + lines, back[k] = of.lines[4] + lines;
    to[k] = of.out + (first + k) * of.out_step;
    rows[k] = RowLanes<T>(centre[k]);
  }
  long i = 0;
  for (; i + n <= count; i += n) {
#pragma GCC unroll 2
    for (int k = 0; k < Rows; ++k) rows[k].go_to(i);
#pragma GCC unroll 2
    for (int k = 0; k < Rows; ++k)
      put(stage_of_lanes(rows[k].left(), rows[k].right(), k > 0 ? rows[k - 1].here() : at(up, i),
                         k + 1 < Rows ? rows[k + 1].here() : at(down, i), at(front[k], i),
                         at(back[k], i), rows[k].here()),
          to[k] + i);
  }
  for (; i < count; ++i)
    for (int k = 0; k < Rows; ++k)
      to[k][i] =
          stage(centre[k][i - 1], centre[k][i + 1], k > 0 ? centre[k - 1][i] : up[i],
                k + 1 < Rows ? centre[k + 1][i] : down[i], front[k][i], back[k][i], centre[k][i]);
}

template <bool Streamed, class T>
void diffusion_rows(const DiffusionRows<T>& of, long rows, long count) {
  long row = 0;
  for (; row + 2 <= rows; row += 2) some_rows<2, Streamed>(of, row, count);
  if (row < rows) some_rows<1, Streamed>(of, row, count);
}

template <class T>
void stream_diffusion_rows(const DiffusionRows<T>& of, long rows, long count) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(of.out) % vector_bytes == 0 &&
                       of.out_step * static_cast<long>(sizeof(T)) % vector_bytes == 0;
  (aligned ? diffusion_rows<true, T> : diffusion_rows<false, T>)(of, rows, count);
}

template <class T>
void diffusion_row(const T* const* lines, const T* uniforms, T* const* out, long count) {
  some_rows<1, false, T>({lines, 0, uniforms[0], out[0], 0}, 0, count);
}

template <class T>
void copy_row(const T* from, T* to, std::int64_t count) {
  copy(from, to, count);
}

template <class T>
void operate(Operation operation, const T* a, const T* b, const T* c, T* __restrict out,
             std::int64_t count) {
  bool done = false;
  with_quick_operation<T>(
      operation, [&](auto of, auto suits) __attribute__((always_inline)) {
        int unsuited = 0;
        for (std::int64_t i = 0; i < count; ++i) unsuited |= suits(a[i], b[i], c[i]) ? 0 : 1;
        if (unsuited != 0) return;
        done = true;
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) out[i] = of(a[i], b[i], c[i]);
      });
  if (done) return;
  with_operation<T>(
      operation, [=](auto of) __attribute__((always_inline)) {
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) out[i] = of(a[i], b[i], c[i]);
      });
}

template <class T>
void draw(const std::uint64_t* cells, const DrawWords& of, T* __restrict out, std::int64_t count) {
  const DrawWords words = of;
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] = draw_in_cell<T>(cells[i], words);
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

// Compares bits without the sign as integers, which have the order of the magnitudes; NaNs come
// last.
template <class T>
T largest(const T* values, std::int64_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  Bits most = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Bits bits = std::bit_cast<Bits>(values[i]) & std::numeric_limits<Bits>::max();
    most = bits > most ? bits : most;
  }
  return std::bit_cast<T>(most);
}

// Calls `use(index, inside)` for each of `count` cells; `inside` is false where the mask is 0.
template <class T, class Use>
__attribute__((always_inline)) inline void for_cells_inside(const T* mask, std::int64_t count,
                                                            const Use& use) {
  if (mask == nullptr)
    for (std::int64_t i = 0; i < count; ++i) use(i, true);
  else
    for (std::int64_t i = 0; i < count; ++i) use(i, mask[i] != T(0));
}

// Compares the numbers as signed integers of the same order; NaNs lie beyond the infinities.
template <class T>
GridExtremes extremes(const T* values, const T* mask, std::int64_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  constexpr Bits all_but_sign = std::numeric_limits<Bits>::max();
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr auto ordered = [](Bits bits) { return bits ^ (bits < 0 ? all_but_sign : Bits(0)); };
  constexpr Bits none_least = std::bit_cast<Bits>(infinity);
  constexpr Bits none_most = ordered(std::bit_cast<Bits>(-infinity));
  Bits least = none_least, most = none_most;
  for_cells_inside(
      mask, count, [&](std::int64_t i, bool inside) __attribute__((always_inline)) {
        const Bits bits = ordered(std::bit_cast<Bits>(values[i]));
        const Bits low = inside ? bits : none_least, high = inside ? bits : none_most;
        least = low < least ? low : least;
        most = high > most ? high : most;
      });
  if (least < none_most || most > none_least) return {.has_nan = true};
  return {std::bit_cast<T>(ordered(least)), std::bit_cast<T>(ordered(most))};
}

template <class T>
PartialSum sum_of_units(const T* values, const T* mask, std::int64_t count,
                        const std::array<double, 2>& units) {
  const double first = units[0], second = units[1];
  PartialSum sum;
  for_cells_inside(
      mask, count, [&](std::int64_t i, bool inside) __attribute__((always_inline)) {
        const double value = inside ? static_cast<double>(values[i]) : 0;
        const auto whole = static_cast<std::int64_t>(value * first * second);
        sum.high += whole >> 32;
        sum.low += whole & 0xffffffff;
        sum.cells += inside ? 1 : 0;
      });
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
                               diffusion_row<T>,
                               diffusion_rows<false, T>,
                               stream_diffusion_rows<T>,
                               copy_row<T>,
                               operate<T>,
                               draw<T>,
                               arithmetic<T>,
                               digest<T>,
                               largest<T>,
                               extremes<T>,
                               sum_of_units<T>};

}  // namespace

template <>
const RowLoops<float> Compiled<RowLoops<float>, LAPL_INSTRUCTION_SET>::loops = table<float>;
template <>
const RowLoops<double> Compiled<RowLoops<double>, LAPL_INSTRUCTION_SET>::loops = table<double>;

}  // namespace lapl
