#include "kernels/cpu/cpu_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <variant>

#include "kernels/cpu/compiled_stages.hpp"
#include "kernels/cpu/compiler/system_compiler.hpp"
#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/row_loops.hpp"
#include "kernels/engines.hpp"
#include "kernels/error.hpp"
#include "kernels/evaluation.hpp"
#include "kernels/filters/cpu/cpu_filter.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/machine/host_buffer.hpp"
#include "kernels/machine/leftovers.hpp"
#include "kernels/machine/size_text.hpp"
#include "kernels/memory_needed.hpp"
#include "kernels/spectral/exponential_rates.hpp"

namespace lapl {

std::string processor_name() {
  static const std::string name = [] {  // read once: with many cores it takes milliseconds
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
      if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return std::string("unknown processor");
  }();
  return name;
}

namespace {

void require_memory(double needed) {
  const double available = memory_available("cpu").host;
  if (available != 0 && needed > available)
    throw DeviceError("the grid needs {} of host memory, {} are available", size_text(needed),
                      size_text(available));
}

// The engine that "auto" means for this problem.
template <class T>
std::string fastest(const Problem<T>& problem) {
  if (problem.exponential) return std::string(spectral_engine.name);
  const bool ahead = is_plane_diffusion(problem) || is_volume_diffusion(problem);
  return ahead || system_compiler().missing.empty() ? "blocked" : "interpreted";
}

template <class T>
std::unique_ptr<Engine<T>> make_engine(const std::string& name, const Problem<T>& problem,
                                       int threads) {
  // if steps have a tolerance, the error of each is checked before the next
  const int most_steps = problem.measures_error ? 1 : most_steps_in_pass;
  if (problem.exponential) {
    if (name != spectral_engine.name)
      throw EngineUnsuitable("engine {}: etdrk2 and etdrk4 are steps of engine spectral", name);
    // Neither "threaded" nor "interpreted" changes the state from which it computes the rates. On a
    // small grid the transforms take most of the time, and compiled code does not pay.
    constexpr std::int64_t worth_compiled = 8192;
    const Problem<double>& rates = problem.exponential->rates;
    const bool compiled = problem.shape.cells() >= worth_compiled && fastest(rates) == "blocked";
    return make_spectral_engine(problem, threads,
                                make_engine(compiled ? "threaded" : "interpreted", rates, threads));
  }
  if (name == "blocked")
    return is_plane_diffusion(problem) ? make_blocked_engine(problem, threads)
                                       : make_pipeline_engine(problem, threads, most_steps);
  if (name == "interpreted") return make_interpreted_engine(problem, threads);
  if (name == "reference") return make_reference_engine(problem, threads);
  if (name == "threaded") return make_pipeline_engine(problem, threads, 1);
  if (name == spectral_engine.name) return make_spectral_engine(problem, threads, nullptr);
  throw ConfigError("engine {}: not an engine of the CPU backend", name);
}

template <class T>
class CpuBackend final : public Backend<T> {
 public:
  CpuBackend(const std::string& engine, const Problem<T>& problem, int threads)
      : problem_(problem),
        part_(problem.part.value_or(Part::all(problem.shape))),
        engine_name_(engine == "auto" ? fastest(problem) : engine),
        reason_(engine != "auto"                ? "compute.engine asks for it"
                : problem.exponential           ? "the scheme asks for it"
                : engine_name_ == "interpreted" ? system_compiler().missing
                                                : "the fastest here"),
        threads_(threads),
        engine_(make_engine(engine_name_, problem, threads)),
        team_(engine_->threads()) {
    const std::int64_t values = problem.values(), copied = problem.state_fields() * part_.cells();
    require_memory(static_cast<double>(2 * values + copied) * sizeof(T));
    for (HostBuffer<T>* buffer : {&first_, &second_}) *buffer = HostBuffer<T>(values, team_);
    state_copy_ = HostBuffer<T>(copied, team_);
    buffers_ = {first_.data(), second_.data()};
    remove_openmp_name();  // the file that Clang's OpenMP has made by now
  }

