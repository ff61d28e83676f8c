// The modes of engine "spectral" along an axis, and the effect of steps on a mode, for CPU and GPU.
//
//   faces                mode p at node i       theta                   kind
//   zero, zero           sin((i + 1) * theta)   pi * (p + 1)/(n + 1)    odd
//   insulated, insulated cos((i + 1/2) * theta) pi * p/n                even
//   zero, insulated      sin((i + 1) * theta)   pi * (2p + 1)/(2n + 1)  mixed
//   periodic             cos, sin(i * theta)    2 * pi * p/n            periodic
//
// The following ones, with a zero at the face itself, are only for solves on the CPU:
//
//   at face, at face     sin((i + 1/2) * theta) pi * (p + 1)/n          odd_at_faces
//   insulated, at face   cos((i + 1/2) * theta) pi * (2p + 1)/(2n)      mixed_at_faces
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "kernels/spectral/linear_rates.hpp"

namespace lapl {

inline constexpr const char* how_modes_step = "its digests are not those of engines that step";

/// The modes along an axis of `size` nodes.
struct AxisModes {
  enum class Kind : std::uint8_t { odd, even, mixed, periodic, odd_at_faces, mixed_at_faces };
  std::int64_t size = 1;
  Kind kind = Kind::odd;
  /// i counts from the last node: the faces are those of the table, exchanged
  bool turned = false;

  AxisModes() = default;
  AxisModes(const AxisFaces<double>& faces, std::int64_t nodes)
      : size(nodes),
        kind(faces.wrap() ? Kind::periodic
             : faces.first.b != faces.last.b
                 ? (faces.first.b + faces.last.b == 0 ? Kind::mixed_at_faces : Kind::mixed)
             : faces.first.b == 1  ? Kind::even
             : faces.first.b == -1 ? Kind::odd_at_faces
                                   : Kind::odd),
        turned((kind == Kind::mixed && faces.first.b == 1) ||
               (kind == Kind::mixed_at_faces && faces.first.b == -1)) {}

  /// The phase theta of a mode in half turns; on a periodic axis the same for modes p and n - p.
  double half_turns(std::int64_t mode) const {
    const auto n = static_cast<double>(size), p = static_cast<double>(mode);
    switch (kind) {
      case Kind::periodic: return 2 * std::min(p, n - p) / n;
      case Kind::mixed: return (2 * p + 1) / (2 * n + 1);
      case Kind::even: return p / n;
      case Kind::odd_at_faces: return (p + 1) / n;
      case Kind::mixed_at_faces: return (2 * p + 1) / (2 * n);
      case Kind::odd: break;
    }
    return (p + 1) / (n + 1);
  }

  /// cos(turns * theta) - 1 of every mode.
  std::vector<double> distances(int turns) const {
    std::vector<double> of_modes;
    for (std::int64_t mode = 0; mode < size; ++mode) {
      const double half = std::sin(std::numbers::pi / 2 * (turns * half_turns(mode)));
      of_modes.push_back(-2 * half * half);
    }
    return of_modes;
  }
};

class ModeSteps {
 public:
  ModeSteps() = default;
  ModeSteps(const LinearRates& rates, double time_step, std::int64_t steps)
      : change_(rates.change),
        time_step_(time_step),
        steps_(static_cast<double>(steps)),
        odd_(steps % 2) {}

  /// The mode after the steps. `rate` is per second; `source` is scaled like `mode`.
  LAPL_HOST_DEVICE double of(double mode, double rate, double source) const {
    const double change = mode_change(change_, rate * time_step_);
    const bool negative = change < -1;
    const double from_one = negative ? -2 - change : change;  // magnitude of the factor, minus 1
    const double exponent =
        steps_ * from_one < -800 ? -800 : steps_ * std::log1p(from_one);  // e^-800 underflows to 0
    const double size = std::exp(exponent), factor = negative && odd_ ? -size : size;
    if (source == 0) return factor * mode;
    const double less_one = negative ? factor - 1 : std::expm1(exponent);
    return factor * mode + source * (rate == 0 ? steps_ * time_step_ : less_one / rate);
  }

 private:
  StepChange change_;
  double time_step_ = 0, steps_ = 0;
  bool odd_ = false;
};

}  // namespace lapl
