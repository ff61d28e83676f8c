#include <algorithm>

#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/observe.hpp"
#include "kernels/fields/digest.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/stages/diffusion.hpp"

namespace lapl {
namespace {

constexpr int block_threads = 256;
constexpr unsigned whole_warp = 0xffffffffu;

// A block works on one segment of a row after the other, a thread on `cells_each` cells of each
// segment, so that several loads are under way at once.
constexpr int cells_each = 8;

__host__ __device__ std::int64_t segments_across(const FieldLayout& layout) {
  constexpr int cells = block_threads * cells_each;
  return (layout.columns + cells - 1) / cells;
}
// As many blocks as keep the memory busy: each adds its result to the same words, one at a time.
int block_count(const FieldLayout& layout) {
  return static_cast<int>(std::min<std::int64_t>(layout.rows * segments_across(layout), 1024));
}

// Calls visit(row, column, load(row, column)). All loads of a segment come first, those beyond the
// row from its last cell: none waits for a branch.
template <class Load, class Visit>
__device__ __forceinline__ void for_each_cell(const FieldLayout& layout, Load load, Visit visit) {
  const std::int64_t across = segments_across(layout);
  const std::int64_t segments = layout.rows * across;
  for (std::int64_t segment = blockIdx.x; segment < segments; segment += gridDim.x) {
    const std::int64_t row = segment / across;
    const std::int64_t first =
        (segment - row * across) * (block_threads * cells_each) + threadIdx.x;
    decltype(load(row, first)) loaded[cells_each];
#pragma unroll
    for (int i = 0; i < cells_each; ++i)
      loaded[i] = load(row, min(first + i * block_threads, layout.columns - 1));
#pragma unroll
    for (int i = 0; i < cells_each; ++i)
      if (const std::int64_t column = first + i * block_threads; column < layout.columns)
        visit(row, column, loaded[i]);
  }
}

// EveryCell and OwnCells map a row and a column in memory to the cell's index in the state of the
// whole grid: EveryCell if memory has the whole grid, OwnCells if it has the block of a rank. For
// cells of its halo the index is not_found.
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

// The value of the lane `distance` lanes on, among the first `lanes` lanes of a warp.
template <class Value>
__device__ __forceinline__ Value of_lane_after(Value value, int distance, int lanes) {
  constexpr int words = sizeof(Value) / sizeof(unsigned long long);
  unsigned long long word[words];
  memcpy(word, &value, sizeof value);
  for (int i = 0; i < words; ++i)
    word[i] = __shfl_down_sync(whole_warp >> (32 - lanes), word[i], distance, lanes);
  memcpy(&value, word, sizeof value);
  return value;
}

// Each thread adds cells to a value, the values of a block are joined, and one thread stores the
// result. A Reduction has a struct Value of words of 8 bytes, none(), load(), add(), join() and
// store().
template <class Cells, class Reduction>
__global__ void __launch_bounds__(block_threads)
    reduce_cells(FieldLayout layout, Cells cells, Reduction reduction) {
  constexpr int warps = block_threads / 32;
  using Value = typename Reduction::Value;
  Value here = reduction.none();
  for_each_cell(
      layout, [&](std::int64_t row, std::int64_t column) { return reduction.load(row, column); },
      [&](std::int64_t row, std::int64_t column, const auto& loaded) {
        reduction.add(here, loaded, row, column, cells.index(row, column));
      });
  for (int distance = 16; distance > 0; distance /= 2)
    reduction.join(here, of_lane_after(here, distance, 32));
  __shared__ Value of_warps[warps];
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = here;
  __syncthreads();
  if (threadIdx.x >= warps) return;
  here = of_warps[threadIdx.x];
  for (int distance = warps / 2; distance > 0; distance /= 2)
    reduction.join(here, of_lane_after(here, distance, warps));
  if (threadIdx.x == 0) reduction.store(here);
}

// The last block moves the result to host memory, with the values around the first cell that
// reaches the bound; under a part without them.
template <class T>
struct Magnitudes {
  using Value = MagnitudeBits;
  const T* values;
  Shape shape;  // of one array
  std::int64_t pitch;
  bool has_around;
  unsigned long long bound;
  SharedMagnitudes* result;
  FoundMagnitudes<T>* on_host;

