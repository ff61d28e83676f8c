// Looking at the state on the device: copies of it, its Laplacian, digest, values not finite.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/derived.hpp"
#include "kernels/fields/not_finite.hpp"
#include "kernels/grid/part.hpp"

namespace lapl {

/// Index of a cell, or not_found; `unsigned long long` as the device's atomics want it.
using CellIndex = unsigned long long;
inline constexpr CellIndex not_found = ~CellIndex{0};

inline std::optional<std::int64_t> found(CellIndex index) {
  return index == not_found ? std::nullopt : std::optional(static_cast<std::int64_t>(index));
}

/// What observe() finds, in device memory.
struct Observation {
  unsigned long long digest = 0;
  CellIndex first_not_finite = not_found;
};

/// Copies the state to `field` (rows * columns values without padding), and puts digest and first
/// value that is not finite into `result`: of own cells alone and by their index in the whole
/// grid's state, where the state is that of a part.
template <class T>
void observe(const T* state, const FieldLayout& layout, const std::optional<Part>& part, T* field,
             Observation* result, cudaStream_t stream);

/// What find_not_finite() finds, in device memory.
template <class T>
struct FiniteCheck {
  CellIndex first = not_found;
  T around[most_neighbours] = {};  ///< as in NotFinite

  std::optional<NotFinite<T>> result() const {
    if (first == not_found) return std::nullopt;
    NotFinite<T> result{.index = static_cast<std::int64_t>(first)};
    std::ranges::copy(around, result.around.begin());
    return result;
  }
};

/// Looks for the first value that is not finite; `shape` is that of a field. Of a part as observe()
/// does, without those around it, which may be elsewhere.
template <class T>
void find_not_finite(const T* state, const FieldLayout& layout, const std::optional<Part>& part,
                     Shape shape, FiniteCheck<T>* check, cudaStream_t stream);

/// Whether this build holds machine code that the device can run.
cudaError_t probe_device_code();

}  // namespace lapl
