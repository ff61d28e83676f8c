#include "kernels/cuda/run_time/device_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/device/copy_box.hpp"
#include "kernels/stages/stage_code.hpp"
#include "kernels/stages/tree_at.hpp"

namespace lapl {

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
std::vector<T> DeviceProblem<T>::arguments(const StageTree& tree,
                                           const std::vector<Moment>& at) const {
  auto known = trees_.find(&tree);
  if (known == trees_.end())
    known =
        trees_.emplace(&tree, KnownTree{kernel_arguments(tree), TreeAt<T>(problem_, tree)}).first;
  auto& [kernel, of] = known->second;
  std::vector<T> arguments;
  for (const Moment& moment : at)
    std::ranges::copy(kernel.values(of, {}, moment), std::back_inserter(arguments));
  return arguments;
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
FaceTables<T>::FaceTables(const DeviceProblem<T>& problem) : on_device_(problem) {
  const std::vector<VaryingFace> varying = varying_faces(problem.problem());
  const auto size = by_axis(problem.problem().shape);
  for (std::size_t i = 0; i < varying.size(); ++i) {
    const VaryingFace& face = varying[i];
    if (!reads_positions(face.condition)) continue;
    const GridIndex pitch = size[face.axis == 2 ? 1 : 2] + 2;
    faces_.push_back(face);
    number_.push_back(static_cast<int>(i));
    tables_.push_back({{}, nullptr, pitch, (size[face.axis == 0 ? 1 : 0] + 2) * pitch});
  }
}

template <class T>
std::vector<FaceTable<T>> FaceTables<T>::all() const {
  std::vector<FaceTable<T>> tables = tables_;
  tables.resize(std::max<std::size_t>(tables.size(), 1));
  return tables;
}

template <class T>
void FaceTables<T>::compute(const CompiledKernels& kernels, const std::vector<double>& times,
                            cudaStream_t stream) {
  const auto grid = on_device_.grid();
  conditions_.resize(faces_.size());
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    const StageTree& condition = faces_[i].condition;
    FaceTable<T>& table = tables_[i];
    if (table.each != nullptr && !reads_time(condition)) continue;
    const auto levels = static_cast<unsigned>(times.size());
    if (conditions_[i].size() == 0)
      conditions_[i] = device_buffer<GhostCondition<T>>(table.nodes * levels);
    GhostCondition<T>* const conditions = conditions_[i].data();
    std::vector<T> arguments =
        on_device_.arguments(condition, std::vector<Moment>(times.begin(), times.end()));
    arguments.resize(std::max<std::size_t>(arguments.size(), 1));
    constexpr unsigned threads = 256;
    const auto blocks = static_cast<unsigned>((table.nodes - 1) / threads + 1);
    kernels.kernel(fmt::format("conditions_{}", number_[i]))
        .launch({blocks, levels}, dim3(threads), 0, stream, {&grid, arguments.data(), &conditions});
    table.each = conditions;
  }
}

template <class T>
void FaceTables<T>::put_into(std::vector<FaceTable<T>>& faces) const {
  for (std::size_t i = 0; i < faces_.size(); ++i)
    faces[(faces_[i].array * 3 + faces_[i].axis) * 2 + (faces_[i].last ? 1 : 0)] = tables_[i];
}

template class DeviceProblem<float>;
template class DeviceProblem<double>;
template class FaceTables<float>;
template class FaceTables<double>;

}  // namespace lapl
