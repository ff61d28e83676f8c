#include "kernels/cuda/run_time/stage_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/device/field_layout.hpp"
#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

// The distance in values from one allocation to another.
template <class T>
GridIndex distance(const T* from, const T* to) {
  return (reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(from)) /
         static_cast<std::intptr_t>(sizeof(T));
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  LAPL_CUDA(cudaDeviceGetAttribute(&value, which, current_device()));
  return value;
}

// Streaming kernels: a launch runs as many steps as it has levels for.
template <class T, class Plan, class Grid>
class StageLevels : public StagePasses<T> {
 public:
  std::int64_t launch_steps(const T* from, T* to, std::int64_t first_step, std::int64_t steps,
                            cudaStream_t stream) final {
    const std::int64_t taken = depth_ / std::ssize(this->problem_.stages);
    if (steps < taken) return 0;
    if (conditions_.empty() || plan_.in_time) prepare(first_step, stream);
    const std::vector<GridIndex> sources = this->sources(from, plan_.alive.front());
    const std::vector<FaceTable<T>> tables = tables_.all();
    if (error_.on_host != nullptr) {
      if (*error_.on_host < 0) LAPL_CUDA(cudaStreamSynchronize(stream));  // of a launch before
      *error_.on_host = -1;
    }
    this->kernel_.launch(blocks_, this->threads_, this->shared_bytes_, stream,
                         {&grid_, sources.data(), arguments_.data(), conditions_.data(),
                          tables.data(), &from, &to, &error_});
    return taken;
  }
  void forget_time() final { conditions_.clear(); }
  const double* largest_error() const final { return error_.on_host; }

 protected:
  StageLevels(const DeviceProblem<T>& problem, KernelText text, const char* name, dim3 threads,
              int depth, const Plan& plan)
      : StagePasses<T>(problem, std::move(text), name, threads, plan.sizes.shared_bytes(),
                       [steps = depth / std::ssize(problem.problem().stages)] {
                         return steps == 1 ? std::string("one step a launch")
                                           : fmt::format("{} steps a launch", steps);
                       }()),
        plan_(plan),
        depth_(depth),
        tables_(problem) {}

  // For kernels that find the largest error of a step.
  void find_error() {
    error_bits_ = device_buffer<unsigned long long>(2);
    error_on_host_ = pinned_buffer<double>(1);
    LAPL_CUDA(cudaMemset(error_bits_.data(), 0, 2 * sizeof(unsigned long long)));
    error_ = {error_bits_.data(), reinterpret_cast<unsigned*>(error_bits_.data() + 1),
              error_on_host_.data()};
    *error_.on_host = 0;
  }

  Plan plan_;
  Grid grid_{};
  unsigned blocks_ = 0;

 private:
  void prepare(std::int64_t first_step, cudaStream_t stream) {
    const auto stages = std::ssize(this->problem_.stages);
    const std::int64_t levels = plan_.in_time ? depth_ : stages;
    arguments_.clear();
    conditions_.clear();
    std::vector<double> times;
    for (std::int64_t level = 0; level < levels; ++level) {
      const Stage& stage = this->problem_.stages[level % stages];
      const Moment at = this->on_device_.stage_moment(first_step + level / stages, stage);
      const std::vector<T> arguments = this->on_device_.arguments(stage.tree, at);
      arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
      const std::vector<GhostCondition<T>> conditions = this->on_device_.conditions(at.time);
      conditions_.insert(conditions_.end(), conditions.begin(), conditions.end());
      times.push_back(at.time);
    }
    if (arguments_.empty()) arguments_.push_back(T(0));
    if (!plan_.in_time) times.resize(1);
    tables_.compute(this->kernels_, times, stream);
  }

  int depth_;
  FaceTables<T> tables_;
  std::vector<T> arguments_;
  std::vector<GhostCondition<T>> conditions_;
  DeviceBuffer<unsigned long long> error_bits_;
  PinnedBuffer<double> error_on_host_;
  LargestError error_{};
};

template <class T>
class StageStream final : public StageLevels<T, StreamPlan, StreamGrid<T>> {
 public:
  StageStream(const DeviceProblem<T>& problem, const StreamPlan& plan)
      : StageLevels<T, StreamPlan, StreamGrid<T>>(
            problem, stream_kernel(problem.problem(), plan), "stream",
            dim3(StreamSizes::lanes, plan.sizes.warps), plan.sizes.depth(), plan) {
    const Shape shape = this->problem_.shape;
    const StreamSizes& sizes = this->plan_.sizes;
    const bool wraps = this->problem_.faces.front().columns.wrap();
    const std::int64_t columns = wraps ? shape.columns : whole_vectors(shape.columns, sizeof(T));
    const std::int64_t inner = columns - (wraps ? 0 : 2 * sizes.halo());
    this->grid_ = {static_cast<int>(shape.rows),
                   static_cast<int>(columns),
                   static_cast<int>(std::max<std::int64_t>((inner - 1) / sizes.kept() + 1, 1)),
                   problem.pitch(),
                   problem.stride(),
                   problem.positions(1),
                   problem.positions(2),
                   problem.cell_indices()};
    if (problem.problem().measures_error) this->find_error();
  }

