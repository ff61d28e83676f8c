// Engine "threaded", and engine "blocked" for all but diffusion on two axes. Each stage is a
// function that computes a row; a pass computes one or several steps of each piece of the grid
// (kernels/cpu/pipeline.hpp). The functions are compiled at run time, except that of diffusion on
// three axes, which is compiled ahead. Until the compiler is done, or if there is none, the stages
// are interpreted. If stages read reductions over the grid, each stage is computed on the whole
// grid before the next.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>

#include "kernels/cpu/compiler/compiled_code.hpp"
#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/piece_run.hpp"
#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

// Replaces the tree of diffusion on three axes by the one that the function compiled ahead
// (RowLoops) computes; returns other problems unchanged.
template <class T>
Problem<T> with_volume_diffusion(Problem<T> problem) {
  if (!is_volume_diffusion(problem)) return problem;
  problem.stages.front().tree = diffusion_tree(3, *diffusion_coefficient(problem));
  return problem;
}

template <class T>
CodeText code_of_steps(const Problem<T>& problem) {
  CodeText text{.source = stages_source(problem.stages, sizeof(T)), .headers = code_headers()};
  for (std::size_t i = 0; i < problem.stages.size(); ++i)
    text.functions.push_back("stage_" + std::to_string(i));
  return text;
}

