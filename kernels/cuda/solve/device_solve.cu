#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/cuda/device/device_buffer.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/run_time/stage_launches.hpp"
#include "kernels/cuda/solve/device_equations.hpp"
#include "kernels/cuda/solve/device_multigrid.cuh"
#include "kernels/cuda/solve/device_vector.cuh"
#include "kernels/for_floats.hpp"
#include "kernels/solve/krylov.hpp"

namespace lapl {
namespace {

// One side of the equation, computed from a state in device memory.
class DeviceSide {
 public:
  DeviceSide(const Problem<double>& of, std::int64_t pitch, cudaStream_t stream)
      : problem_(of, pitch, stream), tiles_(problem_, true) {}

  void operator()(const double* state, double time, double* result, cudaStream_t stream) {
    problem_.set_clock({.start = time});
    tiles_.forget_time();
    tiles_.launch_step(state, nullptr, 0, stream, result);
  }

 private:
  DeviceProblem<double> problem_;
  StageTiles<double> tiles_;
};

}  // namespace

// The equations as krylov.hpp has them, and what a solve needs beside them.
struct DeviceSolveParts {
  DeviceSolveParts(GridSystem& of, cudaStream_t on)
      : system(of),
        stream(on),
        shape(of.left().shape),
        layout(field_layout<double>(shape)),
        rows(shape.planes * shape.rows) {}

  // Bytes on the device: a multigrid, vectors of the iterations, and arrays of both sides.
  double memory_needed() const {
    const int arrays = 3 + system.left().arrays() + system.right().arrays();
    return Multigrid::memory(shape) +
           8 * static_cast<double>(shape.cells()) * (most_vectors + arrays);
  }

  void multiply(DeviceVector& x, DeviceVector& product) const {
    find_residual(x, nullptr, product.data());
  }
  void precondition(const DeviceVector& r, DeviceVector& z) const {
    multigrid->precondition(r.data(), z.data());
  }
  void residual(DeviceVector& x, const DeviceVector& f, DeviceVector& out) const {
    find_residual(x, f.data(), out.data());
    double* const values = out.data();
    const double* const weight = weights.data();
    for_indices_on(stream, out.size(), [=] __device__(std::int64_t place) {
      if (weight[place] == 0) values[place] = 0;
    });
  }

  void wrap(double* values) const {
    wrap_parts(LaunchParts{stream, {}}, multigrid->grid(), values);
  }
  void find_residual(DeviceVector& x, const double* f, double* out) const {
    const PaddedGrid& grid = multigrid->grid();
    wrap(x.data());
    for_cells_on(stream, grid.rows(), grid.size[2],
                 FindResidual{multigrid->finest(), x.data(), f, out});
  }

  // Calls use(cell, place) for each cell: its index in a field on the device, and its place in
  // vectors.
  template <class Use>
  void for_cells(const Use& use) const {
    const PaddedGrid grid = multigrid->grid();
    const std::int64_t wide = layout.pitch;
    for_cells_on(stream, rows, shape.columns,
                 [=] __device__(std::int64_t row, std::int64_t column) {
                   use(row * wide + column, grid.row_place(row) + column);
                 });
  }

  // The sum of term(place) over the cells.
  template <class Term>
  double sum_over(const Term& term) const {
    const PaddedGrid& grid = multigrid->grid();
    const std::int64_t threads = pieces.size() * lanes_of_piece;
    sum_pieces<<<static_cast<unsigned>((threads - 1) / threads_of_block + 1), threads_of_block, 0,
                 stream>>>(grid, term, pieces.data());
    LAPL_CUDA(cudaGetLastError());
    add_pieces<<<1, 256, 0, stream>>>(pieces.data(), pieces.size(), sum.data());
    LAPL_CUDA(cudaGetLastError());
    double found = 0;
    LAPL_CUDA(cudaMemcpyAsync(&found, sum.data(), sizeof found, cudaMemcpyDeviceToHost, stream));
    LAPL_CUDA(cudaStreamSynchronize(stream));
    return found;
  }
  double dot(const DeviceVector& a, const DeviceVector& b) const {
    const double *const first = a.data(), *const second = b.data();
    return sum_over([=] __device__(std::int64_t place) { return first[place] * second[place]; });
  }
  double norm(const DeviceVector& of) const { return std::sqrt(dot(of, of)); }
  double size(const DeviceVector& x) const {
    const double *const values = x.data(), *const diagonal = multigrid->diagonal();
    return std::sqrt(sum_over([=] __device__(std::int64_t place) {
      const double term = values[place] * diagonal[place];
      return term * term;
    }));
  }

