#include "kernels/cuda/stage_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "kernels/cuda/device_info.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/error.hpp"
#include "kernels/tree_at.hpp"

namespace lapl {
namespace {

void launch(const void* kernel, unsigned blocks, dim3 threads, std::size_t shared,
            cudaStream_t stream, std::initializer_list<const void*> arguments) {
  std::vector<void*> pointers;  // cudaLaunchKernel only reads what they point to
  for (const void* argument : arguments) pointers.push_back(const_cast<void*>(argument));
  LAPL_CUDA(cudaLaunchKernel(kernel, dim3(blocks), threads, pointers.data(), shared, stream));
}

// From one allocation to another.
template <class T>
GridIndex distance(const T* from, const T* to) {
  return (reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(from)) /
         static_cast<std::intptr_t>(sizeof(T));
}

template <class T>
bool depends_on_time(const Problem<T>& problem) {
  return std::ranges::any_of(problem.stages,
                             [](const Stage& stage) { return reads_time(stage.tree); }) ||
         std::ranges::any_of(problem.laws,
                             [](const VaryingFace& face) { return reads_time(face.law); });
}

}  // namespace

template <class T>
DeviceProblem<T>::DeviceProblem(const Problem<T>& problem, std::int64_t pitch, cudaStream_t stream)
    : problem_(problem), pitch_(pitch) {
  const Shape shape = problem.shape;
  for (const std::vector<T>& given : problem.coefficients) {
    const DeviceBuffer<T>& to = coefficients_.emplace_back(device_buffer<T>(stride()));
    LAPL_CUDA(cudaMemcpy2DAsync(to.data(), pitch * sizeof(T), given.data(),
                                shape.columns * sizeof(T), shape.columns * sizeof(T),
                                shape.planes * shape.rows, cudaMemcpyHostToDevice, stream));
  }
  std::vector<T> positions;
  for (int axis = 0; axis < 3; ++axis)
    for (std::int64_t i = -position_margin; i < by_axis(shape)[axis] + position_margin; ++i)
      positions.push_back(position_at(problem, axis, {i, i, i}));
  positions_ = device_buffer<T>(std::ssize(positions));
  LAPL_CUDA(cudaMemcpyAsync(positions_.data(), positions.data(), positions.size() * sizeof(T),
                            cudaMemcpyHostToDevice, stream));
  LAPL_CUDA(cudaStreamSynchronize(stream));
}

template <class T>
const T* DeviceProblem<T>::positions(int axis) const {
  std::int64_t before = position_margin;
  for (int i = 0; i < axis; ++i) before += by_axis(problem_.shape)[i] + 2 * position_margin;
  return positions_.data() + before;
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
  return grid;
}

template <class T>
double DeviceProblem<T>::time_of(std::int64_t step, const Stage& stage) const {
  return (static_cast<double>(step) + stage.time) * problem_.time_step;
}

template <class T>
std::vector<T> DeviceProblem<T>::values_at(const StageTree& tree,
                                           const std::vector<int>& operations, double time) const {
  TreeAt<T> at(problem_, tree);
  at.evaluate({}, time, [](const StageOperation&) { return T(0); });
  std::vector<T> values;
  for (const int operation : operations) values.push_back(at.of_operation(operation));
  return values;
}

template <class T>
std::vector<T> DeviceProblem<T>::arguments(const StageTree& tree, double time) const {
  return values_at(tree, kernel_arguments(tree), time);
}

template <class T>
GhostLaw<T> DeviceProblem<T>::law(const VaryingFace& face, double time) const {
  const std::vector<T> values = values_at(face.law, face.law.results, time);
  return {values[0], values[1]};
}

template <class T>
GhostLaw<T> DeviceProblem<T>::law(int array, int axis, bool last) const {
  const AxisFaces<T>& faces = axis_faces(problem_.faces[array], axis);
  const Face<T>& face = last ? faces.last : faces.first;
  return {face.a, face.b};
}

template <class T>
StageTiles<T>::StageTiles(const DeviceProblem<T>& problem)
    : on_device_(problem),
      problem_(problem.problem()),
      kernels_(tile_kernels(problem_)),
      tile_(tile_shape(problem_)),
      in_time_(depends_on_time(problem_)) {
  if (kernels_.ready() && !kernels_.unavailable().empty())
    throw EngineUnsuitable("formulas on a GPU: " + kernels_.unavailable());
  const Shape shape = problem_.shape;
  const std::int64_t across = (shape.columns - 1) / tile_.columns + 1;
  const std::int64_t down = (shape.rows - 1) / (tile_.rows * tile_.cells) + 1;
  if (across * down > std::numeric_limits<int>::max() / shape.planes)
    throw EngineUnsuitable("the grid has more tiles than the 2147483647 that one launch can take");
  grid_ = problem.grid();
  grid_.tiles[0] = static_cast<unsigned>(shape.planes);
  grid_.tiles[1] = static_cast<unsigned>(down);
  grid_.tiles[2] = static_cast<unsigned>(across);
  const int given = problem_.fields + static_cast<int>(problem_.coefficients.size());
  for (int array = given; array < problem_.arrays(); ++array)
    made_.push_back(device_buffer<T>(problem.stride()));
}

template <class T>
void StageTiles<T>::take(const T* from, T* to, std::int64_t step, cudaStream_t stream) {
  const bool first = launches_.empty();
  if (first) {
    kernels_.wait();
    if (!kernels_.unavailable().empty())  // not the user's fault: they are printed from trees
      throw DeviceError("internal error in kernels of formulas: {}\n{}", kernels_.unavailable(),
                        kernels_.messages());
    launches_.resize(problem_.stages.size());
    for (std::size_t i = 0; i < launches_.size(); ++i)
      launches_[i].kernel = kernels_.kernel(fmt::format("tile_{}", i));
  }
  const unsigned tiles = grid_.tiles[0] * grid_.tiles[1] * grid_.tiles[2];
  std::vector<const T*> arrays;
  std::vector<T*> written;
  for (int array = 0; array < problem_.arrays(); ++array) {
    if (array < problem_.fields) {
      arrays.push_back(from + array * on_device_.stride());
      written.push_back(to == nullptr ? nullptr : to + array * on_device_.stride());
    } else if (array < problem_.arrays() - std::ssize(made_)) {
      arrays.push_back(on_device_.coefficient(array));
      written.push_back(nullptr);
    } else {
      written.push_back(made_[array - problem_.arrays() + std::ssize(made_)].data());
      arrays.push_back(written.back());
    }
  }
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const Stage& stage = problem_.stages[i];
    if (first || in_time_) prepare(on_device_.time_of(step, stage), stage, launches_[i], stream);
    std::vector<T*> targets;
    for (const int target : stage.targets) targets.push_back(written[target]);
    launch(launches_[i].kernel, tiles, dim3(tile_.columns, tile_.rows), 0, stream,
           {&grid_, arrays.data(), targets.data(), launches_[i].arguments.data(),
            launches_[i].faces.data()});
    for (const int target : stage.targets) arrays[target] = written[target];
  }
}

