// Engine "spectral" with etdrk2 and etdrk4 on a GPU: like kernels/cpu/exponential.cpp, with the
// transforms of kernels/cuda/ahead/spectral_transforms.cuh.
//
// On several ranks, each stage fills the halo of its state, and lines go to their ranks
// (kernels/cuda/ranks/device_lines.hpp).
//
// Bytes that a stage moves per cell beside its two transforms, for one field: 16 or more for the
// rates, 24 to 88 for the modes and 8 for the state that changes are added to.
#include <deque>
#include <optional>
#include <type_traits>

#include "kernels/cuda/ahead/spectral_transforms.cuh"
#include "kernels/cuda/cuda_engine.hpp"
#include "kernels/cuda/ranks/device_halo.hpp"
#include "kernels/spectral/exponential_factors.hpp"
#include "kernels/spectral/exponential_modes.hpp"

namespace lapl {
namespace {

template <ModeStage stage, int size>
__global__ void __launch_bounds__(block_threads)
    take_modes_of(const __grid_constant__ ExponentialModes modes) {
  const std::int64_t at = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (at < modes.cells) take_mode<stage, size>(modes, at);
}

template <class T>
__global__ void __launch_bounds__(block_threads)
    to_float64(const T* from, std::int64_t from_pitch, double* to, std::int64_t to_pitch,
               std::int64_t columns) {
  const std::int64_t column = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t row = blockIdx.y + std::int64_t{blockIdx.z} * gridDim.y;
  if (column < columns)
    to[row * to_pitch + column] = static_cast<double>(from[row * from_pitch + column]);
}

// Adds a change to the value before. Lines are rows.
template <class T>
struct AddChange {
  const T* before;
  std::int64_t pitch;

  __device__ __forceinline__ double operator()(std::int64_t row, std::int64_t column,
                                               double change) const {
    return static_cast<double>(before[row * pitch + column]) + change;
  }
};

// The largest error of the fields so far, beside what it may be; NaN if one is.
template <class T>
struct LargestError {
  const T* before;
  const T* after;
  const T* errors;  // of the fields before; null for the first
  std::int64_t pitch;
  double relative, absolute;

  __device__ double operator()(std::int64_t row, std::int64_t column, double error) const {
    const std::int64_t at = row * pitch + column;
    const auto scaled = static_cast<double>(static_cast<T>(
        ExponentialRates::scaled(error, static_cast<double>(before[at]),
                                 static_cast<double>(after[at]), relative, absolute)));
    if (errors == nullptr) return scaled;
    const auto others = static_cast<double>(errors[at]);
    return scaled <= others || others != others ? others : scaled;
  }
};

template <class T>
class ExponentialEngine final : public CudaEngine<T> {
 public:
  ExponentialEngine(const Problem<T>& problem, std::unique_ptr<CudaEngine<double>> rates,
                    cudaStream_t stream)
      : by_(problem.exponential),
        shape_(problem.shape),
        first_row_(problem.part ? problem.part->in_block(0) / shape_.columns : 0),
        fields_(problem.state_fields()),
        measures_error_(problem.measures_error),
        names_time_(names_time(by_->rates)),
        clock_(problem.clock),
        rates_(std::move(rates)),
        exchange_(problem) {
    if (problem.by && problem.by->depth > 0)
      halo_ = make_device_halo<double>(*problem.by, problem.ranks->rank(), problem.state_fields(),
                                       problem.devices);
    for (const ExponentialRates::Group& group : by_->groups)
      groups_.emplace_back(*this, group, stream);
    const std::int64_t values = fields_ * exchange_.modes(),
                       padded = fields_ * rows() * wide_pitch();
    require_beside_grid(static_cast<double>(5 * values + 2 * padded) * sizeof(double));
    for (Rates& of : known_) of.modes = device_buffer<double>(values);
    for (DeviceBuffer<double>* modes : {&made_, &change_, &kept_})
      *modes = device_buffer<double>(values);
    for (DeviceBuffer<double>* on_grid : {&state_, &rates_on_grid_})
      *on_grid = device_buffer<double>(padded);
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps,
               cudaStream_t stream) override {
    for (std::int64_t step = first_step; step < first_step + steps; ++step) {
      take_step(buffers, step, stream);
      buffers.swap();
    }
    if (has_reductions(by_->rates)) by_->rates.ranks->any(false);
  }

  void set_clock(const StepTimes& clock) override { clock_ = clock; }
  void forget_state() override {
    for (Rates& of : known_) of.state = nullptr;
  }
  void settle() override { rates_->settle(); }
  std::string how() override { return "its digests are not those of engines that step"; }

