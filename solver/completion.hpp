// A steady state, which completes a run before its last step.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend.hpp"

namespace lapl {

/// The largest change of a value in one more step; NaN if one is NaN. The backend, which must have
/// no capture, is then at `step` again. So the change depends on the state of this step alone, and
/// a resumed run finds the same. `before` is memory for the state. Collective.
template <class T>
double change_of_next_step(Backend<T>& backend, std::int64_t step, std::vector<T>& before) {
  {
    const Capture<T> capture = backend.capture();
    const std::span<const T> now = capture.wait().state;
    before.assign(now.begin(), now.end());
  }
  backend.advance(1);
  const Capture<T> capture = backend.capture();
  const std::span<const T> after = capture.wait().state;
  double largest = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double change = std::abs(static_cast<double>(after[i]) - before[i]);
    if (!(change <= largest)) largest = change;  // NaN stays the largest
    if (!(change <= largest)) break;
  }
  backend.set_state(before, step);
  return std::bit_cast<double>(backend.ranks().reduce(Reduction::most, as_bits(largest)));
}

}  // namespace lapl