  BackendDescription description() const override {
    const std::string how = engine_->how();
    return {
        .backend = "cpu",
        .engine = engine_name_,
        .reason = how.empty() ? reason_ : fmt::format("{}; {}", reason_, how),
        .device = fmt::format("{} ({})", processor_name(), widest<RowLoops<T>>().instruction_set),
        .driver = "",
        .threads = threads_,
        .setback = engine_->setback()};
  }

  void set_state(std::span<const T> state, std::int64_t step) override {
    std::copy(state.begin(), state.end(), buffers_.current);
    step_ = step;
    engine_->forget_state();
  }

  void settle() override { engine_->settle(); }

  RowRange rows() const override { return {part_.in_grid(0) / part_.whole.columns, part_.rows()}; }

  Block<T> block() override {
    engine_->forget_state();
    return {problem_.shape, problem_.shape.columns, buffers_.current, nullptr};
  }

  std::vector<T> values_at(std::span<const std::int64_t> indices) override {
    std::vector<T> values;
    for (const std::int64_t index : indices) values.push_back(buffers_.current[index]);
    return values;
  }

  void advance(std::int64_t steps) override {
    const auto start = std::chrono::steady_clock::now();
    engine_->advance(buffers_, step_, steps);
    step_ += steps;
    stepping_ += std::chrono::steady_clock::now() - start;
  }

  void set_clock(const StepTimes& clock) override {
    problem_.clock = clock;
    engine_->set_clock(clock);
  }

  std::function<Reduced<T>()> reduce(StateArrays arrays, double bound) override {
    const RowLoops<T>& loops = widest<RowLoops<T>>();
    const std::int64_t first = arrays.first * part_.rows(), columns = part_.own[2];
    std::vector<T> of_rows(arrays.count * part_.rows());
#pragma omp parallel for num_threads(team_) schedule(static)
    for (std::int64_t row = 0; row < std::ssize(of_rows); ++row)
      of_rows[row] = loops.largest(own_row(first + row), columns);
    Reduced<T> result{loops.largest(of_rows.data(), std::ssize(of_rows)), {}};
    const auto reaches = [of = magnitude_bits(bound)](T value) {
      return magnitude_bits(static_cast<double>(value)) >= of;
    };
    const auto found = std::ranges::find_if(of_rows, reaches);
    if (found != of_rows.end()) {
      const std::int64_t row = first + (found - of_rows.begin());
      const T* const values = own_row(row);
      const std::int64_t index =
          in_state(row) + (std::find_if(values, values + columns, reaches) - values);
      // If the grid is divided among ranks, values around it may belong to another rank.
      result.first = problem_.part ? FoundValue<T>{.index = index}
                                   : found_value_at<T>(index, buffers_.current, problem_.shape);
    }
    return [result] { return result; };
  }

  void undo_step() override {
    buffers_.swap();
    --step_;
  }

  void set_derived(const std::vector<DerivedOutput<T>>& plans) override {
    for (const DerivedOutput<T>& plan : plans) {
      std::visit([&](const auto& known) { add_derived(known); }, plan);
      results_.emplace_back(problem_.shape.cells(), team_);
    }
  }

  void start_capture(bool with_derived) override {
    const std::int64_t rows = rows_of_state(), columns = part_.own[2];
#pragma omp parallel for num_threads(team_) schedule(static)
    for (std::int64_t row = 0; row < rows; ++row)
      std::copy_n(own_row(row), columns, state_copy_.data() + row * columns);
    captured_ = observed_state();
    captured_.rows = this->rows();
    captured_.state = state_copy_.view();
    captured_.cells = part_.cells();
    if (!with_derived) return;
    for (std::size_t i = 0; i < derived_.size(); ++i) captured_.derived.push_back(evaluate(i));
  }