 private:
  struct Group {
    Group(const ExponentialEngine& in, const ExponentialRates::Group& group, cudaStream_t stream)
        : of(&group),
          transforms(group.faces, in.exchange_, stream),
          factors(group, in.by_->order, in.exchange_.grid(), in.exchange_.lines()) {
      require_beside_grid(static_cast<double>(factors.values()) * sizeof(double));
      coefficients = device_buffer<double>(factors.values());
    }

    const ExponentialRates::Group* of;
    DeviceTransforms transforms;
    ExponentialFactors factors;
    DeviceBuffer<double> coefficients;
  };
  // The modes of the rates of a state, which is not changed while they are kept.
  struct Rates {
    const T* state = nullptr;
    double time = 0;
    DeviceBuffer<double> modes;
  };

  // The functions that take_exponential_step calls.
  struct Step {
    ExponentialEngine& in;
    const T* before;
    T* after;
    std::int64_t step;
    Rates &first, &last;  // of the states before and after
    cudaStream_t stream;

    template <ModeStage stage>
    void take() {
      for (const Group& group : in.groups_) {
        ExponentialModes modes = in.modes_of(group, first.modes.data());
        if (stage == ModeStage::error) modes.rates = last.modes.data();
        launch<stage>(modes);
      }
      if (stage == ModeStage::error) in.store_errors(before, after, false, stream);
    }
    template <ModeStage stage>
    void take_gap(double share, bool adds) {
      for (const Group& group : in.groups_) {
        ExponentialModes modes = in.modes_of(group, nullptr);
        modes.after = last.modes.data();
        modes.share = share;
        modes.adds = adds;
        launch<stage>(modes);
      }
      if (stage == ModeStage::gap_error) in.store_errors(before, after, true, stream);
    }
    template <ModeStage stage>
    void launch(const ExponentialModes& modes) {
      const auto blocks = static_cast<unsigned>((modes.cells + block_threads - 1) / block_threads);
      if (blocks == 0) return;
      if (modes.count == 1)
        take_modes_of<stage, 1><<<blocks, block_threads, 0, stream>>>(modes);
      else
        take_modes_of<stage, 0><<<blocks, block_threads, 0, stream>>>(modes);
      LAPL_CUDA(cudaGetLastError());
    }
    void evaluate(double part) {
      in.add_change(before, in.state_.data(), in.wide_pitch(), stream);
      in.find_rates(in.state_.data(), in.clock_.time(step, part), in.made_.data(), stream);
    }
    void finish() { in.add_change(before, after, in.pitch(), stream); }
    void measure() {
      last.time = in.clock_.time(step, 1);
      in.find_rates(after, last.time, last.modes.data(), stream);
      last.state = after;
    }
    void measure_at(double part) {
      in.find_rates(after, in.clock_.time(step, part), in.made_.data(), stream);
    }
  };

  std::int64_t rows() const { return shape_.planes * shape_.rows; }
  // The own cells of a field in an array with `pitch` values from row to row.
  std::int64_t first_of(std::int64_t field, std::int64_t pitch) const {
    return (field * rows() + first_row_) * pitch;
  }
  std::int64_t pitch() const { return field_layout<T>(shape_).pitch; }
  std::int64_t wide_pitch() const { return field_layout<double>(shape_).pitch; }

  void take_step(const DoubleBuffer<T>& buffers, std::int64_t step, cudaStream_t stream) {
    if (factors_for_ != clock_.step) {
      for (const Group& group : groups_) {
        std::vector<double> made(static_cast<std::size_t>(group.factors.values()));
        group.factors.compute(clock_.step, made.data(), useful_threads(shape_));
        to_device(made, group.coefficients.data(), stream);
      }
      factors_for_ = clock_.step;
    }
    const double time = clock_.time(step);
    const auto is_known = [&](const Rates& of) {
      return of.state == buffers.current && (of.time == time || !names_time_);
    };
    Rates& first = is_known(known_[1]) ? known_[1] : known_[0];
    Rates& last = &first == &known_[0] ? known_[1] : known_[0];
    if (!is_known(first)) {
      find_rates(buffers.current, time, first.modes.data(), stream);
      first.state = measures_error_ ? buffers.current : nullptr;
      first.time = time;
    }
    last.state = nullptr;
    Step taken{*this, buffers.current, buffers.next, step, first, last, stream};
    take_exponential_step(taken, by_->order, measures_error_, names_time_, clock_.step);
  }

