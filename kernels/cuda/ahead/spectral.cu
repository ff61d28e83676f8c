// Engine "spectral" on a GPU: like kernels/cpu/spectral.cpp, with the transforms of
// kernels/cuda/ahead/spectral_transforms.cuh.
//
//   columns forward -> (rows forward) -> slowest axis forward, modes, backward -> (rows) -> columns
#include <algorithm>

#include "kernels/cuda/ahead/spectral_transforms.cuh"
#include "kernels/cuda/cuda_engine.hpp"

namespace lapl {
namespace {

template <class T>
class SpectralEngine final : public CudaEngine<T> {
 public:
  SpectralEngine(const Problem<T>& problem, cudaStream_t stream)
      : rates_(checked(problem.linear_rates)),
        shape_(problem.shape),
        first_row_(problem.part ? problem.part->in_block(0) / shape_.columns : 0),
        time_step_(problem.clock.step),
        exchange_(problem),
        transforms_(rates_->faces, exchange_, stream) {
    const std::int64_t fields = rates_->source.empty() ? 1 : 2;
    require_beside_grid(static_cast<double>(fields * exchange_.modes()) * sizeof(double));
    modes_ = device_buffer<double>(exchange_.modes());
    lay_rates(stream);
    if (rates_->source.empty()) return;
    source_ = device_buffer<double>(exchange_.modes());
    double* const slab = exchange_.slab(source_.data());
    to_device(rates_->source, slab, stream);
    transforms_.forward_all(slab, shape_.columns, source_.data(), stream);
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps,
               cudaStream_t stream) override {
    if (steps == 0) return;
    const StepModes step = steps_of(steps);
    double* const modes = modes_.data();
    const int slowest = transforms_.slowest();
    const std::int64_t pitch = field_layout<T>(shape_).pitch;
    T* const own = buffers.current + first_row_ * pitch;
    if (slowest == 2)
      return transforms_.through_modes(own, transforms_.lines_along(2, pitch), modes, step, stream);
    transforms_.forward_but_slowest(own, pitch, modes, stream);
    transforms_.through_modes(modes, transforms_.along(slowest).lines, modes, step, stream);
    transforms_.backward_but_slowest(modes, own, pitch, stream);
  }

  std::string how() override { return "its digests are not those of engines that step"; }

 private:
  static std::shared_ptr<const LinearRates> checked(std::shared_ptr<const LinearRates> rates) {
    if (!rates)
      throw EngineUnsuitable("engine spectral: only linear equations of one field are stepped");
    return rates;
  }

  // Copies the terms of the rate and the distances of each mode to device memory.
  void lay_rates(cudaStream_t stream) {
    std::vector<double> all;
    std::array<std::int64_t, 3> first = {};
    for (int axis = transforms_.slowest(); axis < 3; ++axis) {
      int most = 0;
      for (const LinearRates::Term& term : rates_->terms) most = std::max(most, term.turns[axis]);
      first[axis] = std::ssize(all);
      for (int turns = 0; turns <= most; ++turns)
        std::ranges::copy(transforms_.along(axis).line.modes.distances(turns),
                          std::back_inserter(all));
    }
    distances_ = device_buffer<double>(std::ssize(all));
    to_device(all, distances_.data(), stream);
    for (int axis = 0; axis < 3; ++axis) distances_of_[axis] = distances_.data() + first[axis];
    std::vector<Term> terms;
    for (const auto& [weight, turns] : rates_->terms)
      terms.push_back({weight, {turns[0], turns[1], turns[2]}});
    if (terms.empty()) return;
    terms_ = device_buffer<Term>(std::ssize(terms));
    to_device(terms, terms_.data(), stream);
  }

  StepModes steps_of(std::int64_t steps) const {
    const Shape grid = exchange_.grid();
    return {.steps = ModeSteps(*rates_, time_step_, steps),
            .scale = transforms_.scale(),
            .of_mean = rates_->of_mean,
            .terms = terms_.data(),
            .term_count = static_cast<int>(rates_->terms.size()),
            .slowest = transforms_.slowest(),
            .sizes = {grid.planes, grid.rows, grid.columns},
            .first_line = exchange_.lines().first,
            .lines = exchange_.lines().count,
            .distances = {distances_of_[0], distances_of_[1], distances_of_[2]},
            .source = source_.data()};
  }

  std::shared_ptr<const LinearRates> rates_;
  Shape shape_;             // of the block
  std::int64_t first_row_;  // of its own cells
  double time_step_;
  DeviceLines exchange_;
  DeviceTransforms transforms_;
  DeviceBuffer<double> modes_, source_, distances_;
  DeviceBuffer<Term> terms_;
  std::array<const double*, 3> distances_of_ = {};
};

}  // namespace

template <class T>
std::unique_ptr<CudaEngine<T>> make_spectral_cuda_engine(const Problem<T>& problem,
                                                         cudaStream_t stream) {
  return std::make_unique<SpectralEngine<T>>(problem, stream);
}
template std::unique_ptr<CudaEngine<float>> make_spectral_cuda_engine(const Problem<float>&,
                                                                      cudaStream_t);
template std::unique_ptr<CudaEngine<double>> make_spectral_cuda_engine(const Problem<double>&,
                                                                       cudaStream_t);

}  // namespace lapl
