#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/row_loops.hpp"
#include "kernels/cpu/step_arrays.hpp"
#include "kernels/ranks/reduce_over_grid.hpp"
#include "kernels/solve/solve_over_grid.hpp"

namespace lapl {

/// Solves for the fields that a stage waits for, at `time` (s), then computes the reductions over
/// the grid (such as a mean) that the stage reads, and stores them in problem.reduced. All ranks
/// must call it.
template <class T>
void compute_global_operations(Problem<T>& problem, const Stage& stage, StepArrays<T>& arrays,
                               double time, int threads) {
  for (const GridSolve& solve : stage.solves)
    solve_on_block(
        problem, solve, time, [&](int array) { return arrays.read(array); },
        [&](int array, const std::vector<T>& values) {
          std::ranges::copy(values, arrays.write(array));
        });
  const Part part = problem.part.value_or(Part::all(problem.shape));
  const RowLoops<T>& loops = widest<RowLoops<T>>();
  constexpr std::int64_t most = 1 << 16;  // cells of a piece: several threads share a long row
  const std::int64_t columns = part.own[2], across = (columns - 1) / most + 1;
  const auto over_pieces = [&](auto whole, const auto& of_piece) {
    std::vector<decltype(of_piece(0, 0))> pieces(part.rows() * across);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::int64_t i = 0; i < std::ssize(pieces); ++i) {
      const std::int64_t first = i % across * most;
      pieces[i] = of_piece(part.in_block(i / across) + first, std::min(most, columns - first));
    }
    for (const auto& piece : pieces) whole.add(piece);
    return whole;
  };
  for (const GridReduction& one : stage.reductions) {
    const T* const values = arrays.read(one.array);
    const T* const mask = one.mask < 0 ? nullptr : arrays.read(one.mask);
    const auto inside = [&](std::int64_t at) { return mask == nullptr ? mask : mask + at; };
    problem.reduced[one.index] = static_cast<T>(reduce_over_grid(
        one, *problem.ranks,
        [&] {
          if (one.cell >= 0) {
            const auto own = part.own_place(one.cell);
            return own ? loops.extremes(values + *own, nullptr, 1) : GridExtremes{};
          }
          return over_pieces(GridExtremes{}, [&](std::int64_t at, std::int64_t count) {
            return loops.extremes(values + at, inside(at), count);
          });
        },
        [&](int exponent) {
          return over_pieces(GridSum{}, [&](std::int64_t at, std::int64_t count) {
            return loops.sum_of_units(values + at, inside(at), count, units_of_values(exponent));
          });
        }));
  }
}

}  // namespace lapl
