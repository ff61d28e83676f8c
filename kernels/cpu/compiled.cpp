// Engines "threaded" and "blocked" of what is not compiled ahead: stages compiled at run time, in
// pieces of the grid that go through one step or through several (kernels/cpu/pipeline.hpp). Until
// the compiler is done, and where there is none, the stages are interpreted.
#include <omp.h>

#include <algorithm>
#include <map>

#include "kernels/cpu/compiled_code.hpp"
#include "kernels/cpu/engine.hpp"
#include "kernels/cpu/piece_run.hpp"

namespace lapl {
namespace {

// Steps in a pass, and pieces.
struct PieceCut {
  int steps = 1;
  std::vector<Piece> pieces;
};

template <class T>
class CompiledEngine final : public CpuEngine<T> {
 public:
  CompiledEngine(const Problem<T>& problem, int threads, int most_steps)
      : stages_(problem),
        threads_(threads),
        most_steps_(most_steps),
        interpreted_(make_interpreted_engine(problem, threads)),
        code_(code_of_steps(problem)) {}

  void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) override {
    while (steps > 0 && !compiled()) {
      // So long that looking for the compiler costs nothing.
      const std::int64_t some =
          std::min<std::int64_t>(steps, 1 + 100'000 / stages_.problem.shape.cells());
      interpreted_->advance(buffers, first_step, some);
      first_step += some;
      steps -= some;
    }
    if (steps == 0) return;
    const std::int64_t passes = (steps + cut_.steps - 1) / cut_.steps;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      const std::int64_t taken = steps / passes + (pass < steps % passes ? 1 : 0);
      take(buffers, first_step, static_cast<int>(taken));
      first_step += taken;
    }
  }

  int threads() const override { return threads_; }

  void settle() override { code_.wait(); }

  std::string how() override {
    if (!code_.ready()) return "interpreted until it is compiled";
    return code_.unavailable().empty() ? "compiled for this run"
                                       : "interpreted: " + code_.unavailable();
  }

 private:
  // Whether the code is there; where it has just come, makes ready for it.
  bool compiled() {
    if (!stages_.functions.empty()) return true;
    if (!code_.ready() || !code_.unavailable().empty()) return false;
    for (std::size_t i = 0; i < stages_.problem.stages.size(); ++i)
      stages_.functions.push_back(
          code_.template function<StageFunction<T>>("stage_" + std::to_string(i)));
    stages_.copy_row = code_.template function<void(const T*, T*, long)>("copy_row");
    cut_ = cut();
    stages_.extend(pipeline(cut_.steps).halo);
    return true;
  }

  const Pipeline& pipeline(int steps) {
    const auto known = pipelines_.find(steps);
    if (known != pipelines_.end()) return known->second;
    const Problem<T>& problem = stages_.problem;
    return pipelines_
        .emplace(steps,
                 Pipeline(problem.stages, stages_.layouts, problem.fields,
                          static_cast<int>(problem.coefficients.size()), problem.arrays(), steps))
        .first->second;
  }

  // As many steps as keep the rings of a wide piece within half of a level-two cache, and as pay
  // for the halos.
  PieceCut cut() {
    constexpr std::int64_t cache = 512 << 10, narrowest = 512;
    const Shape shape = stages_.problem.shape;
    const std::int64_t band = quotient_up(shape.rows, threads_);
    PieceCut cut{.steps = most_steps_, .pieces = {}};
    const auto widest = [&] {
      return cache / (pipeline(cut.steps).rows * static_cast<std::int64_t>(sizeof(T))) -
             2 * pipeline(cut.steps).halo;
    };
    while (cut.steps > 1 && (widest() < std::min(narrowest, shape.columns) ||
                             (shape.rows > 1 && pipeline(cut.steps).halo * 8 > band) ||
                             pipeline(cut.steps).halo * 8 > shape.columns))
      --cut.steps;
    const std::int64_t strips =
        most_steps_ == 1 ? 1 : quotient_up(shape.columns, std::max(widest(), narrowest));
    // Two pieces a thread, so that one that is slow is not waited for as long.
    const std::int64_t bands = std::clamp<std::int64_t>(
        quotient_up(2 * threads_, strips), 1,
        std::max<std::int64_t>(shape.rows / (8 * pipeline(cut.steps).halo + 1), 1));
    const std::int64_t parts = shape.rows == 1 ? std::max<std::int64_t>(strips, threads_) : strips;
    for (std::int64_t i = 0; i < bands; ++i)
      for (std::int64_t j = 0; j < parts; ++j)
        cut.pieces.push_back({shape.rows * i / bands, shape.rows * (i + 1) / bands,
                              along(shape.columns, j, parts), along(shape.columns, j + 1, parts)});
    return cut;
  }