  __device__ Value none() const { return no_magnitudes; }
  __device__ T load(std::int64_t row, std::int64_t column) const {
    return values[row * pitch + column];
  }
  __device__ void add(Value& here, T value, std::int64_t, std::int64_t, CellIndex index) const {
    if (index == not_found) return;
    const unsigned long long bits = magnitude_bits(static_cast<double>(value));
    join(here, {bits, bits >= bound ? index : not_found});
  }
  __device__ void join(Value& here, const Value& other) const {
    here = {max(here.largest, other.largest), min(here.first, other.first)};
  }
  __device__ void store(const Value& here) const {
    atomicMax(&result->bits.largest, here.largest);
    if (here.first != not_found) atomicMin(&result->bits.first, here.first);
    __threadfence();
    if (atomicAdd(&result->blocks, 1) + 1 < gridDim.x) return;
    __threadfence();
    const Value found{atomicMax(&result->bits.largest, 0),
                      atomicMin(&result->bits.first, not_found)};
    on_host->bits = found;
    *result = {};
    if (!has_around || found.first == not_found) return;
    const auto first = static_cast<std::int64_t>(found.first);
    const Neighbourhood area = cell_neighbourhood(first, shape);
    const std::int64_t plane = first / (shape.rows * shape.columns);  // counted through all fields
    for (int i = 0; i < area.rows * area.columns; ++i) {
      const std::int64_t row = plane * shape.rows + area.first_row + i / area.columns;
      on_host->around[i] = values[row * pitch + area.first_column + i % area.columns];
    }
  }
};

// The digest of the state and its first value that is not finite. Also copies the state to `field`,
// without padding.
template <class T>
struct Observed {
  struct Value {
    unsigned long long digest;
    CellIndex first;
  };
  const T* state;
  std::int64_t pitch, columns;
  T* field;
  Observation* result;

  __device__ Value none() const { return {0, not_found}; }
  __device__ T load(std::int64_t row, std::int64_t column) const {
    return state[row * pitch + column];
  }
  __device__ void add(Value& here, T centre, std::int64_t row, std::int64_t column,
                      CellIndex index) const {
    field[row * columns + column] = centre;
    if (index != not_found)
      join(here, {digest_term(index, centre), isfinite(centre) ? not_found : index});
  }
  __device__ void join(Value& here, const Value& other) const {
    here = {here.digest + other.digest, min(here.first, other.first)};
  }
  __device__ void store(const Value& here) const {
    atomicAdd(&result->digest, here.digest);
    if (here.first != not_found) atomicMin(&result->first_not_finite, here.first);
  }
};

// The value of a cell, and if `mask` is not 0 there; a null mask excludes no cell.
template <class T>
struct Inside {
  struct Loaded {
    T value;
    bool is_inside;
  };
  const T* values;
  const T* mask;
  std::int64_t pitch;

  __device__ Loaded load(std::int64_t row, std::int64_t column) const {
    const std::int64_t at = row * pitch + column;
    return {values[at], mask == nullptr || mask[at] != T(0)};
  }
};

template <class T>
struct Extremes {
  struct Value {
    unsigned long long least, most;  // as ordered_bits
  };
  Inside<T> inside;
  Value start;
  ReductionBits* result;

  __device__ Value none() const { return start; }
  __device__ auto load(std::int64_t row, std::int64_t column) const {
    return inside.load(row, column);
  }
  __device__ void add(Value& here, const typename Inside<T>::Loaded& loaded, std::int64_t,
                      std::int64_t, CellIndex index) const {
    if (index == not_found || !loaded.is_inside) return;
    const unsigned long long bits = ordered_bits(static_cast<double>(loaded.value));
    join(here, {bits, bits});
  }
  __device__ void join(Value& here, const Value& other) const {
    here = {min(here.least, other.least), max(here.most, other.most)};
  }
  __device__ void store(const Value& here) const {
    atomicMin(&result->least, here.least);
    atomicMax(&result->most, here.most);
  }
};

// A sum in integer multiples of a unit, like sum_of_units in kernels/cpu/row_loops.cpp.
template <class T>
struct Units {
  struct Value {
    long long high, low, count;
  };
  Inside<T> inside;
  double first, second;
  ReductionBits* result;

