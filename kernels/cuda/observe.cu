#include <algorithm>

#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/observe.hpp"
#include "kernels/fields/digest.hpp"
#include "kernels/stages/diffusion.hpp"

namespace lapl {
namespace {

constexpr int block_threads = 256;
constexpr unsigned whole_warp = 0xffffffffu;

// The number of blocks, which take segments of a row, one cell per thread, in turn.
int block_count(const FieldLayout& layout) {
  const std::int64_t across = (layout.columns + block_threads - 1) / block_threads;
  return static_cast<int>(std::min<std::int64_t>(layout.rows * across, 4096));
}

template <class Visit>
__device__ __forceinline__ void for_each_cell(const FieldLayout& layout, Visit visit) {
  const std::int64_t across = (layout.columns + block_threads - 1) / block_threads;
  const std::int64_t segments = layout.rows * across;
  for (std::int64_t segment = blockIdx.x; segment < segments; segment += gridDim.x) {
    const std::int64_t row = segment / across;
    const std::int64_t column = (segment - row * across) * block_threads + threadIdx.x;
    if (column < layout.columns) visit(row, column);
  }
}

// EveryCell and OwnCells map a row and a column in memory to the cell's index in the state of the
// whole grid. OwnCells gives not_found for cells of the halo.
struct EveryCell {
  std::int64_t columns;
  __device__ CellIndex index(std::int64_t row, std::int64_t column) const {
    return row * columns + column;
  }
};
struct OwnCells {
  std::int64_t planes, rows;  // planes and rows of one field, with its halo
  std::int64_t before[3], own[3], first[3], whole[3];