template <class T>
void StageTiles<T>::prepare(double time, const Stage& stage, Launch& launch, cudaStream_t stream) {
  launch.arguments = on_device_.arguments(stage.tree, time);
  launch.arguments.resize(std::max<std::size_t>(launch.arguments.size(), 1));
  launch.faces.clear();
  for (int array = 0; array < problem_.arrays(); ++array)
    for (int axis = 0; axis < 3; ++axis)
      for (const bool last : {false, true})
        launch.faces.push_back({on_device_.law(array, axis, last), nullptr, 0});
  lay_laws(time, launch.faces, stream);
}

// A law that differs along its face is laid anew where it depends on the time. The kernels of a
// stream run one after the other, so that one table serves all stages.
template <class T>
void StageTiles<T>::lay_laws(double time, std::vector<FaceTable<T>>& faces, cudaStream_t stream) {
  for (std::size_t i = 0; i < problem_.laws.size(); ++i) {
    const VaryingFace& face = problem_.laws[i];
    FaceTable<T>& table = faces[(face.array * 3 + face.axis) * 2 + (face.last ? 1 : 0)];
    if (!reads_positions(face.law)) {
      table.everywhere = on_device_.law(face, time);
      continue;
    }
    const auto size = by_axis(problem_.shape);
    table.pitch = size[face.axis == 2 ? 1 : 2] + 2;
    const std::int64_t nodes = (size[face.axis == 0 ? 1 : 0] + 2) * table.pitch;
    const bool known = laws_.contains(i);
    if (!known) laws_.emplace(i, device_buffer<GhostLaw<T>>(nodes));
    GhostLaw<T>* const laws = laws_.at(i).data();
    table.each = laws;
    if (known && !reads_time(face.law)) continue;
    constexpr unsigned threads = 256;
    std::vector<T> arguments = on_device_.arguments(face.law, time);
    arguments.resize(std::max<std::size_t>(arguments.size(), 1));
    launch(kernels_.kernel(fmt::format("laws_{}", i)),
           static_cast<unsigned>((nodes - 1) / threads + 1), dim3(threads), 0, stream,
           {&grid_, arguments.data(), &laws});
  }
}

