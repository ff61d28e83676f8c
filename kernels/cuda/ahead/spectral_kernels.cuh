// Kernels of engine "spectral": from lines in memory to transforms of pairs of lines, and back.
//
//   pack values -> forward transform -> compute_modes
//   pack modes -> backward transform -> store_values
//
// Along columns, neighbouring threads read neighbouring values of a line. Along a slower axis a
// warp reads 4 values of 8 pairs of neighbouring lines: rows of 128 bytes, and 64 bytes of a
// transform. Each thread uses at most 76 registers (compute_modes with StepModes); no shared
// memory, no barrier.
#pragma once

#include "kernels/cuda/ahead/spectral_lines.hpp"

namespace lapl {
namespace {

constexpr int block_threads = 256;

// The lines along an axis in memory: their number and the distance between values of one line.
struct Lines {
  std::int64_t count, stride;
  // `side_by_side` lines start at neighbouring values; the next group starts `apart` values later.
  std::int64_t side_by_side, apart;

  __device__ __forceinline__ std::int64_t start(std::int64_t line) const {
    return side_by_side == 1 ? line * apart : line / side_by_side * apart + line % side_by_side;
  }
};

// Pairs of lines that are transformed together: lines first_line, first_line + 1, ...
struct Batch {
  SpectralLine line;
  std::int64_t first_line, pairs;
  int pairs_a_block;
};

// Two lines in memory; if the second is missing, it reads as 0.
template <class T>
struct TwoLines {
  T* x = nullptr;
  T* y = nullptr;
  std::int64_t stride = 1;

  __device__ __forceinline__ TwoLines(T* values, const Lines& lines, std::int64_t line)
      : stride(lines.stride) {
    if (line < lines.count) x = values + lines.start(line);
    if (line + 1 < lines.count) y = values + lines.start(line + 1);
  }
  __device__ __forceinline__ LinePair operator()(std::int64_t i) const {
    return {x == nullptr ? 0 : static_cast<double>(x[i * stride]),
            y == nullptr ? 0 : static_cast<double>(y[i * stride])};
  }
  __device__ __forceinline__ void set(std::int64_t i, const LinePair& value) const {
    if (x != nullptr) x[i * stride] = static_cast<T>(value.x);
    if (y != nullptr) y[i * stride] = static_cast<T>(value.y);
  }
};

// The pair of lines of this thread in a batch, and its positions along them.
struct Places {
  std::int64_t pair, first, step;

  __device__ __forceinline__ explicit Places(const Batch& batch)
      : pair(std::int64_t{blockIdx.x} * batch.pairs_a_block + threadIdx.x % batch.pairs_a_block),
        first((std::int64_t{blockIdx.y} * block_threads + threadIdx.x) / batch.pairs_a_block),
        step(std::int64_t{gridDim.y} * (block_threads / batch.pairs_a_block)) {}
};

enum class Packs : std::uint8_t { values, modes };

template <Packs packs, class T>
__global__ void __launch_bounds__(block_threads)
    pack(const __grid_constant__ Batch batch, const T* values, const __grid_constant__ Lines lines,
         LinePair* transforms) {
  const Places at(batch);
  if (at.pair >= batch.pairs) return;
  const TwoLines<const T> from(values, lines, batch.first_line + 2 * at.pair);
  const std::int64_t length = batch.line.length();
  for (std::int64_t j = at.first; j < length; j += at.step)
    transforms[at.pair * length + j] =
        packs == Packs::modes ? batch.line.spectrum(j, from) : batch.line.input(j, from);
}

// make(line, index, value) returns the value that is stored.
template <class T, class Make>
__global__ void __launch_bounds__(block_threads)
    store_values(const __grid_constant__ Batch batch, const LinePair* transforms, T* values,
                 const __grid_constant__ Lines lines, const __grid_constant__ Make make) {
  const Places at(batch);
  if (at.pair >= batch.pairs) return;
  const std::int64_t line = batch.first_line + 2 * at.pair;
  const TwoLines<T> to(values, lines, line);
  const LinePair* const made = transforms + at.pair * batch.line.length();
  for (std::int64_t i = at.first; i < batch.line.modes.size; i += at.step) {
    LinePair value = batch.line.output(i, [&](std::int64_t j) { return made[j]; });
    if (to.x != nullptr) value.x = make(line, i, value.x);
    if (to.y != nullptr) value.y = make(line + 1, i, value.y);
    to.set(i, value);
  }
}

struct Term {
  double weight;
  int turns[3];
};

// Computes each mode after all steps; `line` counts this rank's lines along the slowest axis of the
// grid. The distance of a term, (product over axes of cos(turns * theta)) - 1, is computed axis by
// axis: each axis changes it to (1 + distance) * (1 + more) - 1.
struct StepModes {
  ModeSteps steps;
  double scale, of_mean;
  const Term* terms;
  int term_count, slowest;
  std::int64_t sizes[3];  // of the grid
  std::int64_t first_line, lines;
  const double* distances[3];  // of each axis, at turns * size of the axis + mode
  const double* source;        // modes of the source; null without a source

  __device__ double operator()(std::int64_t line, std::int64_t mode, double value) const {
    const std::int64_t in_grid = first_line + line;
    const std::int64_t row = slowest == 0 ? in_grid / sizes[2] : 0;
    std::int64_t at[3] = {mode, row, in_grid - row * sizes[2]};
    if (slowest == 1) at[1] = mode;
    if (slowest == 2) at[2] = mode;
    double rate = of_mean;
    for (int i = 0; i < term_count; ++i) {
      double distance = 0;
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        if (terms[i].turns[axis] == 0) continue;
        const double more = distances[axis][terms[i].turns[axis] * sizes[axis] + at[axis]];
        distance += more + distance * more;
      }
      rate += terms[i].weight * distance;
    }
    return scale * steps.of(value, rate, source == nullptr ? 0 : source[mode * lines + line]);
  }
};

template <class Make>
__global__ void __launch_bounds__(block_threads)
    compute_modes(const __grid_constant__ Batch batch, const LinePair* transforms, double* modes,
                  const __grid_constant__ Lines lines, const __grid_constant__ Make make) {
  const Places at(batch);
  if (at.pair >= batch.pairs) return;
  const std::int64_t line = batch.first_line + 2 * at.pair;
  const TwoLines<double> to(modes, lines, line);
  const LinePair* const made = transforms + at.pair * batch.line.length();
  for (std::int64_t p = at.first; p < batch.line.modes.size; p += at.step) {
    LinePair mode = batch.line.mode(p, [&](std::int64_t k) { return made[k]; });
    if (to.x != nullptr) mode.x = make(line, p, mode.x);
    if (to.y != nullptr) mode.y = make(line + 1, p, mode.y);
    to.set(p, mode);
  }
}

}  // namespace
}  // namespace lapl
