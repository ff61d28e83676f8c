// Any number of steps of a linear equation at the cost of two transforms.
//
//   columns forward -> (rows forward) -> slowest axis forward, modes, backward -> (rows) -> columns
//
// (rows) only on three axes; on one axis the columns are the slowest axis. "modes": the factor of
// all steps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/engine.hpp"
#include "kernels/error.hpp"
#include "kernels/spectral/spectral_modes.hpp"

namespace lapl {

template <class T, class Machine>
class LinearEngine final : public Engine<T> {
 public:
  /// Throws EngineUnsuitable if the problem has no linear rates.
  LinearEngine(const Problem<T>& problem, typename Machine::Where where)
      : rates_(checked(problem.linear_rates)),
        time_step_(problem.clock.step),
        on_(problem, where),
        pitch_(on_.template pitch<T>()),
        first_(problem.part ? problem.part->in_block(0) / problem.shape.columns * pitch_ : 0),
        transforms_(on_.transforms(rates_->faces)),
        linear_(on_.linear(*rates_)) {
    const std::int64_t modes = on_.exchange().modes();
    on_.require((rates_->source.empty() ? 1 : 2) * modes);
    modes_ = on_.allocate(modes);
    if (rates_->source.empty()) return;
    source_ = on_.allocate(modes);
    double* const slab = on_.exchange().slab(source_.data());
    on_.copy(rates_->source, slab);
    transforms_.forward(slab, problem.shape.columns, source_.data());
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps) override {
    if (steps == 0) return;
    transforms_.through(
        buffers.current + first_, pitch_, modes_.data(),
        linear_.steps(ModeSteps(*rates_, time_step_, steps), transforms_.scale(), source_.data()));
  }
  int threads() const override { return on_.threads(); }
  std::string how() override { return how_modes_step; }

 private:
  static std::shared_ptr<const LinearRates> checked(std::shared_ptr<const LinearRates> rates) {
    if (!rates)
      throw EngineUnsuitable("engine spectral: only linear equations of one field are stepped");
    return rates;
  }

  std::shared_ptr<const LinearRates> rates_;
  double time_step_;
  Machine on_;
  std::int64_t pitch_, first_;  // first_: where own cells begin
  typename Machine::Transforms transforms_;
  typename Machine::LinearModes linear_;
  typename Machine::Buffer modes_, source_;
};

}  // namespace lapl
