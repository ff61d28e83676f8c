// Kernels that read the state on the device: they copy it, compute its digest and reduce it.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/derived.hpp"
#include "kernels/fields/found_value.hpp"
#include "kernels/grid/part.hpp"
#include "kernels/stages/grid_reduction.hpp"

namespace lapl {

/// Index of a cell, or not_found. The device's atomics need `unsigned long long`.
using CellIndex = unsigned long long;
inline constexpr CellIndex not_found = ~CellIndex{0};

inline std::optional<std::int64_t> found(CellIndex index) {
  return index == not_found ? std::nullopt : std::optional(static_cast<std::int64_t>(index));
}

struct Observation {
  unsigned long long digest = 0;
  CellIndex first_not_finite = not_found;
};

/// Copies the state to `field`, rows * columns values without padding, and writes its digest and
/// the index of its first value that is not finite to `result`. With a `part`, only the cells that
/// the rank owns count, with their indices in the whole grid.
template <class T>
void observe(const T* state, const FieldLayout& layout, const std::optional<Part>& part, T* field,
             Observation* result, cudaStream_t stream);

struct MagnitudeBits {
  unsigned long long largest;  ///< the largest magnitude, as magnitude_bits
  CellIndex first;             ///< the first cell whose magnitude reaches the bound
};
inline constexpr MagnitudeBits no_magnitudes{0, not_found};
/// The result so far of the blocks of reduce_magnitudes(), in device memory.
struct SharedMagnitudes {
  MagnitudeBits bits = no_magnitudes;
  unsigned blocks = 0;  ///< number of blocks that are done
};
/// The result of reduce_magnitudes() in page-locked host memory.
template <class T>
struct FoundMagnitudes {
  MagnitudeBits bits = no_magnitudes;
  T around[most_neighbours] = {};  ///< the values around cell `first`, as in FoundValue
};

/// Backend::reduce of `count` arrays of this `shape`, one after the other. `on_device` must be as
/// made before the first call, and is so after each. With a `part`, only own cells count, as in
/// observe(), and the values around the first are not copied, because they may belong to another
/// rank.
template <class T>
void reduce_magnitudes(const T* values, int count, Shape shape, std::int64_t pitch,
                       const std::optional<Part>& part, double bound, SharedMagnitudes* on_device,
                       FoundMagnitudes<T>* on_host, cudaStream_t stream);

/// The results of extremes_of_cells() and sum_of_cells(), in device memory.
struct ReductionBits {
  unsigned long long least, most;  ///< the extremes, as ordered_bits
  unsigned long long sum[5];       ///< the sum, as GridSum::parts
};

/// The extremes of an array on the device, and its sum in units of 2^(exponent - 62), over the
/// cells where `mask` is not 0; without a mask over all. `layout` is that of one array. With a
/// `part` only own cells count. Both functions wait for the device.
template <class T>
GridExtremes extremes_of_cells(const T* values, const T* mask, const FieldLayout& layout,
                               const std::optional<Part>& part, ReductionBits* result,
                               cudaStream_t stream);
template <class T>
GridSum sum_of_cells(const T* values, const T* mask, int exponent, const FieldLayout& layout,
                     const std::optional<Part>& part, ReductionBits* result, cudaStream_t stream);

/// Returns an error if this build has no machine code that the device can run.
cudaError_t probe_device_code();

}  // namespace lapl
