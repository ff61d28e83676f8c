// Engine "spectral": steps by modes (kernels/spectral/mode_stepper.hpp), with transforms of FFTW
// (kernels/cpu/mode_transforms.hpp).
#include <algorithm>
#include <type_traits>

#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/mode_transforms.hpp"
#include "kernels/spectral/make_mode_stepper.hpp"
#include "kernels/spectral/rates_of_modes.hpp"

namespace lapl {
namespace {

// The rates of modes, line by line along the slowest axis.
class HostLinearModes {
 public:
  HostLinearModes(const LinearRates& rates, const LineShares& shares)
      : rates_(rates, rates.faces, shares.grid()), lines_(shares.lines()) {}

  // Steps a line of modes; `index` counts this rank's lines, and `source` is null without a source.
  auto steps(const ModeSteps& steps, double scale, const double* source) const {
    return [=, this](double* line, std::int64_t index) {
      rates_.for_line(lines_.first + index, [&](std::int64_t mode, double rate) {
        const double added = source == nullptr ? 0 : source[mode * lines_.count + index];
        line[mode] = scale * steps.of(line[mode], rate, added);
      });
    };
  }

 private:
  RatesOfModes rates_;
  LineRange lines_;
};

class HostModes {
 public:
  using Buffer = HostBuffer<double>;
  using Transforms = GridTransforms<HostPasses>;
  using LinearModes = HostLinearModes;

  template <class T>
  HostModes(const Problem<T>& problem, int threads, std::unique_ptr<CpuEngine<double>> rates)
      : shape_(problem.shape),
        values_(problem.state_fields() * shape_.cells()),
        threads_(threads),
        ranks_(problem.ranks),
        rates_(std::move(rates)),
        exchange_(problem, threads) {}

  int threads() const { return threads_; }
  CpuEngine<double>* rates() { return rates_.get(); }
  HostPasses::Exchange& exchange() { return exchange_; }
  Transforms transforms(const Faces<double>& faces) { return {faces, exchange_, threads_}; }
  LinearModes linear(const LinearRates& rates) { return {rates, exchange_}; }

  void require(std::int64_t /*values*/) {}
  Buffer allocate(std::int64_t values) { return {values, threads_}; }
  void copy(const std::vector<double>& from, double* to) { std::ranges::copy(from, to); }
  template <class Compute>
  void fill(Buffer& buffer, const Compute& compute) {
    compute(buffer.data(), threads_);
  }
  template <class T>
  std::int64_t pitch() const {
    return shape_.columns;
  }
  template <class T>
  void widen(const T* state, double* to) {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t i = 0; i < values_; ++i) to[i] = static_cast<double>(state[i]);
  }
  template <class Change>
  void for_each(std::int64_t count, const Change& change) {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t at = 0; at < count; ++at) change(at);
  }

  template <class T>
  std::unique_ptr<Halo<double>> make_halo(const Problem<T>& problem) {
    if (!problem.by || problem.by->depth == 0) return nullptr;
    return make_host_halo<double>(*problem.by, problem.ranks->rank(), problem.state_fields());
  }
  void fill_halo(Halo<double>& halo, double* values) {
    halo.fill(*ranks_, Block<double>{shape_, shape_.columns, values});
  }
  void evaluate(DoubleBuffer<double>& buffers, const StepTimes& clock) {
    rates_->set_clock(clock);
    rates_->advance(buffers, 0, 1);
  }

 private:
  Shape shape_;
  std::int64_t values_;  // of the block
  int threads_;
  Ranks* ranks_;
  std::unique_ptr<CpuEngine<double>> rates_;
  HostPasses::Exchange exchange_;
};

template <class T>
class SpectralEngine final : public CpuEngine<T> {
 public:
  SpectralEngine(const Problem<T>& problem, int threads, std::unique_ptr<CpuEngine<double>> rates)
      : modes_(problem, threads, std::move(rates)), steps_(make_mode_stepper(problem, modes_)) {}

  void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) override {
    steps_->advance(buffers, first_step, steps);
  }
  void set_clock(const StepTimes& clock) override { steps_->set_clock(clock); }
  void forget_state() override { steps_->forget_state(); }
  int threads() const override { return modes_.threads(); }
  void settle() override {
    if (modes_.rates() != nullptr) modes_.rates()->settle();
  }
  std::string how() override { return how_modes_step; }
  std::string setback() override {
    return modes_.rates() != nullptr ? modes_.rates()->setback() : std::string();
  }

 private:
  HostModes modes_;
  std::unique_ptr<ModeStepper<T>> steps_;
};

}  // namespace

template <class T>
std::unique_ptr<CpuEngine<T>> make_spectral_engine(const Problem<T>& problem, int threads,
                                                   std::unique_ptr<CpuEngine<double>> rates) {
  return std::make_unique<SpectralEngine<T>>(problem, threads, std::move(rates));
}
template std::unique_ptr<CpuEngine<float>> make_spectral_engine(const Problem<float>&, int,
                                                                std::unique_ptr<CpuEngine<double>>);
template std::unique_ptr<CpuEngine<double>> make_spectral_engine(
    const Problem<double>&, int, std::unique_ptr<CpuEngine<double>>);

}  // namespace lapl
