// Errors about states that must not be stored: values that are not finite, and memory that has
// failed.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "kernels/backend.hpp"
#include "kernels/error.hpp"
#include "kernels/ranks/rank_rows.hpp"
#include "solver/diagnostics.hpp"
#include "solver/model.hpp"
#include "solver/outputs.hpp"

namespace lapl {

/// Throws NotFiniteError; `what` names the value, and the message shows its neighbours, one line
/// per row of the grid.
template <class T>
[[noreturn]] void refuse(const FoundValue<T>& found, Shape shape, std::int64_t step,
                         const std::string& what) {
  const Neighbourhood area = cell_neighbourhood(found.index, shape);
  std::string message = fmt::format(
      "step {}: {} at {} is not finite; rows {} to {}, columns {} to {} hold", step, what,
      place_text(cell_at(shape, found.index % shape.cells()), shape.axes), area.first_row,
      area.first_row + area.rows - 1, area.first_column, area.first_column + area.columns - 1);
  for (std::int64_t i = 0; i < area.rows * area.columns; ++i) {
    if (i % area.columns == 0) message += "\n ";
    const T value = found.around[i];
    message += fmt::format(" {:>12.6g}", std::isnan(value) ? std::abs(value) : value);
  }
  throw NotFiniteError(message);
}

template <class T>
[[noreturn]] void refuse_state(const FoundValue<T>& found, const RunConfig& config,
                               std::int64_t step) {
  const auto field = static_cast<std::size_t>(found.index / config.shape.cells());
  refuse(found, config.shape, step,
         config.fields.size() == 1 ? "the value" : "field " + config.fields[field]);
}

/// The value at `index` and its neighbours, from the ranks that store them.
template <class T>
FoundValue<T> found_at(std::int64_t index, Shape shape, const Captured<T>& captured,
                       std::span<const T> values) {
  const std::int64_t first = captured.rows.first * shape.columns, cells = captured.cells;
  return found_value_of_ranks<T>(*captured.ranks, index, shape, [&](std::int64_t at) {
    const std::int64_t here = at % shape.cells() - first;
    return here >= 0 && here < cells ? std::optional(values[at / shape.cells() * cells + here])
                                     : std::nullopt;
  });
}

/// Throws NotFiniteError unless the state is finite, and the derived outputs, which can overflow
/// where the state does not.
template <class T>
void require_finite(const Captured<T>& captured, const Model& model, std::int64_t step) {
  const Shape shape = model.run.shape;
  if (const auto first = captured.first_not_finite)
    refuse_state(found_at(*first, shape, captured, captured.state), model.run, step);
  if (captured.derived.empty()) return;
  for (const OutputDataset& dataset : model.outputs) {
    if (!dataset.derived) continue;
    const auto values = dataset_values(dataset, captured);
    if (const auto first = first_not_finite(*captured.ranks, captured.rows, shape.columns, values))
      refuse(found_at(*first, shape, captured, values), shape, step, dataset.subject);
  }
}

/// Checks the initial state before any file is created: throws NumericalError, as run does, where a
/// value or a diagnostic is not finite.
template <class T>
void require_finite_start(Backend<T>& backend, const Model& model) {
  const auto capture = backend.capture(true);
  const Captured<T> captured = capture.wait();
  require_finite(captured, model, 0);
  require_finite(compute_diagnostics(captured, model.run), model.run, 0);
}

/// Throws NumericalError if the copy to be stored has another digest than the verified state:
/// memory may have failed between the two.
inline void require_verified(std::optional<std::uint64_t> verified, std::uint64_t digest,
                             std::int64_t step) {
  if (verified && digest != *verified)
    throw NumericalError(
        "step {}: digest {:#018x} where {:#018x} was verified (memory of this machine has failed); "
        "nothing of this step was stored",
        step, digest, *verified);
}

}  // namespace lapl
