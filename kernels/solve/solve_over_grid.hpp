// Solves over the grid from the blocks of all ranks. The first rank solves; so the bits depend
// neither on the number of ranks nor on the backend.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/error.hpp"
#include "kernels/ranks/local_problem.hpp"
#include "kernels/ranks/reduce_over_grid.hpp"
#include "kernels/solve/grid_system.hpp"

namespace lapl {

/// `own` are the own cells of a rank's part, of the fields one after the other. Returns the
/// solution on the part's block. Collective. Throws what GridSystem::solve does, on all ranks.
template <class T>
std::vector<T> solution_over_grid(Ranks& ranks, GridSystem* system, Shape grid, std::int64_t fields,
                                  std::int64_t unknown, std::span<const T> own, const Part& part,
                                  double time) {
  std::vector<T> solution(ranks.is_first() ? grid.cells() : 0);
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
      system->solve(state, time);
    } catch (const ConfigError& error) {
      failure = error.what();
      is_config = true;
    } catch (const NumericalError& error) {
      failure = error.what();
    }
    std::copy_n(state.begin() + unknown * grid.cells(), grid.cells(), solution.begin());
  }
  failure = broadcast_text(ranks, failure);
  if (is_config && ranks.is_first()) throw ConfigError(failure);  // which reports it
  if (!failure.empty()) throw NumericalError(failure);
  return values_of_first(ranks, solution, part);
}

/// The solution of a problem's solve on this rank's block. `block(array)` points to the values of
/// an array there. Collective.
template <class T, class Block>
std::vector<T> solution_on_block(const Problem<T>& problem, const GridSolve& solve, double time,
                                 const Block& block) {
  const Part part = problem.part.value_or(Part::all(problem.shape));
  const std::int64_t columns = part.own[2];
  std::vector<T> own;
  own.reserve(std::ssize(solve.state) * part.cells());
  for (const int array : solve.state) {
    const T* const values = block(array);
    for (std::int64_t row = 0; row < part.rows(); ++row)
      own.insert(own.end(), values + part.in_block(row), values + part.in_block(row) + columns);
  }
  const auto unknown = std::ranges::find(solve.state, solve.unknown) - solve.state.begin();
  return solution_over_grid<T>(*problem.ranks, problem.systems[solve.system].get(), part.whole,
                               std::ssize(solve.state), unknown, own, part, time);
}

/// Takes part in the operations over the grid that come before stages, for a rank without cells.
template <class T>
void join_global_operations(const std::vector<Stage>& stages, Ranks& ranks, Shape grid) {
  for (const Stage& stage : stages) {
    for (const GridSolve& solve : stage.solves)
      solution_over_grid<T>(ranks, nullptr, grid, std::ssize(solve.state), 0, {},
                            Part{.whole = grid, .own = {}}, 0);
    reduce_no_cells(stage, ranks);
  }
}

}  // namespace lapl