template <class T>
StageStream<T>::StageStream(const DeviceProblem<T>& problem, StreamPlan plan)
    : on_device_(problem),
      problem_(problem.problem()),
      plan_(std::move(plan)),
      kernels_(stream_kernel(problem_, plan_)) {
  const Shape shape = problem_.shape;
  const StreamSizes& sizes = plan_.sizes;
  const bool wraps = problem_.faces.front().columns.wrap();
  const std::int64_t inner = shape.columns - (wraps ? 0 : 2 * sizes.halo());
  grid_ = {static_cast<int>(shape.rows),
           static_cast<int>(shape.columns),
           static_cast<int>(std::max<std::int64_t>((inner - 1) / sizes.kept() + 1, 1)),
           problem.pitch(),
           problem.stride(),
           problem.positions(1),
           problem.positions(2)};
}

template <class T>
bool StageStream<T>::ready() {
  if (kernel_ == nullptr && kernels_.ready() && kernels_.unavailable().empty()) load();
  return kernel_ != nullptr;
}

template <class T>
std::string StageStream<T>::how() {
  if (ready()) return fmt::format("compiled for this run, {} steps a launch", steps());
  return kernels_.ready() ? "tiles: " + kernels_.unavailable() : "tiles until it is compiled";
}

template <class T>
void StageStream<T>::load() {
  kernel_ = kernels_.kernel("stream");
  const int shared = plan_.sizes.shared_bytes();
  LAPL_CUDA(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  int processors = 0, blocks = 0;
  LAPL_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, current_device()));
  LAPL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, kernel_, StreamSizes::lanes * plan_.sizes.warps, shared));
  // All at once on the device, and none without a row.
  blocks_ = static_cast<unsigned>(std::min<std::int64_t>(
      std::int64_t{grid_.strips} * grid_.rows, std::int64_t{processors} * std::max(blocks, 1)));
}

template <class T>
void StageStream<T>::prepare(std::int64_t first_step) {
  const auto stages = std::ssize(problem_.stages);
  const std::int64_t levels = plan_.in_time ? plan_.sizes.depth() : stages;
  arguments_.clear();
  laws_.clear();
  for (std::int64_t level = 0; level < levels; ++level) {
    const Stage& stage = problem_.stages[level % stages];
    const double time = on_device_.time_of(first_step + level / stages, stage);
    const std::vector<T> arguments = on_device_.arguments(stage.tree, time);
    arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
    const std::size_t first = laws_.size();
    for (int array = 0; array < problem_.arrays(); ++array)
      for (const int axis : {1, 2})
        for (const bool last : {false, true}) laws_.push_back(on_device_.law(array, axis, last));
    for (const VaryingFace& face : problem_.laws)
      laws_[first + face.array * 4 + (face.axis - 1) * 2 + (face.last ? 1 : 0)] =
          on_device_.law(face, time);
  }
  if (arguments_.empty()) arguments_.push_back(T(0));
}

template <class T>
void StageStream<T>::take(const T* from, T* to, std::int64_t first_step, cudaStream_t stream) {
  if (laws_.empty() || plan_.in_time) prepare(first_step);
  std::vector<GridIndex> sources;
  for (const int array : plan_.alive.front())
    sources.push_back(array < problem_.fields ? array * on_device_.stride()
                                              : distance(from, on_device_.coefficient(array)));
  launch(kernel_, blocks_, dim3(StreamSizes::lanes, plan_.sizes.warps), plan_.sizes.shared_bytes(),
         stream, {&grid_, sources.data(), arguments_.data(), laws_.data(), &from, &to});
}

template class DeviceProblem<float>;
template class DeviceProblem<double>;
template class StageTiles<float>;
template class StageTiles<double>;
template class StageStream<float>;
template class StageStream<double>;

}  // namespace lapl
