// The transforms of a grid's values to modes (eigenfunctions of its boundary conditions) and back,
// in float64. The faces of an axis determine its transform:
//
//   modes (kernels/spectral/spectral_modes.hpp)   transform of n values
//   odd: zero, zero                      DST-I
//   even: insulated, insulated           DCT-II
//   mixed: zero, insulated               DST-I of 2n values, extended evenly; every other mode
//   odd_at_faces                         DST-II
//   mixed_at_faces                       DCT-IV
//   periodic                             real to complex, stored as FFTW's half-complex
//
// Martucci, "Symmetric convolution and the discrete sine and cosine transforms", IEEE Trans. Signal
// Processing 42 (1994). Lines are transformed one by one, so the bits do not depend on the number
// of threads, nor on that of ranks (kernels/ranks/line_exchange.hpp).
#pragma once

#include <omp.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/cpu/fftw_plan.hpp"
#include "kernels/error.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/machine/host_buffer.hpp"
#include "kernels/ranks/line_exchange.hpp"
#include "kernels/spectral/grid_transforms.hpp"
#include "kernels/spectral/spectral_modes.hpp"

namespace lapl {

/// The transform of lines along one axis; each line is in the scratch memory of a thread.
class AxisTransform {
 public:
  /// Throws EngineUnsuitable if the number of values exceeds FFTW's int.
  AxisTransform(const AxisFaces<double>& faces, std::int64_t size) : modes_(faces, size) {
    if (length() > std::numeric_limits<int>::max())
      throw EngineUnsuitable("engine spectral: {} cells along an axis are too many", size);
    const int n = static_cast<int>(length());
    HostBuffer<double> scratch(scratch_size(), 1);
    double* const line = scratch.data();
    // With this flag FFTW chooses its algorithm without timing, so each run gives the same bits.
    constexpr unsigned flag = FFTW_ESTIMATE;
    const auto plan = [&](fftw_r2r_kind kind) {
      return planned([&] { return fftw_plan_r2r_1d(n, line, line, kind, flag); });
    };
    if (periodic()) {
      forward_ = planned([&] { return fftw_plan_dft_r2c_1d(n, line, waves(line), flag); });
      backward_ = planned([&] { return fftw_plan_dft_c2r_1d(n, waves(line), line, flag); });
    } else {
      const auto [forward, backward] = kinds();
      forward_ = plan(forward);
      backward_ = plan(backward);
    }
  }

  std::int64_t size() const { return modes_.size; }
  /// Size of a line's scratch memory in values, rounded up to whole cache lines.
  std::int64_t scratch_size() const {
    return periodic() ? rounded(length()) + rounded(length() + 2) : rounded(length());
  }
  /// The factor by which forward() and then backward() multiply a line.
  double scale() const {
    const bool has_node_beyond = modes_.kind == Kind::odd || mixed();
    return static_cast<double>(periodic()        ? length()
                               : has_node_beyond ? 2 * (length() + 1)
                                                 : 2 * length());
  }

  /// Transforms the values of a line to its modes, and back.
  void forward(double* line) const {
    if (periodic()) {
      fftw_execute_dft_r2c(forward_.get(), line, waves(line));
      const fftw_complex* const from = waves(line);
      const std::int64_t n = size();
      for (std::int64_t k = 0; k <= n / 2; ++k) line[k] = from[k][0];
      for (std::int64_t k = 1; k < (n + 1) / 2; ++k) line[n - k] = from[k][1];
      return;
    }
    if (modes_.turned) std::reverse(line, line + size());
    if (mixed()) std::reverse_copy(line, line + size(), line + size());
    fftw_execute_r2r(forward_.get(), line, line);
    if (mixed())
      for (std::int64_t p = 0; p < size(); ++p) line[p] = line[2 * p];
  }
  void backward(double* line) const {
    if (periodic()) {
      fftw_complex* const to = waves(line);
      const std::int64_t n = size();
      to[0][1] = to[n / 2][1] = 0;
      for (std::int64_t k = 0; k <= n / 2; ++k) to[k][0] = line[k];
      for (std::int64_t k = 1; k < (n + 1) / 2; ++k) to[k][1] = line[n - k];
      fftw_execute_dft_c2r(backward_.get(), to, line);
      return;
    }
    if (mixed())
      for (std::int64_t p = size() - 1; p >= 0; --p) line[2 * p] = line[p], line[2 * p + 1] = 0;
    fftw_execute_r2r(backward_.get(), line, line);
    if (modes_.turned) std::reverse(line, line + size());
  }

 private:
  using Kind = AxisModes::Kind;

  bool periodic() const { return modes_.kind == Kind::periodic; }
  bool mixed() const { return modes_.kind == Kind::mixed; }
  std::pair<fftw_r2r_kind, fftw_r2r_kind> kinds() const {
    switch (modes_.kind) {
      case Kind::even: return {FFTW_REDFT10, FFTW_REDFT01};
      case Kind::odd_at_faces: return {FFTW_RODFT10, FFTW_RODFT01};
      case Kind::mixed_at_faces: return {FFTW_REDFT11, FFTW_REDFT11};
      default: return {FFTW_RODFT00, FFTW_RODFT00};
    }
  }
  std::int64_t length() const { return mixed() ? 2 * size() : size(); }

  static std::int64_t rounded(std::int64_t values) { return (values + 7) / 8 * 8; }
  // A periodic line's complex modes, behind its values.
  fftw_complex* waves(double* line) const {
    return reinterpret_cast<fftw_complex*>(line + rounded(length()));
  }

  AxisModes modes_;
  FftwPlan<fftw_plan> forward_, backward_;
};

/// LineExchange's messages between ranks, in host memory.
class HostMessages {
 public:
  template <class T>
  HostMessages(const Problem<T>& problem, int threads) : ranks_(problem.ranks), threads_(threads) {}