  bool any_of_derived(std::size_t after) override {
    const std::span<const T> values = evaluate(derived_.size() - 1 - after);
    bool any = false;
#pragma omp parallel for num_threads(team_) schedule(static) reduction(|| : any)
    for (std::int64_t i = 0; i < std::ssize(values); ++i)
      any = any || values[i] < 0 || values[i] > 0;
    return any;
  }

  Captured<T> finish_capture() override { return captured_; }

  double stepping_seconds() override { return std::chrono::duration<double>(stepping_).count(); }
  SolveReport last_solves() const override { return report_of_all(problem_.systems); }

 private:
  void add_derived(const FilterPlan<T>& plan) {
    const std::int64_t first = plan.field * problem_.shape.cells();
    derived_.push_back(
        [filter = std::shared_ptr<CpuFilter<T>>(make_cpu_filter(plan, team_)), first](
            const T* state, T* output) { filter->apply(state + first, output); });
  }
  void add_derived(const Problem<T>& stages) {
    derived_.push_back(
        [this, evaluate = std::make_shared<Evaluation<T>>(stages, 1, team_)](
            const T* state, T* output) { (*evaluate)(state, problem_.clock.time(step_), output); });
  }

  // A derived output of the current state, on this rank's cells.
  std::span<T> evaluate(std::size_t output) {
    T* const result = results_[output].data();
    derived_[output](buffers_.current, result);
    if (problem_.part)  // moves the rows without halo to the front
      for (std::int64_t row = 0; row < part_.rows(); ++row)
        std::copy_n(result + part_.in_block(row), part_.own[2], result + row * part_.own[2]);
    return {result, static_cast<std::size_t>(part_.cells())};
  }

  std::int64_t rows_of_state() const { return problem_.state_fields() * part_.rows(); }

  // An own row: a row of this rank's cells, without the halo. Rows are numbered through all fields.
  const T* own_row(std::int64_t row) const {
    return buffers_.current + row / part_.rows() * problem_.shape.cells() +
           part_.in_block(row % part_.rows());
  }
  // Index at which an own row begins in the state of the whole grid.
  std::int64_t in_state(std::int64_t row) const {
    return row / part_.rows() * part_.whole.cells() + part_.in_grid(row % part_.rows());
  }

  // The digest and the first value that is not finite of this rank's rows.
  Captured<T> observed_state() const {
    const std::int64_t rows = rows_of_state(), columns = part_.own[2];
    std::uint64_t digest = 0;
    bool all_finite = true;
#pragma omp parallel for num_threads(team_) schedule(static) \
    reduction(+ : digest) reduction(&& : all_finite)
    for (std::int64_t row = 0; row < rows; ++row) {
      bool row_finite = true;
      digest += widest<RowLoops<T>>().digest(own_row(row), in_state(row), columns, row_finite);
      all_finite = all_finite && row_finite;
    }
    Captured<T> result;
    result.digest = digest;
    for (std::int64_t row = 0; row < rows && !all_finite && !result.first_not_finite; ++row)
      if (const auto first =
              first_not_finite(std::span<const T>(own_row(row), static_cast<std::size_t>(columns))))
        result.first_not_finite = in_state(row) + *first;
    return result;
  }

  Problem<T> problem_;
  Part part_;
  std::string engine_name_, reason_;
  int threads_;
  std::unique_ptr<Engine<T>> engine_;
  int team_;  // threads of every parallel region; OpenMP must start none later
  HostBuffer<T> first_, second_, state_copy_;
  std::vector<std::function<void(const T* state, T* output)>> derived_;
  std::vector<HostBuffer<T>> results_;
  DoubleBuffer<T> buffers_;
  std::int64_t step_ = 0;
  Captured<T> captured_;
  std::chrono::steady_clock::duration stepping_{};
};

}  // namespace

template <class T>
std::unique_ptr<Backend<T>> make_cpu_backend(const std::string& engine, const Problem<T>& problem,
                                             int threads) {
  return std::make_unique<CpuBackend<T>>(engine, problem, threads);
}
LAPL_FOR_FLOATS(make_cpu_backend);

}  // namespace lapl
