// Engine "threaded": one step at a time; each thread owns a band of rows for good.
//
//   thread 0  | row 0 ...          |      bytes a cell and step: one value read, one written
//   thread 1  | rows/threads ...   |      (the rows above and below are in the cache)
//     ...                                 barriers a step: 1
#include <omp.h>

#include "kernels/cpu/engine.hpp"
#include "kernels/cpu/ghosted_rows.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/rows.hpp"

namespace lapl {
namespace {

template <class T>
class ThreadedEngine final : public CpuEngine<T> {
 public:
  ThreadedEngine(const Problem<T>& problem, int threads)
      : shape_(problem.shape),
        stage_(compiled_stage(problem)),
        rows_(problem.shape, problem.faces.front()),
        threads_(threads) {}

  void advance(DoubleBuffer<T>& buffers, std::int64_t, std::int64_t steps) override {
    const auto step_row = widest<RowLoops<T>>().step_row;
    const DiffusionStage<T> stage = stage_;
    const Shape shape = shape_;
    // One parallel region for all the steps: each thread keeps its own pair of pointers.
#pragma omp parallel num_threads(threads_)
    {
      DoubleBuffer<T> mine = buffers;
      for (std::int64_t step = 0; step < steps; ++step) {
#pragma omp for schedule(static)
        for (std::int64_t row = 0; row < shape.rows; ++row) {
          const GhostedRow<T> from = rows_.at(mine.current, row);
          step_row(from.up, from.centre, from.down, from.left, from.right,
                   mine.next + row * shape.columns, shape.columns, stage);
        }  // a barrier: no thread starts the next step before all have finished this one
        mine.swap();
      }
    }
    if (steps % 2 != 0) buffers.swap();
  }

  int threads() const override { return threads_; }

 private:
  Shape shape_;
  DiffusionStage<T> stage_;
  GhostedRows<T> rows_;
  int threads_;
};

}  // namespace

template <class T>
std::unique_ptr<CpuEngine<T>> make_threaded_engine(const Problem<T>& problem, int threads) {
  return std::make_unique<ThreadedEngine<T>>(problem, threads);
}
template std::unique_ptr<CpuEngine<float>> make_threaded_engine(const Problem<float>&, int);
template std::unique_ptr<CpuEngine<double>> make_threaded_engine(const Problem<double>&, int);

}  // namespace lapl
