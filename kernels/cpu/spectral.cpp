// Engine "spectral": any number of steps of a linear equation at the cost of two transforms
// (kernels/cpu/mode_transforms.hpp), in float64 whatever the precision of the field.
//
//   columns forward -> (rows forward) -> slowest axis forward, modes, backward -> (rows) -> columns
#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/mode_transforms.hpp"
#include "kernels/spectral/rates_of_modes.hpp"

namespace lapl {
namespace {

template <class T>
class SpectralEngine final : public CpuEngine<T> {
 public:
  SpectralEngine(const Problem<T>& problem, int threads)
      : rates_(checked(problem.linear_rates)),
        shape_(problem.shape),
        time_step_(problem.clock.step),
        threads_(threads),
        transforms_(rates_->faces, shape_, threads),
        rates_of_modes_(*rates_, rates_->faces, shape_),
        modes_(shape_.cells(), threads) {
    if (rates_->source.empty()) return;
    source_ = HostBuffer<double>(shape_.cells(), threads);
    transforms_.forward(rates_->source.data(), source_.data());
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps) override {
    if (steps == 0) return;
    const ModeSteps taken(*rates_, time_step_, steps);
    const int slowest = transforms_.slowest();
    const AxisTransform& along = transforms_.along(slowest);
    const auto through_modes = [&](double* line, std::int64_t index) {
      along.forward(line);
      step_modes(taken, line, index);
      along.backward(line);
    };
    const auto to_state = ModeTransforms::into(buffers.current);
    if (slowest == 2) return transforms_.pass(2, buffers.current, through_modes, to_state);
    transforms_.forward(buffers.current, modes_.data(), slowest + 1);
    transforms_.pass(slowest, modes_.data(), through_modes, ModeTransforms::into(modes_.data()));
    transforms_.backward(modes_.data(), slowest + 1, to_state);
  }

  int threads() const override { return threads_; }
  std::string how() override { return "its digests are not those of engines that step"; }

 private:
  static std::shared_ptr<const LinearRates> checked(std::shared_ptr<const LinearRates> rates) {
    if (!rates)
      throw EngineUnsuitable("engine spectral: only linear equations of one field are stepped");
    return rates;
  }

  // Steps a line of modes along the slowest axis; `index` is the line's index along its faster
  // axes.
  void step_modes(const ModeSteps& taken, double* line, std::int64_t index) const {
    const std::int64_t stride = shape_.cells() / transforms_.along(transforms_.slowest()).size();
    rates_of_modes_.for_line(index, [&](std::int64_t mode, double rate) {
      const double source = source_.size() == 0 ? 0 : source_.data()[mode * stride + index];
      line[mode] = transforms_.scale() * taken.of(line[mode], rate, source);
    });
  }

  std::shared_ptr<const LinearRates> rates_;
  Shape shape_;
  double time_step_;
  int threads_;
  ModeTransforms transforms_;
  RatesOfModes rates_of_modes_;
  HostBuffer<double> modes_, source_;
};

}  // namespace

template <class T>
std::unique_ptr<CpuEngine<T>> make_spectral_engine(const Problem<T>& problem, int threads) {
  return std::make_unique<SpectralEngine<T>>(problem, threads);
}
template std::unique_ptr<CpuEngine<float>> make_spectral_engine(const Problem<float>&, int);
template std::unique_ptr<CpuEngine<double>> make_spectral_engine(const Problem<double>&, int);

}  // namespace lapl
