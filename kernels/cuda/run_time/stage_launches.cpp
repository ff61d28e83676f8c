#include "kernels/cuda/run_time/stage_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "kernels/cuda/device/copy_box.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/solve/device_equations.hpp"
#include "kernels/error.hpp"
#include "kernels/ranks/reduce_over_grid.hpp"
#include "kernels/solve/solve_over_grid.hpp"
#include "kernels/stages/stage_code.hpp"
#include "kernels/stages/tree_at.hpp"

namespace lapl {
namespace {

template <class T>
bool depends_on_time(const Problem<T>& problem) {
  return std::ranges::any_of(problem.stages,
                             [](const Stage& stage) { return reads_time(stage.tree); }) ||
         std::ranges::any_of(varying_faces(problem),
                             [](const VaryingFace& face) { return reads_time(face.condition); });
}

}  // namespace

template <class T>
StageTiles<T>::StageTiles(DeviceProblem<T>& problem, bool last_is_lent)
    : on_device_(problem),
      problem_(problem.problem()),
      tables_(problem),
      kernels_(tile_kernels(problem_)),
      tile_(tile_shape(problem_)),
      in_time_(depends_on_time(problem_)),
      in_memory_(has_tables_in_memory(problem_)) {
  if (kernels_.ready() && !kernels_.unavailable().empty())
    throw EngineUnsuitable("formulas on a GPU: " + kernels_.unavailable());
  std::size_t most = 0;
  for (const Stage& stage : problem_.stages) most = std::max(most, stage.targets.size());
  if (sizeof(StageGrid<T>) + (problem_.arrays() + most) * sizeof(T*) > most_parameter_bytes)
    throw EngineUnsuitable("formulas on a GPU: {} arrays are more than a kernel can take",
                           problem_.arrays());
  const Shape shape = problem_.shape;
  const std::int64_t across = (shape.columns - 1) / tile_.columns + 1;
  const std::int64_t down = (shape.rows - 1) / (tile_.rows * tile_.cells) + 1;
  if (across * down > std::numeric_limits<int>::max() / shape.planes)
    throw EngineUnsuitable("the grid has more tiles than the 2147483647 that one launch can take");
  grid_ = problem.grid();
  grid_.tiles[0] = static_cast<unsigned>(shape.planes);
  grid_.tiles[1] = static_cast<unsigned>(down);
  grid_.tiles[2] = static_cast<unsigned>(across);
  const int given = problem_.step_fields + static_cast<int>(problem_.coefficients.size());
  for (int array = given; array < problem_.arrays() - (last_is_lent ? 1 : 0); ++array)
    made_.push_back(device_buffer<T>(problem.stride()));
  if (has_global_operations(problem_)) reduction_ = device_buffer<ReductionBits>(1);
}

// Solves these equations on this device; null where only the host can.
template <class T>
DeviceEquations<T>* StageTiles<T>::device_equations(int system, cudaStream_t stream) {
  std::shared_ptr<DeviceEquations<T>>& here = equations_[system];
  GridEquations* const given = problem_.systems[system].get();
  if (here) return here.get();
  if (auto* const solve = dynamic_cast<GridSystem*>(given))
    here = make_device_solve<T>(*solve, stream);
  else if (auto* const convolution = dynamic_cast<GridConvolution<T>*>(given))
    here = make_device_convolution<T>(*convolution, stream);
  return here.get();
}

// Solves for a state in device memory, if this device has the whole grid and can.
template <class T>
bool StageTiles<T>::solve_in_place(DeviceEquations<T>& by, const GridSolve& solve,
                                   const std::vector<const T*>& arrays,
                                   const std::vector<T*>& written, double time) {
  if (problem_.ranks->count() > 1 || problem_.part) return false;
  std::vector<const T*> fields;
  for (const int array : solve.state) fields.push_back(arrays[array]);
  const auto began = std::chrono::steady_clock::now();
  try {
    if (!by(fields, on_device_.pitch(), time, written[solve.unknowns[0]])) return false;
  } catch (const std::bad_alloc&) {
    throw NumericalError("too little memory for a solve over the grid");
  }
  problem_.systems[solve.system]->count(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  return true;
}

template <class T>
void StageTiles<T>::solve(const GridSolve& solve, const std::vector<const T*>& arrays,
                          const std::vector<T*>& written, double time, cudaStream_t stream) {
  DeviceEquations<T>* const by = device_equations(solve.system, stream);
  if (by != nullptr && solve_in_place(*by, solve, arrays, written, time)) return;
  SolveElsewhere elsewhere;
  if (by != nullptr && problem_.ranks->count() > 1)
    elsewhere = [by](std::vector<double>& state, double at) { return (*by)(state, at); };
  const Shape shape = problem_.shape;
  const std::int64_t row = shape.columns * sizeof(T), pitch = on_device_.pitch() * sizeof(T);
  std::vector<T> values(shape.cells());
  solve_on_block(
      problem_, solve, time,
      [&](int array) -> const T* {
        LAPL_CUDA(cudaMemcpy2DAsync(values.data(), row, arrays[array], pitch, row,
                                    shape.planes * shape.rows, cudaMemcpyDeviceToHost, stream));
        LAPL_CUDA(cudaStreamSynchronize(stream));
        return values.data();
      },
      [&](int array, const std::vector<T>& solution) {
        LAPL_CUDA(cudaMemcpy2DAsync(written[array], pitch, solution.data(), row, row,
                                    shape.planes * shape.rows, cudaMemcpyHostToDevice, stream));
        LAPL_CUDA(cudaStreamSynchronize(stream));
      },
      elsewhere);
}

// The value of the cell with this index in the grid, if it is an own one.
template <class T>
GridExtremes StageTiles<T>::extremes_at(const T* values, std::int64_t cell, cudaStream_t stream) {
  const auto own = problem_.part.value_or(Part::all(problem_.shape)).own_place(cell);
  if (!own) return {};
  const std::int64_t columns = problem_.shape.columns;
  return extremes_of_cells<T>(values + *own / columns * on_device_.pitch() + *own % columns,
                              nullptr, {1, 1, on_device_.pitch()}, std::nullopt, reduction_.data(),
                              stream);
}

template <class T>
void StageTiles<T>::compute_reductions(const Stage& stage, const std::vector<const T*>& arrays,
                                       cudaStream_t stream) {
  const Shape shape = problem_.shape;
  const FieldLayout layout{shape.planes * shape.rows, shape.columns, on_device_.pitch()};
  for (const GridReduction& one : stage.reductions) {
    const T* const values = arrays[one.array];
    const T* const mask = one.mask < 0 ? nullptr : arrays[one.mask];
    on_device_.set_reduced(one.index,
                           reduce_over_grid(
                               one, *problem_.ranks,
                               [&] {
                                 if (one.cell >= 0) return extremes_at(values, one.cell, stream);
                                 return extremes_of_cells(values, mask, layout, problem_.part,
                                                          reduction_.data(), stream);
                               },
                               [&](int exponent) {
                                 return sum_of_cells(values, mask, exponent, layout, problem_.part,
                                                     reduction_.data(), stream);
                               }));
  }
}

template <class T>
void StageTiles<T>::launch_step(const T* from, T* to, std::int64_t step, cudaStream_t stream,
                                T* last) {
  if (launches_.empty()) {
    kernels_.wait();
    // text printed from valid trees always compiles, so this is a bug
    if (!kernels_.unavailable().empty())
      throw DeviceError("internal error in kernels of formulas: {}\n{}", kernels_.unavailable(),
                        kernels_.messages());
    launches_.resize(problem_.stages.size());
    for (std::size_t i = 0; i < launches_.size(); ++i)
      launches_[i].kernel = kernels_.kernel(fmt::format("tile_{}", i));
  }
  const unsigned tiles = grid_.tiles[0] * grid_.tiles[1] * grid_.tiles[2];
  std::vector<const T*> arrays;
  std::vector<T*> written;
  const int given = problem_.step_fields + static_cast<int>(problem_.coefficients.size());
  for (int array = 0; array < problem_.arrays(); ++array) {
    if (array < problem_.step_fields) {
      arrays.push_back(from + array * on_device_.stride());
      written.push_back(to == nullptr ? nullptr : to + array * on_device_.stride());
    } else if (array < given) {
      arrays.push_back(on_device_.coefficient(array));
      written.push_back(nullptr);
    } else {
      written.push_back(array - given < std::ssize(made_) ? made_[array - given].data() : last);
      arrays.push_back(written.back());
    }
  }
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const Stage& stage = problem_.stages[i];
    for (const GridSolve& one : stage.solves)
      solve(one, arrays, written, on_device_.stage_moment(step, stage).time, stream);
    compute_reductions(stage, arrays, stream);
    if (!prepared_ || in_time_)
      prepare(on_device_.stage_moment(step, stage), stage, launches_[i], stream);
    std::vector<T*> targets;
    for (const int target : stage.targets) targets.push_back(written[target]);
    const Launch& launch = launches_[i];
    const T* const arguments = launch.arguments_in_memory.data();
    const FaceTable<T>* const faces = launch.faces_in_memory.data();
    const void *of_arguments = launch.arguments.data(), *of_faces = launch.faces.data();
    if (in_memory_) of_arguments = &arguments, of_faces = &faces;
    launch.kernel.launch(tiles, dim3(tile_.columns, tile_.rows), 0, stream,
                         {&grid_, arrays.data(), targets.data(), of_arguments, of_faces});
    for (const int target : stage.targets) arrays[target] = written[target];
  }
  prepared_ = true;
}

template <class T>
void StageTiles<T>::prepare(const Moment& at, const Stage& stage, Launch& launch,
                            cudaStream_t stream) {
  launch.arguments = on_device_.arguments(stage.tree, at);
  launch.arguments.resize(std::max<std::size_t>(launch.arguments.size(), 1));
  launch.faces.clear();
  for (const GhostCondition<T>& condition : on_device_.conditions(at.time))
    launch.faces.push_back({condition, nullptr, 0, 0});
  // The CUDA kernels of a stream run in order, so one table serves all stages.
  tables_.compute(kernels_, {at.time}, stream);
  tables_.put_into(launch.faces);
  if (!in_memory_) return;
  const auto copy = [&](const auto& from, auto& to) {
    using Value = std::remove_cvref_t<decltype(from.front())>;
    if (to.size() == 0) to = device_buffer<Value>(std::ssize(from));
    LAPL_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(Value),
                              cudaMemcpyHostToDevice, stream));
  };
  copy(launch.arguments, launch.arguments_in_memory);
  copy(launch.faces, launch.faces_in_memory);
}

template class StageTiles<float>;
template class StageTiles<double>;

}  // namespace lapl