  ExponentialModes modes_of(const Group& group, const double* first) const {
    ExponentialModes modes;
    modes.order = by_->order;
    modes.count = group.of->size();
    std::ranges::copy(group.of->fields, modes.fields);
    modes.cells = exchange_.modes();
    modes.scale = group.transforms.scale();
    modes.coefficients = group.coefficients.data();
    modes.first = first;
    modes.rates = modes.made = made_.data();
    modes.change = change_.data();
    modes.kept = kept_.data();
    return modes;
  }

  // Makes the modes of the rates of a state.
  template <class From>
  void find_rates(From* state, double time, double* modes, cudaStream_t stream) {
    double* from = state_.data();
    if constexpr (std::is_same_v<From, double>) {
      from = state;
    } else {
      const std::int64_t all = fields_ * rows();
      for (std::int64_t row = 0; row < all; row += 65535) {
        const dim3 blocks(
            static_cast<unsigned>((shape_.columns + block_threads - 1) / block_threads),
            static_cast<unsigned>(std::min<std::int64_t>(all - row, 65535)));
        to_float64<<<blocks, block_threads, 0, stream>>>(state + row * pitch(), pitch(),
                                                         from + row * wide_pitch(), wide_pitch(),
                                                         shape_.columns);
        LAPL_CUDA(cudaGetLastError());
      }
    }
    Ranks& ranks = *by_->rates.ranks;
    if (halo_) halo_->fill(ranks, Block<double>{shape_, wide_pitch(), from, stream});
    StepTimes clock;
    clock.step = clock_.step;
    clock.start = time;
    rates_->set_clock(clock);
    DoubleBuffer<double> buffers{from, rates_on_grid_.data()};
    // Ranks without cells wait for this.
    if (has_reductions(by_->rates)) ranks.any(true);
    rates_->advance(buffers, 0, 1, stream);
    for (const Group& group : groups_)
      for (const int field : group.of->fields)
        group.transforms.forward_all(buffers.current + first_of(field, wide_pitch()), wide_pitch(),
                                     modes + field * exchange_.modes(), stream);
  }

  // Adds the change in made_ to a state.
  template <class To>
  void add_change(const T* before, To* after, std::int64_t to_pitch, cudaStream_t stream) {
    for (const Group& group : groups_)
      for (const int field : group.of->fields)
        group.transforms.backward_all(
            made_.data() + field * exchange_.modes(), after + first_of(field, to_pitch), to_pitch,
            AddChange<T>{before + first_of(field, pitch()), pitch()}, stream);
  }

  // The error in made_ as Problem::measures_error has it; the larger of it and of what is stored if
  // it `adds` to that.
  void store_errors(const T* before, T* after, bool adds, cudaStream_t stream) {
    T* const errors = after + first_of(fields_, pitch());
    bool is_first = !adds;
    for (const Group& group : groups_)
      for (const int field : group.of->fields) {
        const std::int64_t start = first_of(field, pitch());
        const LargestError<T> largest{before + start, after + start, is_first ? nullptr : errors,
                                      pitch(),        by_->relative, by_->absolute};
        group.transforms.backward_all(made_.data() + field * exchange_.modes(), errors, pitch(),
                                      largest, stream);
        is_first = false;
      }
  }

  std::shared_ptr<const ExponentialRates> by_;
  Shape shape_;             // of the block
  std::int64_t first_row_;  // of its own cells
  std::int64_t fields_;
  bool measures_error_, names_time_;
  StepTimes clock_;
  std::unique_ptr<CudaEngine<double>> rates_;
  DeviceLines exchange_;
  std::unique_ptr<Halo<double>> halo_;  // null where no axis is cut
  std::deque<Group> groups_;
  std::optional<double> factors_for_;  // the size of steps that the coefficients are for
  std::array<Rates, 2> known_;
  DeviceBuffer<double> state_, rates_on_grid_;  // of a stage
  DeviceBuffer<double> made_, change_, kept_;   // modes
};

}  // namespace

template <class T>
std::unique_ptr<CudaEngine<T>> make_exponential_cuda_engine(
    const Problem<T>& problem, std::unique_ptr<CudaEngine<double>> rates, cudaStream_t stream) {
  return std::make_unique<ExponentialEngine<T>>(problem, std::move(rates), stream);
}
template std::unique_ptr<CudaEngine<float>> make_exponential_cuda_engine(
    const Problem<float>&, std::unique_ptr<CudaEngine<double>>, cudaStream_t);
template std::unique_ptr<CudaEngine<double>> make_exponential_cuda_engine(
    const Problem<double>&, std::unique_ptr<CudaEngine<double>>, cudaStream_t);

}  // namespace lapl