  explicit OwnCells(const Part& part) : planes(part.shape().planes), rows(part.shape().rows) {
    for (int axis = 0; axis < 3; ++axis) {
      before[axis] = part.before[axis];
      own[axis] = part.own[axis];
      first[axis] = part.first[axis];
      whole[axis] = by_axis(part.whole)[axis];
    }
  }
  __device__ CellIndex index(std::int64_t row, std::int64_t column) const {
    const std::int64_t plane = row / rows, field = plane / planes;
    const std::int64_t at[3] = {plane - field * planes, row - plane * rows, column};
    std::int64_t index = field;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t here = at[axis] - before[axis];
      if (here < 0 || here >= own[axis]) return not_found;
      index = index * whole[axis] + first[axis] + here;
    }
    return index;
  }
};

template <class T, class Cells>
__global__ void __launch_bounds__(block_threads)
    observe_cells(const T* __restrict__ state, FieldLayout layout, Cells cells,
                  T* __restrict__ field, Observation* result) {
  unsigned long long digest = 0;
  CellIndex first = not_found;
  for_each_cell(layout, [&](std::int64_t row, std::int64_t column) {
    const T centre = state[row * layout.pitch + column];
    field[row * layout.columns + column] = centre;
    const CellIndex index = cells.index(row, column);
    if (index == not_found) return;
    digest += digest_term(index, centre);
    if (!isfinite(centre)) first = min(first, index);
  });
  for (int distance = 16; distance > 0; distance /= 2)
    digest += __shfl_down_sync(whole_warp, digest, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(&result->digest, digest);
  if (first != not_found) atomicMin(&result->first_not_finite, first);
}

// Numbers that are not negative are in the order of their bits.
__device__ __forceinline__ unsigned long long error_bits(double error) {
  return static_cast<unsigned long long>(__double_as_longlong(fabs(error)));
}

template <class T, class Cells>
__global__ void __launch_bounds__(block_threads)
    find_largest_error(const T* __restrict__ errors, FieldLayout layout, Cells cells,
                       unsigned long long* result) {
  unsigned long long largest = 0;
  for_each_cell(layout, [&](std::int64_t row, std::int64_t column) {
    if (cells.index(row, column) == not_found) return;
    largest = max(largest, error_bits(static_cast<double>(errors[row * layout.pitch + column])));
  });
  for (int distance = 16; distance > 0; distance /= 2)
    largest = max(largest, __shfl_down_sync(whole_warp, largest, distance));
  if (threadIdx.x % 32 == 0) atomicMax(result, largest);
}

template <class T, class Cells>
__global__ void __launch_bounds__(block_threads)
    find_cell_of_error(const T* __restrict__ errors, FieldLayout layout, Cells cells,
                       StepErrorBits* result) {
  CellIndex first = not_found;
  for_each_cell(layout, [&](std::int64_t row, std::int64_t column) {
    const double error = static_cast<double>(errors[row * layout.pitch + column]);
    if (error_bits(error) == result->largest) first = min(first, cells.index(row, column));
  });
  if (first != not_found) atomicMin(&result->cell, first);
}

template <class T, class Cells>
__global__ void __launch_bounds__(block_threads)
    find_cells_not_finite(const T* __restrict__ state, FieldLayout layout, Cells cells,
                          CellIndex* result) {
  CellIndex first = not_found;
  for_each_cell(layout, [&](std::int64_t row, std::int64_t column) {
    if (!isfinite(state[row * layout.pitch + column])) first = min(first, cells.index(row, column));
  });
  if (first != not_found) atomicMin(result, first);
}

template <class T>
__global__ void __launch_bounds__(most_neighbours)
    copy_neighbourhood(const T* __restrict__ state, std::int64_t pitch, Shape shape,
                       FiniteCheck<T>* check) {
  if (check->first == not_found) return;
  const auto first = static_cast<std::int64_t>(check->first);
  const Neighbourhood area = neighbourhood_of(first, shape);
  if (threadIdx.x >= area.rows * area.columns) return;
  const std::int64_t plane = first / (shape.rows * shape.columns);  // of all fields
  const std::int64_t row = plane * shape.rows + area.first_row + threadIdx.x / area.columns;
  const std::int64_t column = area.first_column + threadIdx.x % area.columns;
  check->around[threadIdx.x] = state[row * pitch + column];
}

// Calls visit(value) for each cell that counts.
template <class T, class Cells, class Visit>
__device__ __forceinline__ void for_each_inside(const T* values, const T* mask,
                                                const FieldLayout& layout, const Cells& cells,
                                                Visit visit) {
  for_each_cell(layout, [&](std::int64_t row, std::int64_t column) {
    const std::int64_t at = row * layout.pitch + column;
    if (cells.index(row, column) != not_found && (mask == nullptr || mask[at] != T(0)))
      visit(static_cast<double>(values[at]));
  });
}

template <class T, class Cells>
__global__ void __launch_bounds__(block_threads)
    find_extremes(const T* __restrict__ values, const T* __restrict__ mask, FieldLayout layout,
                  Cells cells, ReductionBits start, ReductionBits* result) {
  unsigned long long least = start.least, most = start.most;
  for_each_inside(values, mask, layout, cells, [&](double value) {
    const unsigned long long bits = ordered_bits(value);
    least = min(least, bits);
    most = max(most, bits);
  });
  for (int distance = 16; distance > 0; distance /= 2) {
    least = min(least, __shfl_down_sync(whole_warp, least, distance));
    most = max(most, __shfl_down_sync(whole_warp, most, distance));
  }
  if (threadIdx.x % 32 != 0) return;
  atomicMin(&result->least, least);
  atomicMax(&result->most, most);
}

// As sum_of_units of kernels/cpu/row_loops.cpp.
template <class T, class Cells>
__global__ void __launch_bounds__(block_threads)
    sum_units(const T* __restrict__ values, const T* __restrict__ mask, FieldLayout layout,
              Cells cells, double first, double second, ReductionBits* result) {
  long long high = 0, low = 0, count = 0;
  for_each_inside(values, mask, layout, cells, [&](double value) {
    const auto whole = static_cast<long long>(value * first * second);
    high += whole >> 32;
    low += whole & 0xffffffff;
    ++count;
  });
  for (int distance = 16; distance > 0; distance /= 2) {
    high += __shfl_down_sync(whole_warp, high, distance);
    low += __shfl_down_sync(whole_warp, low, distance);
    count += __shfl_down_sync(whole_warp, count, distance);
  }
  if (threadIdx.x % 32 != 0) return;
  const __int128 units = (static_cast<__int128>(high) << 32) + low;
  for (int i = 0; i < 4; ++i)
    atomicAdd(&result->sum[i],
              static_cast<unsigned long long>(static_cast<unsigned>(units >> (32 * i))));
  atomicAdd(&result->sum[4], static_cast<unsigned long long>(count));
}

ReductionBits on_host(const ReductionBits* result, cudaStream_t stream) {
  ReductionBits bits{};
  LAPL_CUDA(cudaGetLastError());
  LAPL_CUDA(cudaMemcpyAsync(&bits, result, sizeof bits, cudaMemcpyDeviceToHost, stream));
  LAPL_CUDA(cudaStreamSynchronize(stream));
  return bits;
}

template <class Use>
void for_cells(const FieldLayout& layout, const std::optional<Part>& part, const Use& use) {
  part ? use(OwnCells(*part)) : use(EveryCell{layout.columns});
}

void clear(CellIndex* first, cudaStream_t stream) {
  static_assert(not_found == ~CellIndex{0});  // so that a memset of bytes 0xff writes not_found
  LAPL_CUDA(cudaMemsetAsync(first, 0xff, sizeof(CellIndex), stream));
}

}  // namespace

template <class T>
void observe(const T* state, const FieldLayout& layout, const std::optional<Part>& part, T* field,
             Observation* result, cudaStream_t stream) {
  LAPL_CUDA(cudaMemsetAsync(&result->digest, 0, sizeof result->digest, stream));
  clear(&result->first_not_finite, stream);
  for_cells(layout, part, [&](const auto& cells) {
    observe_cells<<<block_count(layout), block_threads, 0, stream>>>(state, layout, cells, field,
                                                                     result);
  });
  LAPL_CUDA(cudaGetLastError());
}

template <class T>
void find_not_finite(const T* state, const FieldLayout& layout, const std::optional<Part>& part,
                     Shape shape, FiniteCheck<T>* check, cudaStream_t stream) {
  clear(&check->first, stream);
  for_cells(layout, part, [&](const auto& cells) {
    find_cells_not_finite<<<block_count(layout), block_threads, 0, stream>>>(state, layout, cells,
                                                                             &check->first);
  });
  LAPL_CUDA(cudaGetLastError());
  if (part) return;
  copy_neighbourhood<<<1, most_neighbours, 0, stream>>>(state, layout.pitch, shape, check);
  LAPL_CUDA(cudaGetLastError());
}

template <class T>
void find_step_error(Error what, const T* errors, const FieldLayout& layout,
                     const std::optional<Part>& part, StepErrorBits* result, cudaStream_t stream) {
  if (what == Error::largest)
    LAPL_CUDA(cudaMemsetAsync(&result->largest, 0, sizeof result->largest, stream));
  else
    clear(&result->cell, stream);
  for_cells(layout, part, [&](const auto& cells) {
    if (what == Error::largest)
      find_largest_error<<<block_count(layout), block_threads, 0, stream>>>(errors, layout, cells,
                                                                            &result->largest);
    else
      find_cell_of_error<<<block_count(layout), block_threads, 0, stream>>>(errors, layout, cells,
                                                                            result);
  });
  LAPL_CUDA(cudaGetLastError());
}

template <class T>
GridExtremes extremes_of_cells(const T* values, const T* mask, const FieldLayout& layout,
                               const std::optional<Part>& part, ReductionBits* result,
                               cudaStream_t stream) {
  const GridExtremes none;
  const ReductionBits start{ordered_bits(none.least), ordered_bits(none.most), {}};
  LAPL_CUDA(cudaMemcpyAsync(result, &start, sizeof start, cudaMemcpyHostToDevice, stream));
  for_cells(layout, part, [&](const auto& cells) {
    find_extremes<<<block_count(layout), block_threads, 0, stream>>>(values, mask, layout, cells,
                                                                     start, result);
  });
  const ReductionBits found = on_host(result, stream);
  return extremes_with(found.least, found.most);
}

template <class T>
GridSum sum_of_cells(const T* values, const T* mask, int exponent, const FieldLayout& layout,
                     const std::optional<Part>& part, ReductionBits* result, cudaStream_t stream) {
  const auto [first, second] = units_of_values(exponent);
  LAPL_CUDA(cudaMemsetAsync(&result->sum, 0, sizeof result->sum, stream));
  for_cells(layout, part, [&, first = first, second = second](const auto& cells) {
    sum_units<<<block_count(layout), block_threads, 0, stream>>>(values, mask, layout, cells, first,
                                                                 second, result);
  });
  std::array<std::uint64_t, 5> parts{};
  std::ranges::copy(on_host(result, stream).sum, parts.begin());
  return GridSum::of_parts(parts);
}

cudaError_t probe_device_code() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, find_cells_not_finite<float, EveryCell>);
}