 private:
  // As many blocks as can run at the same time, but not more than all strips have rows.
  void loaded(int blocks) override {
    this->blocks_ = static_cast<unsigned>(
        std::min<std::int64_t>(std::int64_t{this->grid_.strips} * this->grid_.rows,
                               std::int64_t{device_limits().processors} * blocks));
  }
};

template <class T>
class StageVolume final : public StageLevels<T, VolumePlan, VolumeGrid<T>> {
 public:
  StageVolume(const DeviceProblem<T>& problem, const VolumePlan& plan)
      : StageLevels<T, VolumePlan, VolumeGrid<T>>(
            problem, volume_kernel(problem.problem(), plan), "volume",
            dim3(VolumeSizes::lanes, VolumeSizes::warps), plan.sizes.levels, plan) {
    const Shape shape = this->problem_.shape;
    const Faces<T>& faces = this->problem_.faces.front();
    const VolumeSizes& sizes = this->plan_.sizes;
    const auto tiles = [](std::int64_t size, bool wraps, int tile, int kept) {
      const std::int64_t inner = size - (wraps ? 0 : tile - kept);
      return static_cast<int>(std::max<std::int64_t>((inner - 1) / kept + 1, 1));
    };
    VolumeGrid<T>& grid = this->grid_;
    grid.planes = static_cast<int>(shape.planes);
    grid.rows = static_cast<int>(shape.rows);
    const bool wraps = faces.columns.wrap();
    grid.columns =
        static_cast<int>(wraps ? shape.columns : whole_vectors(shape.columns, sizeof(T)));
    grid.tiles_down = tiles(shape.rows, faces.rows.wrap(), sizes.height(), sizes.kept_rows());
    grid.tiles_across = tiles(grid.columns, wraps, sizes.width(), sizes.kept_columns());
    grid.pitch = problem.pitch();
    grid.plane_stride = shape.rows * problem.pitch();
    grid.field_stride = problem.stride();
    for (int axis = 0; axis < 3; ++axis) grid.positions[axis] = problem.positions(axis);
    grid.cells = problem.cell_indices();
  }

 private:
  // Blocks compute most tiles whole, in rounds of one tile per block, and the other tiles in chunks
  // of planes. Chooses the number of whole tiles and of chunks with which a block computes the
  // fewest planes, repeated ones included.
  void loaded(int blocks_at_once) override {
    VolumeGrid<T>& grid = this->grid_;
    const int blocks = device_limits().processors * blocks_at_once;
    const int tiles = grid.tiles_down * grid.tiles_across;
    const int lost = 2 * this->plan_.sizes.levels + 4;
    std::int64_t least = 0;
    for (int whole = 0; whole <= tiles; whole += blocks)
      for (int chunks = 1; chunks <= std::min(64, grid.planes); ++chunks) {
        const std::int64_t rounds = (std::int64_t{tiles - whole} * chunks + blocks - 1) / blocks;
        const std::int64_t planes = std::int64_t{whole / blocks} * (grid.planes + lost) +
                                    rounds * ((grid.planes + chunks - 1) / chunks + lost);
        if (least != 0 && planes >= least) continue;
        least = planes;
        grid.whole = whole;
        grid.chunks = chunks;
        this->blocks_ = static_cast<unsigned>(
            whole > 0 ? blocks : std::min<std::int64_t>(blocks, std::int64_t{tiles} * chunks));
      }
  }
};

template <class T>
class StageResident final : public StagePasses<T> {
 public:
  StageResident(const DeviceProblem<T>& problem, const ResidentPlan& plan)
      : StagePasses<T>(problem, resident_kernel(problem.problem(), plan), "resident",
                       dim3(32, ResidentPlan::warps), plan.shared_bytes,
                       fmt::format("{} x {} tiles, {} steps between exchanges", plan.tiles_down,
                                   plan.tiles_across, plan.depth)),
        plan_(plan),
        images_(device_buffer<T>(2 * problem.problem().step_fields * problem.stride())),
        flags_(device_buffer<unsigned>(plan_.tiles_down * plan_.tiles_across)),
        conditions_(problem.conditions(0)) {
    LAPL_CUDA(cudaMemset(flags_.data(), 0, static_cast<std::size_t>(flags_.size()) * 4));
    const Problem<T>& given = this->problem_;
    set_arguments();
    arrays_.resize(given.step_fields + given.coefficients.size());
    std::iota(arrays_.begin(), arrays_.end(), 0);
    grid_ = {.rows = static_cast<int>(given.shape.rows),
             .columns = static_cast<int>(given.shape.columns),
             .tiles_down = plan_.tiles_down,
             .tiles_across = plan_.tiles_across,
             .steps = 0,
             .published = 0,
             .flags = flags_.data(),
             .pitch = problem.pitch(),
             .field_stride = problem.stride(),
             .images = {images_.data(), images_.data() + given.step_fields * problem.stride()},
             .positions = {problem.positions(1), problem.positions(2)}};
  }

