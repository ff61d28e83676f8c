// Inner loops of the CPU engines, compiled for each instruction set (row_loops.cpp).
#pragma once

#include <cstdint>

#include "kernels/backend.hpp"
#include "kernels/stages/diffusion.hpp"
#include "kernels/stages/grid_reduction.hpp"
#include "kernels/stages/noise.hpp"

namespace lapl {

/// Arguments for rows of a step of diffusion on three axes.
template <class T>
struct DiffusionRows {
  const T* const* lines;  ///< the five lines of the first row, as for diffusion_row
  long step;              ///< values from one row to the next, in each line
  T coefficient;
  T* out;
  long out_step;
};

/// The loops for one instruction set and precision.
template <class T>
struct RowLoops {
  const char* instruction_set;

  /// Steps a row of diffusion on three axes, called like a compiled stage (stage_code.hpp).
  /// `uniforms` has the coefficient D dt / h^2; `lines` are the row, the rows before and after it,
  /// and those in the planes before and after. Reads up to a vector of values beyond the row.
  void (*diffusion_row)(const T* const* lines, const T* uniforms, T* const* out, long count);
  /// Like diffusion_row, for `rows` consecutive rows.
  void (*diffusion_rows)(const DiffusionRows<T>& of, long rows, long count);
  /// Like diffusion_rows, but stores of whole vectors bypass the caches. The caller must issue a
  /// fence before other threads read them.
  void (*stream_diffusion_rows)(const DiffusionRows<T>& of, long rows, long count);

  void (*copy_row)(const T* from, T* to, std::int64_t count);

  /// Applies one operation that has operands (no leaf of a stage tree) to `count` cells.
  void (*operate)(Operation operation, const T* a, const T* b, const T* c, T* out,
                  std::int64_t count);

  /// The draws of a noise (kernels/stages/noise.hpp) in `count` cells with these indices in the
  /// whole grid.
  void (*draw)(const std::uint64_t* cells, const DrawWords& words, T* out, std::int64_t count);

  /// Repeats `count` times the arithmetic of arithmetic_cells cells in registers, to measure the
  /// processor's limit. The returned value depends on all results.
  static constexpr int arithmetic_cells = 1024 / sizeof(T);
  T (*arithmetic)(std::int64_t count, T seed);

  /// The digest of `count` cells; the first has the index `first` in the state of the whole grid.
  /// Sets `all_finite` to false if a value is not finite.
  std::uint64_t (*digest)(const T* values, std::int64_t first, std::int64_t count,
                          bool& all_finite);

  /// The largest magnitude of `count` numbers; a NaN is larger than any.
  T (*largest)(const T* values, std::int64_t count);

  /// The extremes, and the sum in integer multiples of a unit (units_of_values), over those of
  /// `count` cells where `mask` is not 0; over all if `mask` is null.
  GridExtremes (*extremes)(const T* values, const T* mask, std::int64_t count);
  PartialSum (*sum_of_units)(const T* values, const T* mask, std::int64_t count,
                             const std::array<double, 2>& units);
};

}  // namespace lapl