  void allocate(std::int64_t cells, std::int64_t /*modes*/) {
    for (HostBuffer<double>* buffer : {&slab_, &packed_})
      *buffer = HostBuffer<double>(cells, threads_);
  }
  double* slab() { return slab_.data(); }

  void copy(std::int64_t slab, std::int64_t pitch, std::int64_t packed, std::int64_t rows,
            std::int64_t columns, bool to_packed) {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      double* const in_slab = slab_.data() + slab + row * pitch;
      double* const message = packed_.data() + packed + row * columns;
      to_packed ? std::copy_n(in_slab, columns, message) : std::copy_n(message, columns, in_slab);
    }
  }
  void exchange(const LineShares& shares, double* lines, bool to_lines) {
    shares.exchange(*ranks_, packed_.data(), lines, to_lines);
  }

 private:
  Ranks* ranks_;
  int threads_;
  HostBuffer<double> slab_, packed_;
};

/// The transforms of all lines along an axis, for GridTransforms, on several threads.
class HostPasses {
  // Returns a function that stores make(0, index, value) in to[index]: all cells are one row.
  template <class To, class Make>
  static auto into(To* to, const Make& make) {
    return [to, make](std::int64_t index, double value) {
      to[index] = static_cast<To>(make(0, index, value));
    };
  }

 public:
  using Exchange = LineExchange<HostMessages>;

  /// Keeps a reference to `exchange`. Throws EngineUnsuitable if an axis has too many cells.
  HostPasses(const Faces<double>& faces, Exchange& exchange, int threads)
      : exchange_(&exchange), slowest_(exchange.slowest()), threads_(threads) {
    std::int64_t longest = 1;
    for (int axis = slowest_; axis < 3; ++axis) {
      axes_.emplace_back(axis_faces(faces, axis), by_axis(exchange.grid())[axis]);
      longest = std::max(longest, axes_.back().scratch_size());
      scale_ /= axes_.back().scale();
    }
    for (int i = 0; i < threads; ++i) scratch_.emplace_back(longest * lines_at_once, 1);
  }

  Exchange& exchange() { return *exchange_; }
  /// The factor of modes with which backward() undoes forward().
  double scale() const { return scale_; }

  template <class From>
  void forward(int axis, const From* from, std::int64_t /*pitch*/, double* to) {
    pass(
        axis, from, [&](double* line, std::int64_t) { along(axis).forward(line); },
        into(to, Keep()));
  }
  template <class To, class Make>
  void backward(int axis, const double* from, To* to, std::int64_t /*pitch*/, const Make& make) {
    pass(
        axis, from, [&](double* line, std::int64_t) { along(axis).backward(line); },
        into(to, make));
  }
  /// step(line, index) changes the modes of a line; `index` counts this rank's lines.
  template <class Value, class Step>
  void through(Value* values, std::int64_t /*pitch*/, double* /*modes*/, const Step& step) {
    const AxisTransform& transform = along(slowest_);
    const auto through_modes = [&](double* line, std::int64_t index) {
      transform.forward(line);
      step(line, index);
      transform.backward(line);
    };
    pass(slowest_, values, through_modes, into(values, Keep()));
  }

 private:
  const AxisTransform& along(int axis) const { return axes_[axis - slowest_]; }

  // Reads each line along an axis from `from`, calls load(line, index of the line) and then
  // put(index, value) for each value.
  template <class From, class Load, class Put>
  void pass(int axis, const From* from, const Load& load, const Put& put) {
    const std::int64_t size = along(axis).size(), room = along(axis).scratch_size();
    const bool is_slowest = axis == slowest_;
    const std::int64_t stride = is_slowest  ? exchange_->lines().count
                                : axis == 1 ? exchange_->grid().columns
                                            : 1;
    if (stride == 0) return;
    const std::int64_t together = std::min(stride, lines_at_once);
    const std::int64_t pieces = (stride + together - 1) / together;
    const std::int64_t all =
        is_slowest ? pieces : exchange_->own_cells() / (size * stride) * pieces;
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t piece = 0; piece < all; ++piece) {
      double* const scratch = scratch_[omp_get_thread_num()].data();
      const std::int64_t slow = piece / pieces, fast = piece % pieces * together;
      const std::int64_t lines = std::min(together, stride - fast);
      const std::int64_t first = slow * size * stride + fast;
      // Compilers unroll loops over a constant number of lines.
      const auto transform_lines = [&](auto count, std::int64_t apart) {
        for (std::int64_t i = 0; i < size; ++i)
          for (std::int64_t line = 0; line < count; ++line)
            scratch[line * room + i] = static_cast<double>(from[first + i * apart + line]);
        for (std::int64_t line = 0; line < count; ++line)
          load(scratch + line * room, slow * stride + fast + line);
        for (std::int64_t i = 0; i < size; ++i)
          for (std::int64_t line = 0; line < count; ++line)
            put(first + i * apart + line, scratch[line * room + i]);
      };
      if (stride == 1)
        transform_lines(std::integral_constant<std::int64_t, 1>(), 1);
      else if (lines == lines_at_once)
        transform_lines(std::integral_constant<std::int64_t, lines_at_once>(), stride);
      else
        transform_lines(lines, stride);
    }
  }

  static constexpr std::int64_t lines_at_once = 8;  // neighbouring lines: 64 bytes, a cache line

  Exchange* exchange_;
  int slowest_, threads_;
  std::vector<AxisTransform> axes_;  // one for each axis, beginning with the slowest
  double scale_ = 1;
  std::vector<HostBuffer<double>> scratch_;
};

}  // namespace lapl