  // Where a part begins: at whole cache lines, but for the grid's end.
  static std::int64_t along(std::int64_t size, std::int64_t part, std::int64_t parts) {
    constexpr std::int64_t line = 64 / sizeof(T);
    return part == parts ? size : size * part / parts / line * line;
  }

  static std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

  void take(DoubleBuffer<T>& buffers, std::int64_t first_step, int steps) {
    const Pipeline& plan = pipeline(steps);
    auto& runs = runs_[steps];
    while (std::ssize(runs) < threads_) runs.emplace_back(stages_, plan);
    set_times(plan, first_step);
    const auto pieces = static_cast<std::int64_t>(cut_.pieces.size());
#pragma omp parallel for num_threads(threads_) schedule(dynamic)
    for (std::int64_t i = 0; i < pieces; ++i)
      runs[omp_get_thread_num()].run(cut_.pieces[i], times_, buffers.current, buffers.next);
    buffers.swap();
  }

  void set_times(const Pipeline& plan, std::int64_t first_step) {
    const Problem<T>& problem = stages_.problem;
    while (times_.size() < plan.instances.size()) times_.emplace_back(stages_.problem);
    for (std::size_t i = 0; i < plan.instances.size(); ++i) {
      const Pipeline::Instance& instance = plan.instances[i];
      const Stage& stage = problem.stages[instance.stage];
      const double time =
          (static_cast<double>(first_step + instance.step) + stage.time) * problem.time_step;
      if (times_[i].stage == instance.stage && !stages_.in_time) continue;
      TreeAt<T> tree(problem, stage.tree);
      times_[i].stage = instance.stage;
      times_[i].time = time;
      times_[i].laws.set_time(time);
      times_[i].uniforms = uniforms_of(tree, stages_.layouts[instance.stage], 0, time);
    }
  }

  CompiledStages<T> stages_;
  int threads_, most_steps_;
  std::unique_ptr<CpuEngine<T>> interpreted_;
  CompiledCode code_;
  PieceCut cut_;
  std::map<int, Pipeline> pipelines_;             // by steps
  std::map<int, std::vector<PieceRun<T>>> runs_;  // by steps, one a thread
  std::vector<InstanceTimes<T>> times_;
};

}  // namespace

template <class T>
CodeText code_of_steps(const Problem<T>& problem) {
  return {.source = code_of(problem.stages, sizeof(T) == 4 ? "float" : "double"),
          .headers = code_headers()};
}
template CodeText code_of_steps(const Problem<float>&);
template CodeText code_of_steps(const Problem<double>&);

template <class T>
std::unique_ptr<CpuEngine<T>> make_compiled_engine(const Problem<T>& problem, int threads,
                                                   int most_steps) {
  if (problem.shape.axes > 2)
    throw EngineUnsuitable("code for three axes is not compiled (engine interpreted takes them)");
  return std::make_unique<CompiledEngine<T>>(problem, threads, most_steps);
}
template std::unique_ptr<CpuEngine<float>> make_compiled_engine(const Problem<float>&, int, int);
template std::unique_ptr<CpuEngine<double>> make_compiled_engine(const Problem<double>&, int, int);

}  // namespace lapl