  // As GridSystem::remove_means and require_balance, where the one region is the whole grid.
  void remove_mean(DeviceVector& of, bool weighted) const {
    if (!keeps_mean) return;
    double* const values = of.data();
    const double* const weight = weights.data();
    const double mean = sum_over([=] __device__(std::int64_t place) {
                          return weighted ? values[place] : values[place] * fabs(weight[place]);
                        }) /
                        region_size;
    for_cells([=] __device__(std::int64_t, std::int64_t place) {
      values[place] -= weighted ? mean * fabs(weight[place]) : mean;
    });
  }
  bool is_balanced(const DeviceVector& f) const {
    const double* const values = f.data();
    const double total = sum_over([=] __device__(std::int64_t place) { return values[place]; });
    const double sizes =
        sum_over([=] __device__(std::int64_t place) { return fabs(values[place]); });
    return std::abs(total) <= system.rules().rounding * sizes;
  }

  // Copies what the system has found to the device. Returns false where the host must solve.
  bool prepare() {
    if (matrices == system.matrices()) return is_prepared;
    is_prepared = false;
    matrices = system.matrices();
    if (!system.is_finite()) return false;
    const auto* const of = dynamic_cast<const Multigrid*>(system.preconditioner());
    const auto& regions = system.regions();
    host_solves = of == nullptr || regions.size() > 1 ||
                  (regions.size() == 1 && !regions[0].places.empty()) ||
                  (!multigrid && free_device_memory() < memory_needed());
    if (host_solves) return false;
    keeps_mean = !regions.empty();
    region_size = keeps_mean ? regions[0].size : 0;
    if (!multigrid) allocate();
    if (!multigrid || !multigrid->update(*of)) {
      multigrid.reset();
      multigrid = std::make_unique<DeviceMultigrid>(*of, stream);
    }
    copy_to(weights, system.weights());
    if (!system.constant_varies())
      LAPL_CUDA(cudaMemcpy2DAsync(constant.data(), layout.pitch * sizeof(double),
                                  system.constant().data(), shape.columns * sizeof(double),
                                  shape.columns * sizeof(double), rows, cudaMemcpyHostToDevice,
                                  stream));
    // The entries of a row stay in the order of the list.
    std::vector<GridSystem::GivenEntry> sorted = system.given();
    std::ranges::stable_sort(sorted, {}, &GridSystem::GivenEntry::row);
    std::vector<std::int64_t> first;
    for (std::int64_t i = 0; i < std::ssize(sorted); ++i)
      if (i == 0 || sorted[i].row != sorted[i - 1].row) first.push_back(i);
    given_rows = std::ssize(first);
    first.push_back(std::ssize(sorted));
    copy_to(given, sorted);
    copy_to(first_given, first);
    LAPL_CUDA(cudaStreamSynchronize(stream));  // the host's may go
    is_prepared = true;
    return true;
  }

