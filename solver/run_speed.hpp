#pragma once

#include <cstdint>

#include "kernels/grid/grid.hpp"

namespace lapl {

/// The number of steps between two readings of the clock: about a tenth of a second's worth.
class Stretch {
 public:
  std::int64_t steps() const { return steps_; }

  void took(std::int64_t steps, double seconds) {
    if (steps < steps_) return;  // an output cut the stretch short: too short to measure speed
    if (seconds < 0.05) steps_ *= 2;
    if (seconds > 0.2 && steps_ > 1) steps_ /= 2;
  }

 private:
  std::int64_t steps_ = 1;
};

/// Steps and the seconds that they took.
struct Speed {
  std::int64_t steps = 0;
  double seconds = 0;

  void add(std::int64_t more_steps, double more_seconds) {
    steps += more_steps;
    seconds += more_seconds;
  }
  double rate(Shape shape) const {
    return steps > 0 ? static_cast<double>(steps) * static_cast<double>(shape.cells()) / seconds
                     : 0;
  }
};

}  // namespace lapl