template <class T>
class PipelineEngine final : public Engine<T> {
 public:
  PipelineEngine(const Problem<T>& problem, int threads, int most_steps)
      : stages_(with_volume_diffusion(problem)),
        threads_(threads),
        most_steps_(most_steps),
        interpreted_(make_interpreted_engine(problem, threads)) {
    if (!is_volume_diffusion(problem)) code_.emplace(code_of_steps(problem));
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) override {
    while (steps > 0 && !compiled()) {
      // So many steps that asking for the compiler's result costs little.
      const std::int64_t some =
          std::min<std::int64_t>(steps, 1 + 100'000 / stages_.problem.shape.cells());
      interpreted_->advance(buffers, first_step, some);
      first_step += some;
      steps -= some;
    }
    if (steps == 0) return;
    if (has_global_operations(stages_.problem))
      return interpreted_->advance(buffers, first_step, steps);
    while (steps > 0) {
      Cut& by = next_cut();
      const std::int64_t passes = (steps + by.cut.steps - 1) / by.cut.steps;
      const auto taken = static_cast<int>((steps + passes - 1) / passes);
      const auto start = std::chrono::steady_clock::now();
      run_pass(by.cut, buffers, first_step, taken);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      ++by.passes;
      by.seconds_a_step = std::min(by.seconds_a_step, seconds.count() / taken);
      first_step += taken;
      steps -= taken;
    }
  }

  void set_clock(const StepTimes& clock) override {
    interpreted_->set_clock(clock);
    stages_.problem.clock = clock;
    for (InstanceTimes<T>& times : times_) times.stage = -1;
  }

  int threads() const override { return threads_; }

  void settle() override {
    if (code_) code_->wait();
  }

  std::string how() override {
    if (!code_) return {};
    if (!code_->ready()) return "interpreted until it is compiled";
    if (!code_->unavailable().empty()) return "interpreted: " + code_->unavailable();
    return code_->is_cached() ? "compiled by an earlier run" : "compiled for this run";
  }

  std::string setback() override {
    if (!code_ || !code_->ready() || code_->unavailable().empty()) return {};
    return "formulas are interpreted, which takes several times as long: " + code_->unavailable();
  }

 private:
  struct Cut {
    PieceCut cut;
    int passes = 0;
    double seconds_a_step = std::numeric_limits<double>::infinity();
  };

  // True if the compiled functions can be called; the first time it also prepares their use.
  bool compiled() {
    if (!stages_.functions.empty()) return true;
    if (code_ && (!code_->ready() || !code_->unavailable().empty())) return false;
    for (std::size_t i = 0; i < stages_.problem.stages.size(); ++i)
      stages_.functions.push_back(
          code_ ? code_->template function<StageFunction<T>>("stage_" + std::to_string(i))
                : widest<RowLoops<T>>().diffusion_row);
    if (!code_) {
      const RowLoops<T>& loops = widest<RowLoops<T>>();
      const auto value_bytes = static_cast<std::int64_t>(sizeof(T));
      stages_.past_caches = 2 * stages_.problem.shape.cells() * value_bytes > last_cache_bytes();
      stages_.diffusion_rows = loops.diffusion_rows;
      stages_.outgoing_rows =
          stages_.past_caches ? loops.stream_diffusion_rows : loops.diffusion_rows;
    }
    if (has_global_operations(stages_.problem)) {
      stages_.extend(0);
      interpreted_->use(stages_);
      return true;
    }
    std::int64_t halo = 0;
    for (PieceCut& cut : cuts()) {
      halo = std::max(halo, pipeline(cut.steps).halo);
      cuts_.push_back({std::move(cut)});
    }
    stages_.extend(halo);
    return true;
  }

  // Tries each cut a few times, then keeps the fastest.
  Cut& next_cut() {
    constexpr int trials = 3;
    Cut& last = cuts_.back();
    if (cuts_.size() == 1) return last;
    if (last.passes == trials) {
      std::ranges::sort(cuts_, {}, &Cut::seconds_a_step);
      cuts_.resize(1);
      return cuts_.front();
    }
    return *std::ranges::min_element(cuts_, {}, &Cut::passes);
  }

  const Pipeline& pipeline(int steps) {
    const auto known = pipelines_.find(steps);
    if (known != pipelines_.end()) return known->second;
    const Problem<T>& problem = stages_.problem;
    return pipelines_
        .emplace(steps,
                 Pipeline(problem.stages, stages_.layouts, problem.step_fields,
                          static_cast<int>(problem.coefficients.size()), problem.arrays(), steps))
        .first->second;
  }

  std::vector<PieceCut> cuts() {
    const Problem<T>& problem = stages_.problem;
    const Faces<T>& faces = problem.faces.front();
    CutTask task{.shape = problem.shape,
                 .endless = {faces.planes.wrap(), faces.rows.wrap(), faces.columns.wrap()},
                 .fields = problem.step_fields,
                 .value_bytes = sizeof(T),
                 .threads = threads_,
                 .most_steps = most_steps_,
                 .pipeline = [this](int steps) -> const Pipeline& { return pipeline(steps); }};
    for (const StageLayout& layout : stages_.layouts) task.arithmetic += layout.arithmetic;
    return cuts_to_try(task);
  }

  void run_pass(const PieceCut& cut, DoubleBuffer<T>& buffers, std::int64_t first_step, int steps) {
    const Pipeline& plan = pipeline(steps);
    auto& runs = runs_[steps];
    while (std::ssize(runs) < threads_) runs.emplace_back(stages_, plan);
    set_times(plan, first_step);
    const auto pieces = static_cast<std::int64_t>(cut.pieces.size());
#pragma omp parallel for num_threads(threads_) schedule(dynamic)
    for (std::int64_t i = 0; i < pieces; ++i)
      runs[omp_get_thread_num()].run(cut.pieces[i], times_, buffers.current, buffers.next);
    buffers.swap();
  }

  void set_times(const Pipeline& plan, std::int64_t first_step) {
    const Problem<T>& problem = stages_.problem;
    while (times_.size() < plan.instances.size()) times_.emplace_back(stages_.problem);
    for (std::size_t i = 0; i < plan.instances.size(); ++i) {
      const Pipeline::Instance& instance = plan.instances[i];
      const Stage& stage = problem.stages[instance.stage];
      const Moment at = problem.clock.moment(first_step + instance.step, stage.time);
      if (times_[i].stage == instance.stage && !stages_.in_time) continue;
      TreeAt<T> tree(problem, stage.tree);
      times_[i].stage = instance.stage;
      times_[i].at = at;
      times_[i].conditions.set_time(at.time);
      if (code_)
        times_[i].uniforms = stages_.layouts[instance.stage].arguments.values(tree, {}, at);
      else
        times_[i].uniforms = {*diffusion_coefficient(problem)};
    }
  }

  CompiledStages<T> stages_;
  int threads_, most_steps_;
  std::unique_ptr<StageEngine<T>> interpreted_;
  std::optional<CompiledCode> code_;  // for stages that are not compiled ahead
  std::vector<Cut> cuts_;
  std::map<int, Pipeline> pipelines_;  // the key is the number of steps
  // the key is the number of steps; a PieceRun for each thread
  std::map<int, std::vector<PieceRun<T>>> runs_;
  std::vector<InstanceTimes<T>> times_;
};

}  // namespace

template <class T>
std::unique_ptr<Engine<T>> make_pipeline_engine(const Problem<T>& problem, int threads,
                                                int most_steps) {
  return std::make_unique<PipelineEngine<T>>(problem, threads, most_steps);
}
LAPL_FOR_FLOATS(make_pipeline_engine);

}  // namespace lapl