  void allocate() {
    left.emplace(system.left(), layout.pitch, stream);
    right.emplace(system.right(), layout.pitch, stream);
    const PaddedGrid& grid = system.preconditioner()->matrix().grid;
    const std::int64_t stride = rows * layout.pitch;
    memory = {grid.values, stream, {}};
    for (int i = 0; i < most_vectors; ++i)
      memory.unused.push_back(device_buffer<double>(grid.values));
    pieces = device_buffer<double>(grid.rows() * ((grid.size[2] - 1) / cells_of_piece + 1));
    sum = device_buffer<double>(1);
    state = device_buffer<double>(stride * system.left().step_fields);
    LAPL_CUDA(cudaMemsetAsync(state.data(), 0, state.size() * sizeof(double), stream));
    for (DeviceBuffer<double>* const each : {&constant, &side, &solved})
      *each = device_buffer<double>(stride);
  }
  template <class Value>
  void copy_to(DeviceBuffer<Value>& to, const std::vector<Value>& from) {
    if (to.size() < std::ssize(from)) to = device_buffer<Value>(std::ssize(from));
    LAPL_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(Value),
                              cudaMemcpyHostToDevice, stream));
  }

  template <class T>
  void load(const std::vector<const T*>& fields, std::int64_t pitch) {
    const std::int64_t stride = rows * layout.pitch, wide = layout.pitch;
    for (std::size_t field = 0; field < fields.size(); ++field) {
      const T* const from = fields[field];
      double* const to = state.data() + static_cast<std::int64_t>(field) * stride;
      for_cells_on(stream, rows, shape.columns,
                   [=] __device__(std::int64_t row, std::int64_t column) {
                     to[row * wide + column] = static_cast<double>(from[row * pitch + column]);
                   });
    }
  }

  // A state with the fields of the host's.
  template <class T>
  std::vector<double> host_state(const std::vector<const T*>& fields, std::int64_t pitch) const {
    std::vector<T> values(shape.cells());
    std::vector<double> made;
    for (const T* const field : fields) {
      LAPL_CUDA(cudaMemcpy2DAsync(values.data(), shape.columns * sizeof(T), field,
                                  pitch * sizeof(T), shape.columns * sizeof(T), rows,
                                  cudaMemcpyDeviceToHost, stream));
      LAPL_CUDA(cudaStreamSynchronize(stream));
      made.insert(made.end(), values.begin(), values.end());
    }
    return made;
  }

  // Solves for the unknown of a state, which `read_state()` returns and `load_state()` copies to
  // `state`; the solution stays in `state`. Returns false where the host must solve.
  template <class ReadState, class LoadState>
  bool solve(const ReadState& read_state, const LoadState& load_state, double time) {
    if (host_solves) return false;
    SolveReport& report = system.new_report();
    if (system.needs_matrix()) system.find_matrix(read_state(), time);
    if (!prepare()) return false;
    load_state();
    report.by = {"multigrid on the GPU"};
    return solve_loaded(time, report);
  }
  double* solution() const { return state.data() + system.unknown() * rows * layout.pitch; }

  bool solve_loaded(double time, SolveReport& report) {
    const PaddedGrid& grid = multigrid->grid();
    const std::size_t bytes = static_cast<std::size_t>(rows * layout.pitch) * sizeof(double);
    double* const unknown = solution();
    const double* const weight = weights.data();
    double* const constants = constant.data();
    double* const sides = side.data();
    if (system.constant_varies()) {
      LAPL_CUDA(cudaMemcpyAsync(solved.data(), unknown, bytes, cudaMemcpyDeviceToDevice, stream));
      LAPL_CUDA(cudaMemsetAsync(unknown, 0, bytes, stream));
      (*left)(state.data(), time, constants, stream);
      LAPL_CUDA(cudaMemcpyAsync(unknown, solved.data(), bytes, cudaMemcpyDeviceToDevice, stream));
    }
    (*right)(state.data(), time, sides, stream);
    DeviceVector f(memory), x(memory);
    f.clear();
    x.clear();
    double *const of_f = f.data(), *const of_x = x.data();
    for_cells([=] __device__(std::int64_t cell, std::int64_t place) {
      of_f[place] = sides[cell] - constants[cell];
      of_x[place] = unknown[cell];
    });
    wrap(of_x);
    const GridSystem::GivenEntry* const entries = given.data();
    const std::int64_t* const first = first_given.data();
    for_indices_on(stream, given_rows, [=] __device__(std::int64_t row) {
      for (std::int64_t i = first[row]; i < first[row + 1]; ++i)
        of_f[entries[i].row] -= entries[i].entry * of_x[entries[i].column];
    });
    for_indices_on(stream, grid.values,
                   [=] __device__(std::int64_t place) { of_f[place] *= weight[place]; });
    double of_right = norm(f);
    if (!std::isfinite(of_right)) return false;
    for_indices_on(stream, grid.values, [=] __device__(std::int64_t place) {
      if (weight[place] == 0 || !isfinite(of_x[place])) of_x[place] = 0;
    });
    if (keeps_mean) {
      if (!system.rules().removes_mean && !is_balanced(f)) return false;
      const double with_mean = of_right;
      remove_mean(f, true);
      remove_mean(x, false);
      of_right = norm(f);
      if (of_right <= 0x1p-46 * with_mean) of_right = 0;  // only rounding is left
    }
    if (of_right == 0)
      x.clear();
    else if (!solve_linear(*this, x, f, system.goal(of_right), report.iterations, report.residual))
      return false;
    remove_mean(x, false);
    for_cells([=] __device__(std::int64_t cell, std::int64_t place) {
      if (weight[place] != 0) unknown[cell] = of_x[place];
    });
    return solves_equation(time, of_right);
  }

  // As GridSystem::check_solution.
  bool solves_equation(double time, double of_right) {
    (*left)(state.data(), time, solved.data(), stream);
    (*right)(state.data(), time, side.data(), stream);
    DeviceVector error(memory), sizes(memory);
    error.clear();
    sizes.clear();
    double *const errors = error.data(), *const magnitudes = sizes.data();
    const double *const lefts = solved.data(), *const rights = side.data();
    const double *const constants = constant.data(), *const all_weights = weights.data();
    const double* const diagonal = multigrid->diagonal();
    const double* const unknown = solution();
    for_cells([=] __device__(std::int64_t cell, std::int64_t place) {
      const double weight = all_weights[place] == 0 ? 1 : all_weights[place];
      errors[place] = weight * (lefts[cell] - rights[cell]);
      magnitudes[place] = fabs(diagonal[place] * unknown[cell]) + fabs(weight * constants[cell]) +
                          fabs(weight * rights[cell]);
    });
    remove_mean(error, true);
    return norm(error) <= 2 * system.rules().tolerance * of_right + 0x1p-46 * norm(sizes);
  }

  GridSystem& system;
  cudaStream_t stream;
  Shape shape;
  FieldLayout layout;
  std::int64_t rows;                      // of all planes
  std::optional<DeviceSide> left, right;  // none until the device solves
  int matrices = 0;
  bool is_prepared = false;
  bool host_solves = false;                // from now on
  static constexpr int most_vectors = 10;  // of BiCGSTAB
  std::unique_ptr<DeviceMultigrid> multigrid;
  bool keeps_mean = false;
  double region_size = 0;
  mutable VectorMemory memory;
  DeviceBuffer<double> sum, pieces, weights, state, constant, side, solved;
  std::int64_t given_rows = 0;
  DeviceBuffer<GridSystem::GivenEntry> given;
  DeviceBuffer<std::int64_t> first_given;
};

