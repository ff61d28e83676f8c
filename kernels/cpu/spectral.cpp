// Engine "spectral": any number of steps of a linear equation at the cost of two transforms, in
// float64 whatever the precision of the field. The faces of an axis determine its transform:
//
//   modes (kernels/spectral/spectral_modes.hpp)   transform of n values
//   odd: zero, zero                      DST-I
//   even: insulated, insulated           DCT-II
//   mixed: zero, insulated               DST-I of 2n values, extended evenly; every other mode
//   periodic                             real to half-complex
//
//   columns forward -> (rows forward) -> slowest axis forward, modes, backward -> (rows) -> columns
//
// Martucci, "Symmetric convolution and the discrete sine and cosine transforms", IEEE Trans. Signal
// Processing 42 (1994). Lines are transformed one by one, so the bits do not depend on the number
// of threads.
#include <omp.h>

#include <algorithm>
#include <limits>

#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/fftw_plan.hpp"
#include "kernels/cpu/host_buffer.hpp"
#include "kernels/spectral/spectral_modes.hpp"

namespace lapl {
namespace {

// The transform of lines along one axis; each line is in the scratch memory of a thread.
class AxisTransform {
 public:
  /// Throws EngineUnsuitable if the number of values exceeds FFTW's int.
  AxisTransform(const AxisFaces<double>& faces, std::int64_t size) : modes_(faces, size) {
    if (length() > std::numeric_limits<int>::max())
      throw EngineUnsuitable("engine spectral: {} cells along an axis are too many", size);
    const bool odd = modes_.kind == Kind::odd || mixed();
    HostBuffer<double> scratch(scratch_size(), 1);
    const auto plan = [&](fftw_r2r_kind kind) {
      // This flag gives the same bits in each run, see fractal.cpp.
      return planned([&] {
        return fftw_plan_r2r_1d(static_cast<int>(length()), scratch.data(), scratch.data(), kind,
                                FFTW_ESTIMATE);
      });
    };
    forward_ = plan(odd ? FFTW_RODFT00 : even() ? FFTW_REDFT10 : FFTW_R2HC);
    backward_ = plan(odd ? FFTW_RODFT00 : even() ? FFTW_REDFT01 : FFTW_HC2R);
  }

  const AxisModes& modes() const { return modes_; }
  std::int64_t size() const { return modes_.size; }
  /// Size of a line's scratch memory in values, rounded up to a cache line.
  std::int64_t scratch_size() const { return (length() + 7) / 8 * 8; }
  /// The factor by which forward() and then backward() multiply a line.
  double scale() const {
    return static_cast<double>(modes_.kind == Kind::periodic ? length()
                               : even()                      ? 2 * length()
                                                             : 2 * (length() + 1));
  }

  /// Transforms the values of a line to its modes, and back.
  void forward(double* line) const {
    if (modes_.turned) std::reverse(line, line + size());
    if (mixed()) std::reverse_copy(line, line + size(), line + size());
    fftw_execute_r2r(forward_.get(), line, line);
    if (mixed())
      for (std::int64_t p = 0; p < size(); ++p) line[p] = line[2 * p];
  }
  void backward(double* line) const {
    if (mixed())
      for (std::int64_t p = size() - 1; p >= 0; --p) line[2 * p] = line[p], line[2 * p + 1] = 0;
    fftw_execute_r2r(backward_.get(), line, line);
    if (modes_.turned) std::reverse(line, line + size());
  }

 private:
  using Kind = AxisModes::Kind;

  bool mixed() const { return modes_.kind == Kind::mixed; }
  bool even() const { return modes_.kind == Kind::even; }
  std::int64_t length() const { return mixed() ? 2 * size() : size(); }

  AxisModes modes_;
  FftwPlan<fftw_plan> forward_, backward_;
};

template <class T>
class SpectralEngine final : public CpuEngine<T> {
 public:
  SpectralEngine(const Problem<T>& problem, int threads)
      : rates_(problem.linear_rates),
        shape_(problem.shape),
        time_step_(problem.clock.step),
        slowest_(3 - problem.shape.axes),
        threads_(threads) {
    if (!rates_)
      throw EngineUnsuitable("engine spectral: only linear equations of one field are stepped");
    std::int64_t longest = 1;
    for (int axis = slowest_; axis < 3; ++axis) {
      axes_.emplace_back(axis_faces(rates_->faces, axis), by_axis(shape_)[axis]);
      longest = std::max(longest, axes_.back().scratch_size());
      scale_ /= axes_.back().scale();
    }
    for (int i = 0; i < threads; ++i) scratch_.emplace_back(longest * lines_at_once, 1);
    modes_ = HostBuffer<double>(shape_.cells(), threads);
    make_distances();
    if (rates_->source.empty()) return;
    source_ = HostBuffer<double>(shape_.cells(), threads);
    std::ranges::copy(rates_->source, source_.data());
    for (int axis = 2; axis >= slowest_; --axis)
      pass(axis, source_.data(), source_.data(),
           [&](double* line, std::int64_t) { transform(axis).forward(line); });
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps) override {
    if (steps == 0) return;
    const ModeSteps taken(*rates_, time_step_, steps);
    const auto through_modes = [&](double* line, std::int64_t index) {
      transform(slowest_).forward(line);
      step_modes(taken, line, index);
      transform(slowest_).backward(line);
    };
    if (slowest_ == 2) return pass(2, buffers.current, buffers.current, through_modes);
    for (int axis = 2; axis > slowest_; --axis) {
      const auto forward = [&](double* line, std::int64_t) { transform(axis).forward(line); };
      axis == 2 ? pass(axis, buffers.current, modes_.data(), forward)
                : pass(axis, modes_.data(), modes_.data(), forward);
    }
    pass(slowest_, modes_.data(), modes_.data(), through_modes);
    for (int axis = slowest_ + 1; axis < 3; ++axis) {
      const auto backward = [&](double* line, std::int64_t) { transform(axis).backward(line); };
      axis == 2 ? pass(axis, modes_.data(), buffers.current, backward)
                : pass(axis, modes_.data(), modes_.data(), backward);
    }
  }