  std::int64_t launch_steps(const T* from, T* to, std::int64_t, std::int64_t steps,
                            cudaStream_t stream) override {
    constexpr std::int64_t most_steps = 1 << 16;  // a launch of about a tenth of a second
    const std::int64_t taken = std::min(steps, most_steps);
    grid_.steps = static_cast<int>(taken);
    std::vector<GridIndex> sources = this->sources(from, arrays_);
    sources.resize(this->problem_.arrays());
    this->kernel_.launch(
        static_cast<unsigned>(plan_.tiles_down * plan_.tiles_across), this->threads_,
        this->shared_bytes_, stream,
        {&grid_, sources.data(), arguments_.data(), conditions_.data(), &from, &to},
        Launch::cooperative);
    grid_.published += static_cast<unsigned>((taken - 1) / plan_.depth);
    return taken;
  }
  void forget_time() override { set_arguments(); }

 private:
  void set_arguments() {
    arguments_.clear();
    for (const Stage& stage : this->problem_.stages) {
      const std::vector<T> arguments = this->on_device_.arguments(stage.tree, 0);
      arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
    }
    if (arguments_.empty()) arguments_.push_back(T(0));
  }

  void loaded(int blocks) override {
    if (blocks < 1)
      throw DeviceError("internal error: a block of engine resident does not fit on the device");
  }

  ResidentPlan plan_;
  DeviceBuffer<T> images_;
  DeviceBuffer<unsigned> flags_;
  std::vector<GhostCondition<T>> conditions_;
  std::vector<T> arguments_;
  std::vector<int> arrays_;  // indices of the fields and coefficients
  ResidentGrid<T> grid_{};
};

}  // namespace

template <class T>
StagePasses<T>::StagePasses(const DeviceProblem<T>& problem, KernelText text, const char* name,
                            dim3 threads, int shared_bytes, std::string how)
    : on_device_(problem),
      problem_(problem.problem()),
      threads_(threads),
      shared_bytes_(shared_bytes),
      kernels_(std::move(text)),
      name_(name),
      how_(std::move(how)) {}

template <class T>
bool StagePasses<T>::ready() {
  if (!kernel_ && kernels_.ready() && kernels_.unavailable().empty()) {
    kernel_ = kernels_.kernel(name_);
    kernel_.allow_shared_bytes(shared_bytes_);
    loaded(kernel_.blocks_of_processor(static_cast<int>(threads_.x * threads_.y), shared_bytes_));
  }
  return static_cast<bool>(kernel_);
}

template <class T>
std::string StagePasses<T>::how() {
  if (ready()) return "compiled for this run, " + how_;
  return settled() ? "tiles: " + kernels_.unavailable() : "tiles until it is compiled";
}

template <class T>
std::vector<GridIndex> StagePasses<T>::sources(const T* from,
                                               const std::vector<int>& arrays) const {
  std::vector<GridIndex> sources;
  for (const int array : arrays)
    sources.push_back(array < problem_.step_fields ? array * on_device_.stride()
                                                   : distance(from, on_device_.coefficient(array)));
  return sources;
}

template <class T>
std::unique_ptr<StagePasses<T>> make_stage_stream(const DeviceProblem<T>& problem,
                                                  const StreamPlan& plan) {
  return std::make_unique<StageStream<T>>(problem, plan);
}

template <class T>
std::unique_ptr<StagePasses<T>> make_stage_volume(const DeviceProblem<T>& problem,
                                                  const VolumePlan& plan) {
  return std::make_unique<StageVolume<T>>(problem, plan);
}

DeviceLimits device_limits() {
  return {.processors = attribute(cudaDevAttrMultiProcessorCount),
          .shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          .cooperative = attribute(cudaDevAttrCooperativeLaunch) != 0};
}

template <class T>
std::unique_ptr<StagePasses<T>> make_stage_resident(const DeviceProblem<T>& problem,
                                                    const ResidentPlan& plan) {
  return std::make_unique<StageResident<T>>(problem, plan);
}

template class StagePasses<float>;
template class StagePasses<double>;
LAPL_FOR_FLOATS(make_stage_stream);
LAPL_FOR_FLOATS(make_stage_volume);
LAPL_FOR_FLOATS(make_stage_resident);

}  // namespace lapl
