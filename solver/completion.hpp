// The ways to complete a run before its last step: a steady state, or the condition of limits.stop.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// True if the formula of limits.stop (Model::stop) is not 0 in a cell of the current state. The
/// backend must have no capture. Collective.
template <class T>
bool holds_in_a_cell(Backend<T>& backend, const RunConfig& config) {
  const Capture<T> capture = backend.capture(true);
  const Captured<T> captured = capture.wait();
  const std::span<const T> holds =
      captured.derived.at(captured.derived.size() - config.integrals.size() - 1);
  return backend.ranks().any(
      std::ranges::any_of(holds, [](T value) { return value < 0 || value > 0; }));
}

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