  int threads() const override { return threads_; }
  std::string how() override { return "its digests are not those of engines that step"; }

 private:
  static constexpr std::int64_t lines_at_once = 8;  // neighbouring lines, a cache line wide

  const AxisTransform& transform(int axis) const { return axes_[axis - slowest_]; }

  // Reads each line along an axis from `from`, calls take(line, index of the line), and writes it
  // to `to`.
  template <class From, class To, class Take>
  void pass(int axis, const From* from, To* to, const Take& take) {
    const std::int64_t size = transform(axis).size(), room = transform(axis).scratch_size();
    std::int64_t stride = 1;
    for (int faster = axis + 1; faster < 3; ++faster) stride *= by_axis(shape_)[faster];
    const std::int64_t together = std::min(stride, lines_at_once);
    const std::int64_t pieces = (stride + together - 1) / together;
    const std::int64_t all = shape_.cells() / (size * stride) * pieces;
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t piece = 0; piece < all; ++piece) {
      double* const scratch = scratch_[omp_get_thread_num()].data();
      const std::int64_t slow = piece / pieces, fast = piece % pieces * together;
      const std::int64_t lines = std::min(together, stride - fast);
      const std::int64_t first = slow * size * stride + fast;
      for (std::int64_t i = 0; i < size; ++i)
        for (std::int64_t line = 0; line < lines; ++line)
          scratch[line * room + i] = static_cast<double>(from[first + i * stride + line]);
      for (std::int64_t line = 0; line < lines; ++line)
        take(scratch + line * room, slow * stride + fast + line);
      for (std::int64_t i = 0; i < size; ++i)
        for (std::int64_t line = 0; line < lines; ++line)
          to[first + i * stride + line] = static_cast<To>(scratch[line * room + i]);
    }
  }

  // cos(turns * theta) - 1 of every mode, for each axis and number of turns (linear_rates.hpp).
  void make_distances() {
    for (const LinearRates::Term& term : rates_->terms)
      for (int axis = slowest_; axis < 3; ++axis) {
        auto& of_axis = distances_[axis];
        while (std::ssize(of_axis) <= term.turns[axis])
          of_axis.push_back(transform(axis).modes().distances(static_cast<int>(of_axis.size())));
      }
  }

  // Steps a line of modes along the slowest axis; `index` is the line's index along its faster
  // axes. The distance of a term is computed axis by axis: distances d of one axis and m of the
  // others give d * (1 + m) + m.
  void step_modes(const ModeSteps& taken, double* line, std::int64_t index) const {
    const std::int64_t stride = shape_.cells() / transform(slowest_).size();
    const std::array<std::int64_t, 3> at = {0, slowest_ == 0 ? index / shape_.columns : 0,
                                            index % shape_.columns};
    const auto& along = distances_[slowest_];
    double of_line = rates_->of_mean;
    std::vector<double> slopes(along.size());  // index: number of turns
    for (const LinearRates::Term& term : rates_->terms) {
      double others = 0;
      for (int axis = slowest_ + 1; axis < 3; ++axis) {
        const double more = distances_[axis][term.turns[axis]][at[axis]];
        others += more + others * more;
      }
      of_line += term.weight * others;
      slopes[term.turns[slowest_]] += term.weight * (1 + others);
    }
    for (std::int64_t mode = 0; mode < transform(slowest_).size(); ++mode) {
      double rate = of_line;
      for (std::size_t turns = 1; turns < along.size(); ++turns)
        rate += slopes[turns] * along[turns][mode];
      const double source = source_.size() == 0 ? 0 : source_.data()[mode * stride + index];
      line[mode] = scale_ * taken.of(line[mode], rate, source);
    }
  }

  std::shared_ptr<const LinearRates> rates_;
  Shape shape_;
  double time_step_;
  int slowest_;
  int threads_;
  std::vector<AxisTransform> axes_;  // one for each axis, beginning with the slowest
  double scale_ = 1;
  std::vector<HostBuffer<double>> scratch_;
  HostBuffer<double> modes_, source_;
  // indices: axis, number of turns, mode
  std::array<std::vector<std::vector<double>>, 3> distances_;
};

}  // namespace

template <class T>
std::unique_ptr<CpuEngine<T>> make_spectral_engine(const Problem<T>& problem, int threads) {
  return std::make_unique<SpectralEngine<T>>(problem, threads);
}
template std::unique_ptr<CpuEngine<float>> make_spectral_engine(const Problem<float>&, int);
template std::unique_ptr<CpuEngine<double>> make_spectral_engine(const Problem<double>&, int);

}  // namespace lapl
