// Engine "spectral": steps by modes (kernels/spectral/mode_engine.hpp), with transforms of FFTW
// (kernels/cpu/mode_transforms.hpp).
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/mode_transforms.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/ranks/halo.hpp"
#include "kernels/spectral/mode_engine.hpp"
#include "kernels/spectral/rates_of_modes.hpp"

namespace lapl {
namespace {

// The rates at which modes grow, line by line along the slowest axis.
class HostLinearModes {
 public:
  HostLinearModes(const LinearRates& rates, const LineShares& shares)
      : rates_(rates, rates.faces, shares.grid()), lines_(shares.lines()) {}

  // Returns a function that steps a line of modes; its `index` counts this rank's lines. `source`
  // has the modes of the source term, or is null without one.
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

// The operations on the CPU that engines of modes need: the Machine of mode_engine.hpp.
class HostModes {
 public:
  using Where = int;
  using Buffer = HostBuffer<double>;
  using Transforms = GridTransforms<HostPasses>;
  using LinearModes = HostLinearModes;

  template <class T>
  HostModes(const Problem<T>& problem, int threads)
      : columns_(problem.shape.columns),
        values_(problem.state_fields() * problem.shape.cells()),
        threads_(threads),
        exchange_(problem, threads) {}

  int threads() const { return threads_; }
  void* stream() const { return nullptr; }
  HostPasses::Exchange& exchange() { return exchange_; }
  Transforms transforms(const Faces<double>& faces) { return {faces, exchange_, threads_}; }
  LinearModes linear(const LinearRates& rates) { return {rates, exchange_}; }

  void require(std::int64_t /*values*/) {}
  Buffer allocate(std::int64_t values) { return {values, threads_}; }
  void copy(const std::vector<double>& from, double* to) { std::ranges::copy(from, to); }
  template <class Compute>
  void fill(Buffer& buffer, const Compute& compute) {
    compute(buffer.data());
  }
  template <class T>
  std::int64_t pitch() const {
    return columns_;
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
    return make_host_halo<double>(*problem.by, problem.ranks->rank(), problem.state_fields());
  }

 private:
  std::int64_t columns_, values_;  // columns of the block, and its values of all fields
  int threads_;
  HostPasses::Exchange exchange_;
};

}  // namespace

template <class T>
std::unique_ptr<Engine<T>> make_spectral_engine(const Problem<T>& problem, int threads,
                                                std::unique_ptr<Engine<double>> rates) {
  return make_mode_engine<HostModes>(problem, threads, std::move(rates));
}
LAPL_FOR_FLOATS(make_spectral_engine);

}  // namespace lapl
