// The inner loops of the CPU filters, compiled once for each instruction set. The linker must not
// merge functions of different sets, so every function is in an anonymous namespace or always
// inlined. AVX-512:
//
//   registers            6 rows x 4 vectors of sums, 4 vectors of input, 1 weight
//   loads for 24 fma     4 loads (8 if they cross cache lines), 6 broadcasts
//
// so that the two arithmetic units limit the speed, not the two load units.
#include "kernels/filters/cpu/filter_loops.hpp"

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/lanes.hpp"

namespace lapl {
namespace {

#if defined(__AVX512F__)
constexpr int block_rows = 6, block_vectors = 4, row_vectors = 8;  // fits 32 registers
#elif defined(__AVX__)
constexpr int block_rows = 4, block_vectors = 2, row_vectors = 4;  // fits 16 registers
#else
constexpr int block_rows = 2, block_vectors = 2, row_vectors = 4;
#endif

/// Prefetches the rows that the next block below reads and writes. A block's parts of rows are too
/// short for the processor's own prefetcher to detect a stream.
template <int R, int C, class T>
LAPL_INLINE void prefetch_next(const FilterTerms<T>& terms, const T* const* in, T* const* out,
                               std::int64_t at) {
  // Integers, because a pointer must not leave its array: the next block may be outside the field.
  const auto address = [at](const T* row, std::int64_t next) __attribute__((always_inline)) {
    return reinterpret_cast<std::uintptr_t>(row) +
           static_cast<std::uintptr_t>(at + next) * sizeof(T);
  };
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    const std::uintptr_t from = address(in[terms.window_rows - 1 + r], terms.next_in);
    const std::uintptr_t to = address(out[r], terms.next_out);
#pragma GCC unroll 8
    for (unsigned byte = 0; byte < C * vector_bytes; byte += 64) {
      __builtin_prefetch(reinterpret_cast<const void*>(from + byte), 0, 2);
      __builtin_prefetch(reinterpret_cast<const void*>(to + byte), 1, 2);
    }
  }
}

/// Computes R rows x C vectors of outputs, from column `at` on.
template <int R, int C, class T>
LAPL_INLINE void run_block(const FilterTerms<T>& terms, const T* const* in, T* const* out,
                           std::int64_t at) {
  using V = Lanes<T>;
  constexpr int n = V::count;
  constexpr unsigned all = (1u << R) - 1;
  V sum[R][C];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) sum[r][c] = V(terms.start);

  const std::int64_t columns = terms.columns, pitch = terms.window_rows + 2 * (R - 1);
  const std::uint8_t* outputs = terms.outputs;
  for (std::int64_t p = 0; p < terms.window_rows + R - 1; ++p) {
    const T* row = in[p] + at;
    const T* weight = terms.weights + p + R - 1;
    for (std::int64_t b = 0; b < columns; ++b, ++row, weight += pitch) {
      const unsigned these = *outputs++;
      if (these == 0) continue;
      V value[C];
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) value[c] = V::load_unaligned(row + c * n);
      const auto add = [&](int r) __attribute__((always_inline)) {
        const V factor(weight[-r]);
#pragma GCC unroll 8
        for (int c = 0; c < C; ++c) sum[r][c] = fused_multiply_add(factor, value[c], sum[r][c]);
      };
      if (these == all) {
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) add(r);
      } else {
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r)
          if (these >> r & 1) add(r);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) sum[r][c].store_unaligned(out[r] + at + c * n);
}

// Computes `width` columns in blocks. The last block overlaps the one before it, and computes some
// columns again, with the same result.
template <int R, int C, class T>
void run(const FilterTerms<T>& terms, const T* const* in, T* const* out, std::int64_t width) {
  constexpr std::int64_t n = Lanes<T>::count;
  if (width < C * n) {
    for (std::int64_t at = 0; at < width; at += n)
      run_block<R, 1>(terms, in, out, std::min(at, width - n));
    return;
  }
  for (std::int64_t at = 0; at < width; at += C * n) {
    const std::int64_t start = std::min(at, width - C * n);
    if (terms.next_in != 0) prefetch_next<R, C>(terms, in, out, start);
    run_block<R, C>(terms, in, out, start);
  }
}

#define LAPL_TEXT_OF(name) #name
#define LAPL_TEXT(name) LAPL_TEXT_OF(name)

template <class T>
constexpr FilterLoops<T> table = {LAPL_TEXT(LAPL_INSTRUCTION_SET), Lanes<T>::count, block_rows,
                                  run<block_rows, block_vectors, T>, run<1, row_vectors, T>};

}  // namespace

template <>
const FilterLoops<float> Compiled<FilterLoops<float>, LAPL_INSTRUCTION_SET>::loops = table<float>;
template <>
const FilterLoops<double> Compiled<FilterLoops<double>, LAPL_INSTRUCTION_SET>::loops =
    table<double>;

}  // namespace lapl