  __device__ Value none() const { return {0, 0, 0}; }
  __device__ auto load(std::int64_t row, std::int64_t column) const {
    return inside.load(row, column);
  }
  __device__ void add(Value& here, const typename Inside<T>::Loaded& loaded, std::int64_t,
                      std::int64_t, CellIndex index) const {
    if (index == not_found || !loaded.is_inside) return;
    const auto whole = static_cast<long long>(static_cast<double>(loaded.value) * first * second);
    join(here, {whole >> 32, whole & 0xffffffff, 1});
  }
  __device__ void join(Value& here, const Value& other) const {
    here = {here.high + other.high, here.low + other.low, here.count + other.count};
  }
  __device__ void store(const Value& here) const {
    const __int128 units = (static_cast<__int128>(here.high) << 32) + here.low;
    for (int i = 0; i < 4; ++i)
      atomicAdd(&result->sum[i],
                static_cast<unsigned long long>(static_cast<unsigned>(units >> (32 * i))));
    atomicAdd(&result->sum[4], static_cast<unsigned long long>(here.count));
  }
};

template <class Reduction>
void reduce(const FieldLayout& layout, const std::optional<Part>& part, const Reduction& reduction,
            cudaStream_t stream) {
  const int blocks = block_count(layout);
  if (part)
    reduce_cells<<<blocks, block_threads, 0, stream>>>(layout, OwnCells(*part), reduction);
  else
    reduce_cells<<<blocks, block_threads, 0, stream>>>(layout, EveryCell{layout.columns},
                                                       reduction);
  LAPL_CUDA(cudaGetLastError());
}

ReductionBits on_host(const ReductionBits* result, cudaStream_t stream) {
  ReductionBits bits{};
  LAPL_CUDA(cudaMemcpyAsync(&bits, result, sizeof bits, cudaMemcpyDeviceToHost, stream));
  LAPL_CUDA(cudaStreamSynchronize(stream));
  return bits;
}

}  // namespace

template <class T>
void observe(const T* state, const FieldLayout& layout, const std::optional<Part>& part, T* field,
             Observation* result, cudaStream_t stream) {
  static_assert(not_found == ~CellIndex{0});  // so that a memset of bytes 0xff writes not_found
  LAPL_CUDA(cudaMemsetAsync(&result->digest, 0, sizeof result->digest, stream));
  LAPL_CUDA(cudaMemsetAsync(&result->first_not_finite, 0xff, sizeof(CellIndex), stream));
  reduce(layout, part, Observed<T>{state, layout.pitch, layout.columns, field, result}, stream);
}

template <class T>
void reduce_magnitudes(const T* values, int count, Shape shape, std::int64_t pitch,
                       const std::optional<Part>& part, double bound, SharedMagnitudes* on_device,
                       FoundMagnitudes<T>* on_host, cudaStream_t stream) {
  reduce({count * shape.planes * shape.rows, shape.columns, pitch}, part,
         Magnitudes<T>{values, shape, pitch, !part, magnitude_bits(bound), on_device, on_host},
         stream);
}

template <class T>
GridExtremes extremes_of_cells(const T* values, const T* mask, const FieldLayout& layout,
                               const std::optional<Part>& part, ReductionBits* result,
                               cudaStream_t stream) {
  const GridExtremes none;
  const ReductionBits start{ordered_bits(none.least), ordered_bits(none.most), {}};
  LAPL_CUDA(cudaMemcpyAsync(result, &start, sizeof start, cudaMemcpyHostToDevice, stream));
  reduce(layout, part, Extremes<T>{{values, mask, layout.pitch}, {start.least, start.most}, result},
         stream);
  const ReductionBits found = on_host(result, stream);
  return extremes_with(found.least, found.most);
}

template <class T>
GridSum sum_of_cells(const T* values, const T* mask, int exponent, const FieldLayout& layout,
                     const std::optional<Part>& part, ReductionBits* result, cudaStream_t stream) {
  const auto [first, second] = units_of_values(exponent);
  LAPL_CUDA(cudaMemsetAsync(&result->sum, 0, sizeof result->sum, stream));
  reduce(layout, part, Units<T>{{values, mask, layout.pitch}, first, second, result}, stream);
  std::array<std::uint64_t, 5> parts{};
  std::ranges::copy(on_host(result, stream).sum, parts.begin());
  return GridSum::of_parts(parts);
}

cudaError_t probe_device_code() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, reduce_cells<EveryCell, Observed<float>>);
}

LAPL_FOR_FLOATS(observe);
LAPL_FOR_FLOATS(reduce_magnitudes);
LAPL_FOR_FLOATS(extremes_of_cells);
LAPL_FOR_FLOATS(sum_of_cells);

}  // namespace lapl
