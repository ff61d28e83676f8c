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
DeviceProblem<T>::DeviceProblem(const Problem<T>& problem, std::int64_t pitch, cudaStream_t stream)
    : problem_(problem), pitch_(pitch) {
  const Shape shape = problem.shape;
  const std::int64_t rows = shape.planes * shape.rows;
  for (const SharedValues<T>& given : problem.coefficients) {
    const DeviceBuffer<T>& to = coefficients_.emplace_back(device_buffer<T>(stride()));
    copy_box<T>({const_cast<T*>(given->data()), shape.columns, rows}, {to.data(), pitch, rows},
                {1, rows, shape.columns}, cudaMemcpyHostToDevice, stream);
  }
  std::vector<T> positions;
  for (int axis = 0; axis < 3; ++axis)
    for (std::int64_t i = -position_margin; i < by_axis(shape)[axis] + position_margin; ++i)
      positions.push_back(position_at(problem, axis, {i, i, i}));
  positions_ = device_buffer<T>(std::ssize(positions));
  LAPL_CUDA(cudaMemcpyAsync(positions_.data(), positions.data(), positions.size() * sizeof(T),
                            cudaMemcpyHostToDevice, stream));
  std::vector<unsigned long long> before;
  if (std::ranges::any_of(problem.stages,
                          [](const Stage& stage) { return reads_noise(stage.tree); })) {
    for (int axis = 0; axis < 3; ++axis)
      for (std::int64_t i = -position_margin; i < by_axis(shape)[axis] + position_margin; ++i)
        before.push_back(cells_before(problem, axis, i));
    cells_before_ = device_buffer<unsigned long long>(std::ssize(before));
    LAPL_CUDA(cudaMemcpyAsync(cells_before_.data(), before.data(), before.size() * sizeof before[0],
                              cudaMemcpyHostToDevice, stream));
  }
  LAPL_CUDA(cudaStreamSynchronize(stream));
}

// The position of index 0 along an axis in a table of all axes, one after the other with their
// margins.
static std::int64_t place_in_tables(const Shape& shape, int axis) {
  std::int64_t before = position_margin;
  for (int i = 0; i < axis; ++i) before += by_axis(shape)[i] + 2 * position_margin;
  return before;
}

template <class T>
const T* DeviceProblem<T>::positions(int axis) const {
  return positions_.data() + place_in_tables(problem_.shape, axis);
}

template <class T>
CellIndices DeviceProblem<T>::cell_indices() const {
  CellIndices indices{};
  for (int axis = 0; axis < 3 && cells_before_.size() > 0; ++axis)
    indices.along[axis] = cells_before_.data() + place_in_tables(problem_.shape, axis);
  return indices;
}

template <class T>
StageGrid<T> DeviceProblem<T>::grid() const {
  StageGrid<T> grid{};
  for (int axis = 0; axis < 3; ++axis) {
    grid.size[axis] = by_axis(problem_.shape)[axis];
    grid.wraps[axis] = axis_faces(problem_.faces.front(), axis).wrap() ? 1 : 0;
    grid.positions[axis] = positions(axis);
  }
  grid.pitch = pitch_;
  grid.cells = cell_indices();
  return grid;
}

template <class T>
Moment DeviceProblem<T>::stage_moment(std::int64_t step, const Stage& stage) const {
  return problem_.clock.moment(step, stage.time);
}

template <class T>
std::vector<T> DeviceProblem<T>::arguments(const StageTree& tree, const Moment& at) const {
  TreeAt<T> of(problem_, tree);
  return kernel_arguments(tree).values(of, {}, at);
}

template <class T>
std::vector<GhostCondition<T>> DeviceProblem<T>::conditions(double time) const {
  std::vector<GhostCondition<T>> conditions;
  const auto ghost_condition = [&](const Face<T>& face) -> GhostCondition<T> {
    if (!face.varies()) return {face.a, face.b};
    const StageTree& tree = problem_.conditions[face.condition];
    if (reads_positions(tree)) return {face.a, face.b};
    TreeAt<T> at(problem_, tree);
    at.evaluate({}, time, [](const StageOperation&) { return T(0); });
    return {at.result(0), at.result(1)};
  };
  for (const Faces<T>& faces : problem_.faces)
    for (int axis = 0; axis < 3; ++axis)
      for (const bool last : {false, true})
        conditions.push_back(ghost_condition(axis_faces(faces, axis).side(last)));
  return conditions;
}

template <class T>
StageTiles<T>::StageTiles(DeviceProblem<T>& problem, bool last_is_lent)
    : on_device_(problem),
      problem_(problem.problem()),
      varying_(varying_faces(problem_)),
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
    launch.faces.push_back({condition, nullptr, 0});
  lay_conditions(at.time, launch.faces, stream);
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

// Computes the tables of conditions that differ along their face, again at each new time if they
// depend on it. The CUDA kernels of a stream run in order, so one table serves all stages.
template <class T>
void StageTiles<T>::lay_conditions(double time, std::vector<FaceTable<T>>& faces,
                                   cudaStream_t stream) {
  for (std::size_t i = 0; i < varying_.size(); ++i) {
    const VaryingFace& face = varying_[i];
    FaceTable<T>& table = faces[(face.array * 3 + face.axis) * 2 + (face.last ? 1 : 0)];
    if (!reads_positions(face.condition)) continue;
    const auto size = by_axis(problem_.shape);
    table.pitch = size[face.axis == 2 ? 1 : 2] + 2;
    const std::int64_t nodes = (size[face.axis == 0 ? 1 : 0] + 2) * table.pitch;
    const bool known = conditions_.contains(i);
    if (!known) conditions_.emplace(i, device_buffer<GhostCondition<T>>(nodes));
    GhostCondition<T>* const conditions = conditions_.at(i).data();
    table.each = conditions;
    if (known && !reads_time(face.condition)) continue;
    constexpr unsigned threads = 256;
    std::vector<T> arguments = on_device_.arguments(face.condition, time);
    arguments.resize(std::max<std::size_t>(arguments.size(), 1));
    kernels_.kernel(fmt::format("conditions_{}", i))
        .launch(static_cast<unsigned>((nodes - 1) / threads + 1), dim3(threads), 0, stream,
                {&grid_, arguments.data(), &conditions});
  }
}

template class DeviceProblem<float>;
template class DeviceProblem<double>;
template class StageTiles<float>;
template class StageTiles<double>;

}  // namespace lapl
