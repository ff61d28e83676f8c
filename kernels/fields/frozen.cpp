#include "kernels/fields/frozen.hpp"

#include <atomic>
#include <vector>

#include "kernels/cpu/ghosted_rows.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/row_loops.hpp"
#include "kernels/machine/background.hpp"

namespace lapl {

template <class T>
std::int64_t frozen_cells(const Problem<T>& problem, std::span<const T> field) {
  const DiffusionStage<T> stage = compiled_stage(problem);
  const auto& loops = widest<RowLoops<T>>();
  const std::int64_t columns = problem.shape.columns;
  constexpr std::int64_t worth_a_thread = 1 << 18;
  std::atomic<std::int64_t> count = 0;
  in_pieces(problem.shape.rows, worth_a_thread / columns + 1,
            [&](std::int64_t first, std::int64_t last) {
              GhostedRows<T> rows(problem.shape, problem.faces.front());
              std::vector<T> next(columns), difference(next);
              std::int64_t here = 0;
              for (std::int64_t row = first; row < last; ++row) {
                const GhostedRow<T> from = rows.at(field.data(), row);
                loops.step_row(from.up, from.centre, from.down, from.left, from.right, next.data(),
                               columns, stage);
                loops.laplacian_row(from.up, from.centre, from.down, from.left, from.right,
                                    difference.data(), columns, T(1));
                for (std::size_t i = 0; i < next.size(); ++i)
                  here += difference[i] != 0 && next[i] == from.centre[i];
              }
              count += here;
            });
  return count;
}
template std::int64_t frozen_cells(const Problem<float>&, std::span<const float>);
template std::int64_t frozen_cells(const Problem<double>&, std::span<const double>);

}  // namespace lapl
