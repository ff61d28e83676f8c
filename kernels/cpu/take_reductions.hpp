#pragma once

#include <vector>

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/row_loops.hpp"
#include "kernels/cpu/step_arrays.hpp"
#include "kernels/ranks/reduce_over_grid.hpp"

namespace lapl {

/// Takes the reductions of a stage: sets their values in `problem`. Collective.
template <class T>
void take_reductions(Problem<T>& problem, const Stage& stage, const StepArrays<T>& arrays,
                     int threads) {
  const Part part = problem.part.value_or(Part::all(problem.shape));
  const RowLoops<T>& loops = widest<RowLoops<T>>();
  const auto over_rows = [&](auto whole, const auto& of_row) {
    std::vector<decltype(of_row(0))> rows(part.rows());
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::int64_t row = 0; row < part.rows(); ++row) rows[row] = of_row(part.in_block(row));
    for (const auto& row : rows) whole.add(row);
    return whole;
  };
  for (const GridReduction& one : stage.reductions) {
    const T* const values = arrays.read(one.array);
    const T* const mask = one.mask < 0 ? nullptr : arrays.read(one.mask);
    const auto inside = [&](std::int64_t at) { return mask == nullptr ? mask : mask + at; };
    problem.reduced[one.index] = static_cast<T>(reduce_over_grid(
        one, *problem.ranks,
        [&] {
          return over_rows(GridExtremes{}, [&](std::int64_t at) {
            return loops.extremes(values + at, inside(at), part.own[2]);
          });
        },
        [&](int exponent) {
          return over_rows(GridSum{}, [&](std::int64_t at) {
            return loops.sum_of_units(values + at, inside(at), part.own[2],
                                      units_of_values(exponent));
          });
        }));
  }
}

}  // namespace lapl
