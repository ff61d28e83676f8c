// Any number of steps of a linear equation at the cost of two transforms.
//
//   columns forward -> (rows forward) -> slowest axis forward, modes, backward -> (rows) -> columns
#pragma once

#include "kernels/error.hpp"
#include "kernels/spectral/mode_stepper.hpp"
#include "kernels/spectral/spectral_modes.hpp"

namespace lapl {

template <class T, class Machine>
class LinearStepper final : public ModeStepper<T> {
 public:
  /// Keeps a reference to `on`. Throws EngineUnsuitable if the problem has no linear rates.
  LinearStepper(const Problem<T>& problem, Machine& on)
      : rates_(checked(problem.linear_rates)),
        time_step_(problem.clock.step),
        pitch_(on.template pitch<T>()),
        first_(first_own(problem, pitch_)),
        transforms_(on.transforms(rates_->faces)),
        linear_(on.linear(*rates_)) {
    const std::int64_t modes = on.exchange().modes();
    on.require((rates_->source.empty() ? 1 : 2) * modes);
    modes_ = on.allocate(modes);
    if (rates_->source.empty()) return;
    source_ = on.allocate(modes);
    double* const slab = on.exchange().slab(source_.data());
    on.copy(rates_->source, slab);
    transforms_.forward(slab, problem.shape.columns, source_.data());
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps) override {
    if (steps == 0) return;
    transforms_.through(
        buffers.current + first_, pitch_, modes_.data(),
        linear_.steps(ModeSteps(*rates_, time_step_, steps), transforms_.scale(), source_.data()));
  }

 private:
  static std::shared_ptr<const LinearRates> checked(std::shared_ptr<const LinearRates> rates) {
    if (!rates)
      throw EngineUnsuitable("engine spectral: only linear equations of one field are stepped");
    return rates;
  }

  std::shared_ptr<const LinearRates> rates_;
  double time_step_;
  std::int64_t pitch_, first_;  // where own cells begin
  typename Machine::Transforms transforms_;
  typename Machine::LinearModes linear_;
  typename Machine::Buffer modes_, source_;
};

}  // namespace lapl