template void observe(const float*, const FieldLayout&, const std::optional<Part>&, float*,
                      Observation*, cudaStream_t);
template void observe(const double*, const FieldLayout&, const std::optional<Part>&, double*,
                      Observation*, cudaStream_t);
template void find_step_error(Error, const float*, const FieldLayout&, const std::optional<Part>&,
                              StepErrorBits*, cudaStream_t);
template void find_step_error(Error, const double*, const FieldLayout&, const std::optional<Part>&,
                              StepErrorBits*, cudaStream_t);
#define LAPL_REDUCTIONS(T)                                                            \
  template GridExtremes extremes_of_cells(const T*, const T*, const FieldLayout&,     \
                                          const std::optional<Part>&, ReductionBits*, \
                                          cudaStream_t);                              \
  template GridSum sum_of_cells(const T*, const T*, int, const FieldLayout&,          \
                                const std::optional<Part>&, ReductionBits*, cudaStream_t);
LAPL_REDUCTIONS(float)
LAPL_REDUCTIONS(double)
#undef LAPL_REDUCTIONS
template void find_not_finite(const float*, const FieldLayout&, const std::optional<Part>&, Shape,
                              FiniteCheck<float>*, cudaStream_t);
template void find_not_finite(const double*, const FieldLayout&, const std::optional<Part>&, Shape,
                              FiniteCheck<double>*, cudaStream_t);

}  // namespace lapl
