// Solves over the grid from the blocks of all ranks. The first rank solves, on its GPU if that can;
// so the bits depend neither on the number of ranks nor on the backend.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "kernels/error.hpp"
#include "kernels/ranks/local_problem.hpp"
#include "kernels/ranks/reduce_over_grid.hpp"
#include "kernels/solve/grid_equations.hpp"

namespace lapl {

/// Solves for the unknowns of a state elsewhere than GridEquations::solve, which must solve where
/// this returns false.
using SolveElsewhere = std::function<bool(std::vector<double>& state, double time)>;

/// `own` are the own cells of a rank's part, of the fields one after the other. Returns the
/// solution for each of the `unknowns`, which are numbers of fields, on the part's block.
/// Collective. Throws what GridEquations::solve does, on all ranks, and what `elsewhere` throws
/// beside that, on the first.
template <class T>
std::vector<std::vector<T>> solution_over_grid(Ranks& ranks, GridEquations* system, Shape grid,
                                               std::int64_t fields,
                                               const std::vector<std::int64_t>& unknowns,
                                               std::span<const T> own, const Part& part,
                                               const SolveMoment& at,
                                               const SolveElsewhere& elsewhere = {}) {
  std::vector<double> state(ranks.is_first() ? fields * grid.cells() : 0);
  const auto place = [&](const Part& of, std::span<const T> values) {
    const std::int64_t rows = of.is_empty() ? 0 : of.rows(), columns = of.own[2];
    for (std::int64_t row = 0; row < fields * rows; ++row)
      std::copy_n(values.begin() + row * columns, columns,
                  state.begin() + row / rows * grid.cells() + of.in_grid(row % rows));
  };
  if (ranks.count() == 1) {
    place(part, own);
  } else {
    const auto parts = gather(ranks, std::as_bytes(std::span(&part, 1)));
    const auto values = gather(ranks, std::as_bytes(own));
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
      Part of;
      std::ranges::copy(parts[rank], std::as_writable_bytes(std::span(&of, 1)).begin());
      std::vector<T> from(values[rank].size() / sizeof(T));
      std::ranges::copy(values[rank], std::as_writable_bytes(std::span(from)).begin());
      place(of, from);
    }
  }
  std::string failure;
  bool is_config = false;
  if (ranks.is_first() && system != nullptr) {
    try {
      const auto began = std::chrono::steady_clock::now();
      if (!elsewhere || !elsewhere(state, at.time)) system->solve(state, at);
      system->count(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    } catch (const ConfigError& error) {
      failure = error.what();
      is_config = true;
    } catch (const NumericalError& error) {
      failure = error.what();
    } catch (const std::bad_alloc&) {
      failure = "too little memory for a solve over the grid";
    }
  }
  failure = broadcast_text(ranks, failure);
  if (is_config && ranks.is_first()) throw ConfigError(failure);  // which reports it
  if (!failure.empty()) throw NumericalError(failure);
  std::vector<std::vector<T>> solutions;
  for (const std::int64_t unknown : unknowns) {
    const auto first = state.begin() + (ranks.is_first() ? unknown * grid.cells() : 0);
    const std::vector<T> solution(first, first + (ranks.is_first() ? grid.cells() : 0));
    solutions.push_back(values_of_first(ranks, solution, part));
  }
  return solutions;
}

/// The solution of a problem's solve on this rank's block. `block(array)` points to the values of
/// an array there; `store(array, values)` stores those of an unknown. Collective.
template <class T, class Block, class Store>
void solve_on_block(const Problem<T>& problem, const GridSolve& solve, double time,
                    const Block& block, const Store& store, const SolveElsewhere& elsewhere = {}) {
  const Part part = problem.part.value_or(Part::all(problem.shape));
  const std::int64_t columns = part.own[2];
  std::vector<T> own;
  own.reserve(std::ssize(solve.state) * part.cells());
  for (const int array : solve.state) {
    const T* const values = block(array);
    for (std::int64_t row = 0; row < part.rows(); ++row)
      own.insert(own.end(), values + part.in_block(row), values + part.in_block(row) + columns);
  }
  std::vector<std::int64_t> unknowns;
  for (const int unknown : solve.unknowns)
    unknowns.push_back(std::ranges::find(solve.state, unknown) - solve.state.begin());
  const std::vector<std::vector<T>> solutions = solution_over_grid<T>(
      *problem.ranks, problem.systems[solve.system].get(), part.whole, std::ssize(solve.state),
      unknowns, own, part, {time, solve.share * problem.clock.step, solve.is_first, solve.filters},
      elsewhere);
  for (std::size_t i = 0; i < solutions.size(); ++i) store(solve.unknowns[i], solutions[i]);
}

/// Takes part in the operations over the grid that come before stages, for a rank without cells.
template <class T>
void join_global_operations(const std::vector<Stage>& stages, Ranks& ranks, Shape grid) {
  for (const Stage& stage : stages) {
    for (const GridSolve& solve : stage.solves)
      solution_over_grid<T>(ranks, nullptr, grid, std::ssize(solve.state),
                            std::vector<std::int64_t>(solve.unknowns.size()), {},
                            Part{.whole = grid, .own = {}}, {});
    reduce_no_cells(stage, ranks);
  }
}

}  // namespace lapl