template <class T>
struct DeviceSolve final : DeviceEquations<T> {
  DeviceSolve(GridSystem& system, cudaStream_t stream) : parts(system, stream) {}

  bool operator()(const std::vector<const T*>& fields, std::int64_t pitch, double time,
                  T* unknown) override {
    if (!parts.solve([&] { return parts.host_state(fields, pitch); },
                     [&] { parts.load(fields, pitch); }, time))
      return false;
    const std::int64_t wide = parts.layout.pitch;
    const double* const from = parts.solution();
    for_cells_on(parts.stream, parts.rows, parts.shape.columns,
                 [=] __device__(std::int64_t row, std::int64_t column) {
                   unknown[row * pitch + column] = static_cast<T>(from[row * wide + column]);
                 });
    return true;
  }

  bool operator()(std::vector<double>& state, double time) override {
    const std::int64_t cells = parts.shape.cells();
    const std::size_t row = parts.shape.columns * sizeof(double);
    const std::size_t pitch = parts.layout.pitch * sizeof(double);
    const auto load = [&] {  // the fields are rows of one array in both
      LAPL_CUDA(cudaMemcpy2DAsync(parts.state.data(), pitch, state.data(), row, row,
                                  std::ssize(state) / parts.shape.columns, cudaMemcpyHostToDevice,
                                  parts.stream));
    };
    if (!parts.solve([&]() -> const std::vector<double>& { return state; }, load, time))
      return false;
    LAPL_CUDA(cudaMemcpy2DAsync(state.data() + parts.system.unknown() * cells, row,
                                parts.solution(), pitch, row, parts.rows, cudaMemcpyDeviceToHost,
                                parts.stream));
    LAPL_CUDA(cudaStreamSynchronize(parts.stream));
    return true;
  }

  DeviceSolveParts parts;
};

template <class T>
std::unique_ptr<DeviceEquations<T>> make_device_solve(GridSystem& system, cudaStream_t stream) {
  return std::make_unique<DeviceSolve<T>>(system, stream);
}
LAPL_FOR_FLOATS(make_device_solve);

}  // namespace lapl
