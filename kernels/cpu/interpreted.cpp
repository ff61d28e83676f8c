// Engine "interpreted": interprets the stages of any problem, operation by operation on a segment
// of a row; threads share the rows. Engines "blocked" and "threaded" use it until their code is
// compiled, and later too if stages read reductions over the grid: it then calls the compiled
// function of a stage for each segment.
//
//   lines        one for each array, plane and row that a stage reads: the segment and a cell at
//                either end. A line is in the array itself; at a face it is a copy with ghosts by
//                the conditions of the columns, then the rows, then the planes.
//   operations   reads of arrays point into lines. Other operations compute a result for each
//                cell; if the result is a target of the stage, it is written to the target's
//                array. Results that are equal in all cells are computed once.
//   scratch      memory of a thread for copies of lines and for results that differ from cell to
//                cell. All stages use the same scratch, one after the other.
#include <omp.h>

#include <algorithm>
#include <utility>

#include "kernels/cpu/compiled_stages.hpp"
#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/face_conditions.hpp"
#include "kernels/cpu/global_operations.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/row_loops.hpp"
#include "kernels/cpu/stage_rows.hpp"
#include "kernels/cpu/step_arrays.hpp"
#include "kernels/evaluation.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {

template <class T>
class StageInterpreter {
 public:
  StageInterpreter(const Problem<T>& problem, int threads, int lent = 0)
      : problem_(problem), arrays_(problem_, lent), conditions_(problem_), threads_(threads) {
    divide(false);
    for (const Stage& stage : problem_.stages) {
      auto& of_thread = stages_.emplace_back();
      for (int thread = 0; thread < threads; ++thread) of_thread.emplace_back(problem_, stage);
    }
    std::size_t most = 0;
    for (const auto& of_thread : stages_) most = std::max(most, of_thread.front().scratch());
    for (int thread = 0; thread < threads; ++thread) {
      scratch_.emplace_back(most);
      for (auto& of_thread : stages_) of_thread[thread].set_scratch(scratch_.back().data());
    }
  }
  StageInterpreter(const StageInterpreter&) = delete;
  StageInterpreter& operator=(const StageInterpreter&) = delete;

  Shape shape() const { return problem_.shape; }

  void set_clock(const StepTimes& clock) {
    problem_.clock = clock;
    for (auto& of_thread : stages_)
      for (StageRows<T>& stage : of_thread) stage.forget_time();
  }

  /// From now on calls compiled functions. The first and last cell of a row become segments of
  /// their own, because segments at a face copy their lines.
  void use(const CompiledStages<T>& compiled) {
    divide(true);
    for (std::size_t i = 0; i < stages_.size(); ++i)
      for (StageRows<T>& of_thread : stages_[i]) of_thread.use(compiled, i);
  }

  /// Reads the state after `step` steps in buffers.current and writes the fields to buffers.next.
  /// `lent` is memory for the last arrays (StepArrays).
  void compute(const DoubleBuffer<T>& buffers, std::int64_t step, T* lent = nullptr) {
    arrays_.start(buffers, lent);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const Stage& stage = problem_.stages[i];
      const Moment at = problem_.clock.moment(step, stage.time);
      compute_global_operations(problem_, stage, arrays_, at.time, threads_);
      compute(stages_[i], at);
      arrays_.finish(stage);
    }
  }

 private:
  void compute(std::vector<StageRows<T>>& of_thread, const Moment& at) {
    const Shape shape = problem_.shape;
    conditions_.set_time(at.time);
#pragma omp parallel num_threads(threads_)
    {
      StageRows<T>& stage = of_thread[omp_get_thread_num()];
      stage.set_time(at);
#pragma omp for schedule(static)
      for (std::int64_t row = 0; row < shape.planes * shape.rows; ++row)
        for (std::size_t i = 1; i < ends_.size(); ++i)
          stage.evaluate(arrays_, conditions_, {row % shape.rows, ends_[i - 1], row / shape.rows},
                         ends_[i] - ends_[i - 1]);
    }
  }

  // Divides rows into segments; if `apart`, their first and last cells are segments of their own.
  void divide(bool apart) {
    const std::int64_t columns = problem_.shape.columns, edge = apart && columns > 2 ? 1 : 0;
    ends_ = {0};
    for (std::int64_t end = edge; end < columns - edge; end += StageRows<T>::segment)
      if (end > 0) ends_.push_back(end);
    for (const std::int64_t end : {columns - edge, columns})
      if (end > ends_.back()) ends_.push_back(end);
  }

  Problem<T> problem_;
  StepArrays<T> arrays_;
  FaceConditions<T> conditions_;
  std::vector<std::vector<StageRows<T>>> stages_;  // indices: stage, thread
  std::vector<std::vector<T>> scratch_;
  std::vector<std::int64_t> ends_;  // 0, then the column after each segment of a row
  int threads_;
};

namespace {

template <class T>
class InterpretedEngine final : public StageEngine<T> {
 public:
  InterpretedEngine(const Problem<T>& problem, int threads)
      : stages_(problem, threads), threads_(threads) {}

  void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) override {
    for (std::int64_t step = first_step; step < first_step + steps; ++step) {
      stages_.compute(buffers, step);
      buffers.swap();
    }
  }

  void set_clock(const StepTimes& clock) override { stages_.set_clock(clock); }
  void use(const CompiledStages<T>& compiled) override { stages_.use(compiled); }

  int threads() const override { return threads_; }

 private:
  StageInterpreter<T> stages_;
  int threads_;
};

}  // namespace

template <class T>
std::unique_ptr<StageEngine<T>> make_interpreted_engine(const Problem<T>& problem, int threads) {
  return std::make_unique<InterpretedEngine<T>>(problem, threads);
}
LAPL_FOR_FLOATS(make_interpreted_engine);

template <class T>
Evaluation<T>::Evaluation(const Problem<T>& problem, int results, int threads)
    : results_(results),
      threads_(threads > 0 ? threads : useful_threads(problem)),
      stages_(std::make_unique<StageInterpreter<T>>(problem, threads_, results)) {}

template <class T>
Evaluation<T>::~Evaluation() = default;

template <class T>
void Evaluation<T>::operator()(const T* state, double time, T* results) {
  stages_->set_clock({.start = time});
  stages_->compute({const_cast<T*>(state), nullptr}, 0, results);
}

template <class T>
std::vector<T> Evaluation<T>::operator()(std::span<const T> state, double time) {
  std::vector<T> results(results_ * stages_->shape().cells());
  (*this)(state.data(), time, results.data());
  return results;
}

template <class T>
double Evaluation<T>::memory(const Problem<T>& problem, int results) {
  const std::int64_t made =
      problem.arrays() - problem.step_fields - std::ssize(problem.coefficients) - results;
  return static_cast<double>(made * problem.shape.cells()) * sizeof(T);
}

template class Evaluation<float>;
template class Evaluation<double>;

}  // namespace lapl
