// Kernels that read the state on the device: copy it, compute its digest, find values that are not
// finite.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/derived.hpp"
#include "kernels/fields/not_finite.hpp"
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

/// The result of find_not_finite(), in device memory.
template <class T>
struct FiniteCheck {
  CellIndex first = not_found;
  T around[most_neighbours] = {};  ///< the values around cell `first`, as in NotFinite

  std::optional<NotFinite<T>> result() const {
    if (first == not_found) return std::nullopt;
    NotFinite<T> result{.index = static_cast<std::int64_t>(first)};
    std::ranges::copy(around, result.around.begin());
    return result;
  }
};

/// Finds the first value of the state that is not finite, and copies the values around it. `shape`
/// is the shape of one field. With a `part`, only own cells count, as in observe(), and the values
/// around are not copied because they may belong to another rank.
template <class T>
void find_not_finite(const T* state, const FieldLayout& layout, const std::optional<Part>& part,
                     Shape shape, FiniteCheck<T>* check, cudaStream_t stream);

/// The result of find_step_error(), in device memory.
struct StepErrorBits {
  unsigned long long largest = 0;  ///< bits of the largest error as float64; NaNs are larger
  CellIndex cell = not_found;      ///< the first cell that has it
};
enum class Error : unsigned char { largest, cell };

/// Finds the largest of a step's errors, of which none is negative, or, once that is known, its
/// first cell. `layout` is that of one field. With a `part` only own cells count.
template <class T>
void find_step_error(Error what, const T* errors, const FieldLayout& layout,
                     const std::optional<Part>& part, StepErrorBits* result, cudaStream_t stream);

/// The results of extremes_of_cells() and sum_of_cells(), in device memory.
struct ReductionBits {
  unsigned long long least, most;  ///< ordered_bits
  unsigned long long sum[5];       ///< GridSum::parts
};

/// The extremes of an array on the device, and its sum in units of 2^(exponent - 62), over the
/// cells where `mask` is not 0; without a mask over all. `layout` is that of one array. With a
/// `part` only own cells count. They wait for the device.
template <class T>
GridExtremes extremes_of_cells(const T* values, const T* mask, const FieldLayout& layout,
                               const std::optional<Part>& part, ReductionBits* result,
                               cudaStream_t stream);
template <class T>
GridSum sum_of_cells(const T* values, const T* mask, int exponent, const FieldLayout& layout,
                     const std::optional<Part>& part, ReductionBits* result, cudaStream_t stream);

/// Returns an error if this build holds no machine code that the device can run.
cudaError_t probe_device_code();

}  // namespace lapl
