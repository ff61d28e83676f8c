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
        time_step_(problem.clock.step),
        first_(problem.part ? problem.part->in_block(0) : 0),
        threads_(threads),
        exchange_(problem, threads),
        transforms_(rates_->faces, exchange_, threads),
        rates_of_modes_(*rates_, rates_->faces, exchange_.grid()),
        modes_(exchange_.modes(), threads) {
    if (rates_->source.empty()) return;
    source_ = HostBuffer<double>(exchange_.modes(), threads);
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
    T* const own = buffers.current + first_;
    const auto to_state = ModeTransforms::into(own);
    if (slowest == 2) return transforms_.pass(2, own, through_modes, to_state);
    transforms_.forward_but_slowest(own, modes_.data());
    transforms_.pass(slowest, modes_.data(), through_modes, ModeTransforms::into(modes_.data()));
    transforms_.backward_but_slowest(modes_.data(), to_state);
  }

  int threads() const override { return threads_; }
  std::string how() override { return "its digests are not those of engines that step"; }

 private:
  static std::shared_ptr<const LinearRates> checked(std::shared_ptr<const LinearRates> rates) {
    if (!rates)
      throw EngineUnsuitable("engine spectral: only linear equations of one field are stepped");
    return rates;
  }

  // Steps a line of modes along the slowest axis; `index` counts this rank's lines.
  void step_modes(const ModeSteps& taken, double* line, std::int64_t index) const {
    const LineRange lines = exchange_.lines();
    rates_of_modes_.for_line(lines.first + index, [&](std::int64_t mode, double rate) {
      const double source = source_.size() == 0 ? 0 : source_.data()[mode * lines.count + index];
      line[mode] = transforms_.scale() * taken.of(line[mode], rate, source);
    });
  }

  std::shared_ptr<const LinearRates> rates_;
  double time_step_;
  std::int64_t first_;  // own cell of the block
  int threads_;
  LineExchange exchange_;
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
